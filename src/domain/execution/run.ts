// Runs: each executes an event's workflow for one recipient, as the execution log shows it.
import { z } from 'zod'
import type { StepRun, WorkflowRun } from '../../data/prisma/client.ts'
import { RunOutcome, RunStatus } from '../../data/prisma/enums.ts'
import { openRunsById } from '../../data/open-run.ts'
import {
  runPages,
  runsByContext,
  runsByEvent,
  runsById,
  runsByStepRun,
  runsBySubscriber,
  runsByWorkflow,
  type WorkflowRunFilter,
} from '../../data/run.ts'
import { stepRunsById, stepRunsByRun } from '../../data/step-run.ts'
import { refuse } from '../../lib/errors.ts'
import { severalOf, valuesOf } from '../../lib/several.ts'
import { createdConditions, order, pageRequest } from '../../lib/page.ts'
import { filterOf, text, storableText } from '../../lib/validation.ts'
import { failureCauseCodes } from '../channel/failure-cause.ts'
import { contextKeysFilter } from '../context.ts'
import { loadEvent } from '../trigger/event.ts'
import { query } from '../resolver/resolver.ts'
import type { Scope } from '../resolver/scope.ts'
import { runReasonCodes } from '../trigger/step-reason.ts'

export type { StepRun, WorkflowRun }

export const workflowRun = query({
  name: 'workflowRun.get',
  permission: 'event:read',
  input: z.object({ id: z.uuid() }),
  run: ({ load }, { id }) => load(runsById, id),
})

/** The input schema of a filter of runs. */
export const runFilter = filterOf({
  status: z.enum(RunStatus),
  statuses: severalOf(z.enum(RunStatus)),
  outcome: z.enum(RunOutcome),
  outcomes: severalOf(z.enum(RunOutcome)),
  reason: text(255),
  reasons: severalOf(z.enum(runReasonCodes)),
  causes: severalOf(z.enum(failureCauseCodes)),
  stepId: text(255),
  stepIds: severalOf(text(255)),
  subscriberId: text(255),
  subscriberIds: severalOf(text(255)),
  workflowIdentifier: text(255),
  workflowIdentifiers: severalOf(text(255)),
  transactionId: text(255),
  contextKeys: contextKeysFilter,
  ...createdConditions,
})

export const storedRunFilter = (given: z.output<typeof runFilter>): WorkflowRunFilter => ({
  transactionId: given.transactionId,
  contextKeys: given.contextKeys,
  createdAfter: given.createdAfter,
  createdBefore: given.createdBefore,
  status: valuesOf(given.status, given.statuses),
  outcome: valuesOf(given.outcome, given.outcomes),
  reason: valuesOf(given.reason, given.reasons),
  reasonStepId: valuesOf(given.stepId, given.stepIds),
  cause: valuesOf(undefined, given.causes),
  subscriberId: valuesOf(given.subscriberId, given.subscriberIds),
  workflowIdentifier: valuesOf(given.workflowIdentifier, given.workflowIdentifiers),
})

const listed = z.object({ page: pageRequest, orderBy: order, filter: runFilter })

/** Lists runs. Failed runs are dead letters. */
export const workflowRuns = query({
  name: 'workflowRun.list',
  permission: 'event:read',
  input: listed,
  run: ({ load, environmentId }, { page, orderBy, filter }) =>
    load(runPages, { parent: environmentId, orderBy, page, filter: storedRunFilter(filter) }),
})

/** Lists the runs of a subscriberId, including those of an earlier subscriber with the same id. Batched. */
export const workflowRunsOfSubscriber = query({
  name: 'workflowRun.listOfSubscriber',
  permission: 'event:read',
  input: listed.extend({ subscriberId: storableText }),
  run: ({ load }, { subscriberId, page, orderBy, filter }) =>
    load(runsBySubscriber, { parent: subscriberId, orderBy, page, filter: storedRunFilter(filter) }),
})

/** Lists the runs of a workflow, by the workflow's identifier. Batched. */
export const workflowRunsOfWorkflow = query({
  name: 'workflowRun.listOfWorkflow',
  permission: 'event:read',
  input: listed.extend({ identifier: storableText }),
  run: ({ load }, { identifier, page, orderBy, filter }) =>
    load(runsByWorkflow, { parent: identifier, orderBy, page, filter: storedRunFilter(filter) }),
})

/** Lists the runs of events with exactly one context, by its key. Batched. */
export const workflowRunsOfContext = query({
  name: 'workflowRun.listOfContext',
  permission: 'event:read',
  input: listed.extend({ key: storableText }),
  run: ({ load }, { key, page, orderBy, filter }) =>
    load(runsByContext, { parent: key, orderBy, page, filter: storedRunFilter(filter) }),
})

/** Lists the runs of an event, one per recipient. Batched. */
export const workflowRunsOfEvent = query({
  name: 'workflowRun.listOfEvent',
  permission: 'event:read',
  input: listed.extend({ eventId: z.uuid() }),
  run: ({ load }, { eventId, page, orderBy, filter }) =>
    load(runsByEvent, { parent: eventId, orderBy, page, filter: storedRunFilter(filter) }),
})

/** True if a run is not over, so that it can be cancelled. Batched. */
export const isCancellable = query({
  name: 'workflowRun.isCancellable',
  permission: 'event:read',
  input: z.object({ id: z.uuid() }),
  run: async ({ load }, { id }) => (await load(openRunsById, id)) !== null,
})

/** Lists the step runs of a run, in order. Batched. */
export const stepRunsOf = query({
  name: 'workflowRun.listSteps',
  permission: 'event:read',
  input: z.object({ runId: z.uuid() }),
  run: ({ load }, { runId }) => load(stepRunsByRun, runId),
})

/** Reads the event of a run. Batched. @throws Refusal `NOT_FOUND` if it was just deleted. */
export const eventOfRun = query({
  name: 'workflowRun.getEvent',
  permission: 'event:read',
  input: z.object({ eventId: z.uuid() }),
  run: (scope, { eventId }) => loadEvent(scope, eventId),
})

/** Returns the run of a step run. Batched. @throws Refusal `NOT_FOUND` if it was just deleted with its event. */
export async function loadRunOfStep({ load }: Pick<Scope, 'load'>, stepRunId: string): Promise<WorkflowRun> {
  const found = await load(runsByStepRun, stepRunId)
  if (found === null) throw refuse('NOT_FOUND', `Run of the step "${stepRunId}" not found`)
  return found
}

export const runOfStep = query({
  name: 'workflowRun.getOfStep',
  permission: 'event:read',
  input: z.object({ stepRunId: z.uuid() }),
  run: (scope, { stepRunId }) => loadRunOfStep(scope, stepRunId),
})

/** Reads a step run. Batched. Null if it was deleted with its event. */
export const findStepRun = query({
  name: 'workflowRun.findStep',
  permission: 'event:read',
  input: z.object({ id: z.uuid() }),
  run: ({ load }, { id }) => load(stepRunsById, id),
})

/** Reads a step run. Batched. @throws Refusal `NOT_FOUND` if it was just deleted with its event. */
export const stepRun = query({
  name: 'workflowRun.getStep',
  permission: 'event:read',
  input: z.object({ id: z.uuid() }),
  async run({ load }, { id }) {
    const found = await load(stepRunsById, id)
    if (found === null) throw refuse('NOT_FOUND', `Step "${id}" not found`)
    return found
  },
})
