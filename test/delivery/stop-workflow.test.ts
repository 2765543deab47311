// Stopping a workflow: a deactivation that also cancels what the workflow has begun.
import { beforeEach, expect, test } from 'vitest'
import { MAX_CANCELLED } from '../../src/engine/cancel-all.ts'
import { bodiesOf, createWorkflow, done, trigger } from '../support/delivery/story.ts'
import { environmentIdOf } from '../support/environment-id.ts'
import { type Client, useWorld } from '../support/world.ts'

const world = useWorld()
let acme: Client

const wait = { delay: { stepId: 'wait', amount: 1, unit: 'HOURS' } }
const late = { inApp: { stepId: 'late', body: 'late' } }

beforeEach(async () => {
  acme = await world.environment()
  await createWorkflow(acme, [wait, late])
})

const fields =
  'workflow { active version } cancellation { eventCount runCount remainingEventCount remainingRunCount hasMore }'
const stop = (input: object = {}) =>
  done(acme, 'updateWorkflow', { identifier: 'order', active: false, cancelPending: true, ...input }, fields)
const nothingLeft = { remainingEventCount: 0, remainingRunCount: 0, hasMore: false }

/** Copies the waiting run of the environment. */
async function copyRun(count: number): Promise<void> {
  await world.database.pool.query(
    `INSERT INTO workflow_runs (environment_id, id, event_id, subscriber_id, subscriber_row_id, workflow_identifier,
                                event_created_at, status, position, created_at, updated_at)
     SELECT environment_id, gen_random_uuid(), event_id, 'reader-' || n, subscriber_row_id, workflow_identifier,
            event_created_at, status, position, created_at, updated_at
     FROM workflow_runs CROSS JOIN generate_series(1, $2) AS n WHERE environment_id = $1`,
    [await environmentIdOf(acme), count],
  )
  // As a process does within a second.
  await world.database.pool.query('ANALYZE workflow_runs')
}

test('one mutation deactivates a workflow and cancels what waits, and says how many', async () => {
  await trigger(acme)
  await trigger(acme, { to: [{ subscriberId: 'ada' }, { subscriberId: 'bob' }] })
  await world.work()
  // Its runs do not exist yet.
  await trigger(acme)
  expect(await stop()).toEqual({
    workflow: { active: false, version: 2 },
    cancellation: { eventCount: 3, runCount: 3, ...nothingLeft },
    userErrors: [],
  })
  await world.work({ early: true })
  expect(await bodiesOf(acme)).toEqual([])
  expect(await stop()).toMatchObject({ cancellation: { eventCount: 0, runCount: 0, ...nothingLeft } })
  const logged = world.logged.filter(({ msg }) => msg === 'events cancelled')
  expect(logged).toMatchObject([{ filter: { workflowIdentifier: 'order' }, runs: 3, events: 3 }])
})

test('without cancelPending, what waits continues', async () => {
  await trigger(acme)
  await world.work()
  expect(await stop({ cancelPending: false })).toMatchObject({ workflow: { active: false }, cancellation: null })
  await world.work({ early: true })
  expect(await bodiesOf(acme)).toEqual(['late'])
})

test('leaves other workflows alone', async () => {
  await createWorkflow(acme, [wait, late], { identifier: 'another' })
  await trigger(acme, { name: 'another' })
  await world.work()
  expect(await stop()).toMatchObject({ cancellation: { eventCount: 0, runCount: 0 } })
  await world.work({ early: true })
  expect(await bodiesOf(acme)).toEqual(['late'])
})

test('10,000 delayed runs are cancelled by one call', async () => {
  await trigger(acme)
  await world.work()
  await copyRun(MAX_CANCELLED - 1)
  expect(await stop()).toMatchObject({ cancellation: { eventCount: 1, runCount: MAX_CANCELLED, ...nothingLeft } })
  const { workflowRuns } = await acme.ask('{ workflowRuns(filter: { statuses: [WAITING] }) { nodes { id } } }')
  expect(workflowRuns.nodes).toEqual([])
})

test('a call that reaches the limit says how many runs remain, and the same call cancels them', async () => {
  await trigger(acme)
  await world.work()
  await copyRun(MAX_CANCELLED + 2)
  expect(await stop()).toMatchObject({
    cancellation: { runCount: MAX_CANCELLED, remainingEventCount: 1, remainingRunCount: 3, hasMore: true },
  })
  expect(await stop()).toMatchObject({ cancellation: { eventCount: 0, runCount: 3, ...nothingLeft } })
})

test('nothing is cancelled if the update fails', async () => {
  await trigger(acme)
  await world.work()
  const failing: readonly [input: object, error: object][] = [
    [{ expectedVersion: 7 }, { code: 'CONFLICT', field: ['expectedVersion'] }],
    [{ identifier: 'unknown' }, { code: 'NOT_FOUND', field: ['identifier'] }],
    [{ active: true }, { message: 'cancelPending requires active: false', field: ['cancelPending'] }],
    [{ active: null }, { message: 'cancelPending requires active: false', field: ['cancelPending'] }],
  ]
  for (const [input, error] of failing) {
    const given = { identifier: 'order', active: false, cancelPending: true, ...input }
    const { userErrors } = await acme.act('updateWorkflow', given, fields)
    expect(userErrors).toMatchObject([error])
  }
  await world.work({ early: true })
  expect(await bodiesOf(acme)).toEqual(['late'])
})

test('REST answers with the same counts', async () => {
  await trigger(acme)
  await world.work()
  const put = (body: object) => acme.rest('PUT /v2/workflows/order', { body })
  expect(await put({ active: false, cancelPending: true })).toMatchObject({
    status: 200,
    body: { active: false, cancellation: { eventCount: 1, runCount: 1, ...nothingLeft } },
  })
  expect((await put({ active: false })).body).not.toHaveProperty('cancellation')
  expect(await put({ cancelPending: true })).toMatchObject({ status: 422 })
})
