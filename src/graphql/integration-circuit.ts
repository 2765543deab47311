// The circuits of integrations in the graph.
import { circuitStates, type OpenCircuit } from '../domain/integration-circuit.ts'
import { builder } from './schema/builder.ts'
import { codeEnum } from './schema/code-enum.ts'

export const CircuitState = codeEnum('CircuitState', 'The state of the circuit of an integration.', circuitStates)

export const OpenCircuitRef = builder.objectRef<OpenCircuit>('OpenCircuit').implement({
  description: 'The circuit of an integration that is not closed.',
  fields: (t) => ({
    openedAt: t.expose('openedAt', { type: 'DateTime', description: 'The time the circuit opened.' }),
    nextProbeAt: t.expose('nextProbeAt', {
      type: 'DateTime',
      description: 'The time the next message may be sent as a probe.',
    }),
  }),
})
