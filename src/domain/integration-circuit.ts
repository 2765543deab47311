// The circuit of an integration: whether its messages are sent, or only one probe at a time.
import { z } from 'zod'
import { circuits } from '../data/queue/circuit.ts'
import { query } from './resolver/resolver.ts'

/** The states of a circuit, with their descriptions. */
export const circuitStates = {
  closed: 'Messages are sent.',
  open: 'The provider or the account failed five times in a row within a minute. Messages go to the next integration, or wait for the next probe.',
  probing: 'One message is being sent as a probe. If the provider accepts it, the circuit closes.',
} as const satisfies Record<string, string>

export type CircuitState = keyof typeof circuitStates

const isState = (code: string): code is CircuitState => Object.hasOwn(circuitStates, code)

export const circuitCodes = Object.keys(circuitStates).filter(isState)

/** A circuit that is not closed. */
export interface OpenCircuit {
  readonly openedAt: Date
  readonly nextProbeAt: Date
}

const byId = z.object({ id: z.uuid() })

/** Reads the state of an integration's circuit. Batched. */
export const circuitOf = query({
  name: 'integration.getCircuit',
  permission: 'integration:read',
  input: byId,
  async run({ load, now }, { id }): Promise<CircuitState> {
    const found = await load(circuits, id)
    if (found?.openedAt == null || found.probeAt === null) return 'closed'
    // A probe whose process died is repeated at the time of the next one.
    return found.probing && found.probeAt > now() ? 'probing' : 'open'
  },
})

/** Reads the times of an integration's circuit. Null while it is closed. Batched. */
export const openCircuitOf = query({
  name: 'integration.getOpenCircuit',
  permission: 'integration:read',
  input: byId,
  async run({ load }, { id }): Promise<OpenCircuit | null> {
    const { openedAt = null, probeAt = null } = (await load(circuits, id)) ?? {}
    return openedAt === null || probeAt === null ? null : { openedAt, nextProbeAt: probeAt }
  },
})
