// The reasons of steps and runs as enums: each code of the execution log has a value, in steps, runs, counts, previews and
// filters.
import { beforeEach, describe, expect, test } from 'vitest'
import { RunOutcome } from '../../src/data/prisma/enums.ts'
import { runReasons, stepReasons } from '../../src/domain/trigger/step-reason.ts'
import { createWorkflow, done, trigger } from '../support/delivery/story.ts'
import { type Client, useWorld } from '../support/world.ts'

const world = useWorld()
let acme: Client

beforeEach(async () => {
  acme = await world.environment()
  for (const subscriberId of ['ada', 'grace']) await done(acme, 'createSubscriber', { subscriberId })
})

const isAda = { '==': [{ var: 'subscriber.subscriberId' }, 'ada'] }
const bell = { inApp: { stepId: 'bell', body: 'Hello', condition: isAda } }

const filtered = async (filter: string) => {
  const { workflowRuns } = await acme.ask<{ workflowRuns: { nodes: readonly { subscriberId: string }[] } }>(
    `{ workflowRuns(filter: ${filter}) { nodes { subscriberId } } }`,
  )
  return workflowRuns.nodes.map(({ subscriberId }) => subscriberId)
}

test('a step, its run and the counts of its event have the same reason, as code and under the former name', async () => {
  await createWorkflow(acme, [bell])
  const id = await trigger(acme, { to: ['ada', 'grace'] })
  await world.work()
  const { event } = await acme.ask(
    `query ($id: String!) {
      event(transactionId: $id) {
        recipientCounts { groups { outcome reasonCode reason } }
        runs(orderBy: { field: CREATED_AT, direction: ASC }) {
          nodes { subscriberId reasonCode reason steps { reasonCode reason } }
        }
      }
    }`,
    { id },
  )
  const unmet = { reasonCode: 'CONDITION', reason: 'condition' }
  const none = { reasonCode: null, reason: null }
  expect(new Set(event.recipientCounts.groups)).toEqual(
    new Set([
      { outcome: 'DELIVERED', ...none },
      { outcome: 'NOTHING', ...unmet },
    ]),
  )
  expect(new Set(event.runs.nodes)).toEqual(
    new Set([
      { subscriberId: 'ada', ...none, steps: [none] },
      { subscriberId: 'grace', ...unmet, steps: [unmet] },
    ]),
  )
})

test('a preview has the reasons too', async () => {
  await createWorkflow(acme, [bell])
  const { previewTrigger } = await acme.ask(`{
    previewTrigger(input: { workflowIdentifier: "order", to: [{ subscriber: { subscriberId: "grace" } }] }) {
      runs { reasonCode reason steps { reasonCode reason } }
    }
  }`)
  const unmet = { reasonCode: 'CONDITION', reason: 'condition' }
  expect(previewTrigger.runs).toEqual([{ ...unmet, steps: [unmet] }])
})

test('a reason of the run itself is no reason of a step', async () => {
  await createWorkflow(acme, [{ delay: { stepId: 'wait', amount: 1, unit: 'SECONDS' } }])
  const id = await trigger(acme, { to: 'grace' })
  await world.work({ early: true })
  const { event } = await acme.ask(
    `query ($id: String!) { event(transactionId: $id) { runs { nodes { reasonCode reason steps { reasonCode } } } } }`,
    { id },
  )
  expect(event.runs.nodes).toEqual([
    { reasonCode: 'NO_MESSAGE_STEP', reason: 'no_message_step', steps: [{ reasonCode: null }] },
  ])
})

describe('runs are filtered', () => {
  beforeEach(async () => {
    await createWorkflow(acme, [bell])
    await trigger(acme, { to: ['ada', 'grace'] })
    await world.work()
  })

  test.each([
    ['{ reasons: [CONDITION] }', ['grace']],
    ['{ reasons: [CONDITION, RUN_FAILED] }', ['grace']],
    ['{ reasons: [MERGED] }', []],
    ['{ reason: "condition" }', ['grace']],
    ['{ reason: "condition", reasons: [CONDITION] }', ['grace']],
    ['{ reason: "condition", reasons: [MERGED] }', []],
    ['{ reason: "of a newer version" }', []],
  ])('by %s', async (filter, expected) => {
    expect(await filtered(filter)).toEqual(expected)
  })

  test('and a reason that does not exist is an error', async () => {
    const { errors } = await acme.send('{ workflowRuns(filter: { reasons: [CONDITIONS] }) { totalCount } }')
    expect(errors[0]?.message).toContain('CONDITION')
  })
})

test('a reason that only a newer version knows has no code, and keeps its run readable', async () => {
  await createWorkflow(acme, [bell])
  const id = await trigger(acme, { to: 'grace' })
  await world.work()
  await world.database.pool.query(`UPDATE step_runs SET reason = 'tomorrow' WHERE reason = 'condition'`)
  const { event } = await acme.ask(
    `query ($id: String!) { event(transactionId: $id) { runs { nodes { reasonCode steps { reasonCode reason } } } } }`,
    { id },
  )
  expect(event.runs.nodes).toEqual([{ reasonCode: null, steps: [{ reasonCode: null, reason: 'tomorrow' }] }])
})

test('every reason that the database computes for a run has a value', async () => {
  const { rows } = await world.database.pool.query<{ source: string }>(
    `SELECT prosrc AS source FROM pg_proc WHERE proname = 'run_outcome'`,
  )
  const source = rows[0]?.source ?? ''
  const computed = [...source.matchAll(/(?:THEN|ELSE) '([a-z_]+)'/g)]
    .map(([, code = '']) => code)
    .filter((code) => !(code in RunOutcome))
  expect(computed).toContain('run_failed')
  expect(Object.keys(runReasons)).toEqual(expect.arrayContaining(computed))
  const ofRuns = Object.keys(runReasons).filter((code) => !(code in stepReasons))
  expect(computed).toEqual(expect.arrayContaining(ofRuns))
})
