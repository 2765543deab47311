// Runs: an event at work for one of its recipients, as the story of the event shows them.
import { z } from 'zod'
import { groupBatch, rowBatch, type Tenant } from '../data/loader.ts'
import { pageOf } from '../data/page.ts'
import type { Prisma, StepRun, WorkflowRun } from '../data/prisma/client.ts'
import { RunStatus } from '../data/prisma/enums.ts'
import { runsByEvent } from '../data/run.ts'
import { order, pageRequest } from '../lib/page.ts'
import { filterOf, text } from '../lib/validation.ts'
import { query } from './resolver.ts'

export type { StepRun, WorkflowRun }

const runsById = rowBatch<WorkflowRun>(
  ({ db, environmentId }, ids) => db.workflowRun.findMany({ where: { environmentId, id: { in: ids } } }),
  ({ id }) => id,
)

/** The steps of many runs, by run and in their order. */
export const stepRunsIn = ({ db, environmentId }: Tenant, runIds: readonly string[]): Promise<StepRun[]> =>
  db.stepRun.findMany({
    where: { environmentId, runId: { in: [...runIds] } },
    orderBy: [{ runId: 'asc' }, { position: 'asc' }],
  })

const stepRunsByRun = groupBatch<StepRun>(stepRunsIn, ({ runId }) => runId)

export const workflowRun = query({
  name: 'workflowRun.get',
  permission: 'event:read',
  input: z.object({ id: z.uuid() }),
  run: ({ load }, { id }) => load(runsById, id),
})

/** The failed ones are dead letters. */
export const workflowRuns = query({
  name: 'workflowRun.list',
  permission: 'event:read',
  input: z.object({
    page: pageRequest,
    orderBy: order,
    filter: filterOf({ status: z.enum(RunStatus), subscriberId: text(255) }),
  }),
  run({ db, environmentId }, { page, orderBy, filter }) {
    const where: Prisma.WorkflowRunWhereInput = { environmentId, ...filter }
    return pageOf({ name: 'workflowRuns', ownerId: environmentId }, orderBy, page, {
      find: ({ where: keyset, ...reading }) => db.workflowRun.findMany({ where: { ...where, ...keyset }, ...reading }),
      count: (take) => db.workflowRun.count({ where, take }),
    })
  },
})

/** Those of one event, one for each recipient. Batched. */
export const workflowRunsOfEvent = query({
  name: 'workflowRun.listOfEvent',
  permission: 'event:read',
  input: z.object({
    eventId: z.uuid(),
    page: pageRequest,
    orderBy: order,
    filter: filterOf({ status: z.enum(RunStatus) }),
  }),
  run: ({ load }, { eventId, page, orderBy, filter }) =>
    load(runsByEvent, { parent: eventId, order: orderBy, request: page, filter }),
})

/** What was decided of each step that a run has come to, in their order. Batched. */
export const stepRunsOf = query({
  name: 'workflowRun.listSteps',
  permission: 'event:read',
  input: z.object({ runId: z.uuid() }),
  run: ({ load }, { runId }) => load(stepRunsByRun, runId),
})
