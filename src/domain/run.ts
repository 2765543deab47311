// Runs: executions of an event's workflow for one recipient each, as the execution log shows them.
import { z } from 'zod'
import type { StepRun, WorkflowRun } from '../data/prisma/client.ts'
import { RunStatus } from '../data/prisma/enums.ts'
import { runPages, runsByEvent, runsById } from '../data/run.ts'
import { stepRunsByRun } from '../data/step-run.ts'
import { order, pageRequest } from '../lib/page.ts'
import { filterOf, text } from '../lib/validation.ts'
import { query } from './resolver.ts'

export type { StepRun, WorkflowRun }

export const workflowRun = query({
  name: 'workflowRun.get',
  permission: 'event:read',
  input: z.object({ id: z.uuid() }),
  run: ({ load }, { id }) => load(runsById, id),
})

/** Lists runs. Failed runs are dead letters. */
export const workflowRuns = query({
  name: 'workflowRun.list',
  permission: 'event:read',
  input: z.object({
    page: pageRequest,
    orderBy: order,
    filter: filterOf({ status: z.enum(RunStatus), subscriberId: text(255) }),
  }),
  run: ({ load, environmentId }, { page, orderBy, filter }) =>
    load(runPages, { parent: environmentId, order: orderBy, request: page, filter }),
})

/** Lists the runs of an event, one per recipient. Batched. */
export const workflowRunsOfEvent = query({
  name: 'workflowRun.listOfEvent',
  permission: 'event:read',
  input: z.object({
    eventId: z.uuid(),
    page: pageRequest,
    orderBy: order,
    filter: filterOf({ status: z.enum(RunStatus), subscriberId: text(255) }),
  }),
  run: ({ load }, { eventId, page, orderBy, filter }) =>
    load(runsByEvent, { parent: eventId, order: orderBy, request: page, filter }),
})

/** Lists the step runs of a run, in order. Batched. */
export const stepRunsOf = query({
  name: 'workflowRun.listSteps',
  permission: 'event:read',
  input: z.object({ runId: z.uuid() }),
  run: ({ load }, { runId }) => load(stepRunsByRun, runId),
})
