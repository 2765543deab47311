// pause and resume: make the pending work of an environment, an integration or a workflow wait, and continue it.
import { z } from 'zod'
import { integration as integrationOf, integrationNotFound } from '../../domain/integration.ts'
import { operatorIn } from '../../domain/access/operator.ts'
import {
  pauseEnvironment,
  pauseIntegration,
  pauseWorkflow,
  type Resumed,
  resumeEnvironment,
  resumeIntegration,
  resumeWorkflow,
} from '../../domain/execution/pause.ts'
import { createScope } from '../../domain/resolver/create-scope.ts'
import type { Scope } from '../../domain/resolver/scope.ts'
import { refuse } from '../../lib/errors.ts'
import { command, type GatewayContext, option } from '../command/command.ts'

const parameters = {
  environment: option('ENVIRONMENT', 'name, identifier or id', z.string()),
  integration: option('IDENTIFIER', 'identifier of the integration', z.string().optional()),
  workflow: option('IDENTIFIER', 'identifier of the workflow', z.string().optional()),
}

interface Given {
  readonly environment: string
  readonly integration?: string | undefined
  readonly workflow?: string | undefined
}

/** The objects that an operator can pause. */
interface Target {
  /** The object in a sentence. */
  readonly named: string
  readonly pause: (reason: string | undefined) => Promise<unknown>
  readonly resume: () => Promise<Resumed<unknown>>
}

async function integrationTarget(scope: Scope, identifier: string): Promise<Target> {
  const found = await integrationOf(scope, { identifier })
  if (found === null) throw integrationNotFound(identifier, 'integration')
  const { id } = found
  return {
    named: `the integration "${identifier}"`,
    pause: (reason) => pauseIntegration(scope, { id, reason }),
    resume: () => resumeIntegration(scope, { id }),
  }
}

const workflowTarget = (scope: Scope, identifier: string): Target => ({
  named: `the workflow "${identifier}"`,
  pause: (reason) => pauseWorkflow(scope, { identifier, reason }),
  resume: () => resumeWorkflow(scope, { identifier }),
})

/** Finds the object that the command names. @throws Refusal */
async function targetOf({ gateway }: GatewayContext, { environment, integration, workflow }: Given): Promise<Target> {
  const scope = createScope(gateway, await operatorIn(gateway.db, environment))
  if (integration !== undefined && workflow !== undefined) {
    throw refuse('INVALID', 'workflow cannot be combined with integration: run the command for each', 'workflow')
  }
  if (integration !== undefined) return integrationTarget(scope, integration)
  if (workflow !== undefined) return workflowTarget(scope, workflow)
  const { environmentId: id } = scope
  return {
    named: `the environment "${environment}"`,
    pause: (reason) => pauseEnvironment(scope, { id, reason }),
    resume: () => resumeEnvironment(scope, { id }),
  }
}

export const pauseCommand = command({
  place: 'gateway',
  description: 'Pauses an environment, or one integration or workflow of it: what is pending waits, and nothing fails.',
  details:
    'Triggers are still accepted, and wait too. Messages that are just being sent are not stopped. `queue` shows what waits.',
  examples: [
    [
      'pause --environment Production --integration acme-sms --reason "outage"',
      'holds the messages of one integration',
    ],
    ['pause --environment Production --workflow newsletter', 'holds the runs and messages of one workflow'],
    ['pause --environment Production', 'holds all of them'],
  ],
  parameters: {
    ...parameters,
    reason: option('TEXT', 'note for others, which the dashboard and `queue` show', z.string().optional()),
  },
  async run(context, { reason, ...given }) {
    const { named, pause } = await targetOf(context, given)
    await pause(reason)
    return { text: `Paused ${named}.`, result: { paused: true } }
  },
})

export const resumeCommand = command({
  place: 'gateway',
  description: 'Resumes what `pause` paused: messages are sent, and runs continue.',
  examples: [
    ['resume --environment Production --integration acme-sms', 'sends the messages that waited'],
    ['resume --environment Production', 'resumes the environment; what is paused in it stays paused'],
  ],
  parameters,
  async run(context, given) {
    const { named, resume } = await targetOf(context, given)
    const { released } = await resume()
    return {
      text: `Resumed ${named}: ${released} ${released === 1 ? 'job' : 'jobs'} released.`,
      result: { paused: false, released },
    }
  },
})
