// The filters of lists of runs and deliveries, and the edge from a delivery to its event.
import { beforeEach, expect, test } from 'vitest'
import { useReceiver } from '../support/delivery/receiver.ts'
import { createIntegration, createWorkflow, trigger } from '../support/delivery/story.ts'
import { statementsOf } from '../support/statements.ts'
import { type Client, useWorld } from '../support/world.ts'

const world = useWorld()
const receiver = useReceiver()
let acme: Client
let ids: Readonly<Record<'ada' | 'grace' | 'later', string>>

const mail = { email: { stepId: 'mail', subject: 'Hi', body: 'Hello' } }
const to = (subscriberId: string) => ({ subscriberId, email: `${subscriberId}@example.com` })

beforeEach(async () => {
  acme = await world.environment()
  await createIntegration(acme, 'EMAIL_WEBHOOK', receiver.url)
  await createWorkflow(acme, [mail])
  await createWorkflow(acme, [mail], { identifier: 'later' })
  ids = {
    ada: await trigger(acme, { to: to('ada') }),
    grace: await trigger(acme, { to: to('grace') }),
    later: await trigger(acme, { to: to('ada'), name: 'later' }),
  }
  await world.work()
})

interface Run {
  readonly event: { readonly transactionId: string }
}

interface Listed {
  readonly totalCount: number
  readonly nodes: readonly (Run | { readonly run: Run })[]
}

/** The transaction ids of the events of a list. */
async function eventsOf(list: 'deliveries' | 'workflowRuns', filter: string): Promise<Set<string>> {
  const run = 'event { transactionId }'
  const node = list === 'deliveries' ? `run: workflowRun { ${run} }` : run
  const { found } = await acme.ask<{ found: Listed }>(
    `{ found: ${list}(filter: { ${filter} }) { totalCount nodes { ${node} } } }`,
  )
  expect(found.nodes).toHaveLength(found.totalCount)
  return new Set(found.nodes.map((row) => ('run' in row ? row.run : row).event.transactionId))
}

test.each(['deliveries', 'workflowRuns'] as const)('%s are filtered by subscriber, workflow and time', async (list) => {
  expect(await eventsOf(list, 'subscriberId: "ada"')).toEqual(new Set([ids.ada, ids.later]))
  expect(await eventsOf(list, 'workflow: "later"')).toEqual(new Set([ids.later]))
  expect(await eventsOf(list, 'subscriberId: "ada", workflow: "order"')).toEqual(new Set([ids.ada]))
  expect(await eventsOf(list, 'createdAfter: "2020-01-01T00:00:00Z", subscriberId: "grace"')).toEqual(
    new Set([ids.grace]),
  )
  expect(await eventsOf(list, 'createdBefore: "2020-01-01T00:00:00Z"')).toEqual(new Set())
})

test('deliveries are filtered by the event', async () => {
  expect(await eventsOf('deliveries', `transactionId: "${ids.grace}"`)).toEqual(new Set([ids.grace]))
  expect(await eventsOf('deliveries', 'transactionId: "none"')).toEqual(new Set())
})

test('the deliveries of all subscribers, with their steps, runs and events, take one statement for each', async () => {
  const subscribers = <const Fields extends string>(fields: Fields) =>
    `{ subscribers { nodes { subscriberId ${fields} } } }` as const
  const one = await statementsOf(() => acme.ask(subscribers('')))
  const query = subscribers(
    'deliveries(first: 5) { nodes { step { stepId } workflowRun { subscriberId event { transactionId } } } }',
  )
  const all = await statementsOf(async () => {
    const { subscribers } = await acme.ask(query)
    for (const { subscriberId, deliveries } of subscribers.nodes) {
      expect(deliveries.nodes).toHaveLength(subscriberId === 'ada' ? 2 : 1)
      for (const { step, workflowRun } of deliveries.nodes) {
        expect({ ...step, ...workflowRun }).toMatchObject({ stepId: 'mail', subscriberId })
      }
    }
  })
  expect(all).toHaveLength(one.length + 4)
})

test('the events and subscribers of all deliveries take one statement for each, and one for their runs', async () => {
  const deliveries = <const Fields extends string>(fields: Fields) =>
    `{ deliveries { nodes { id ${fields} } } }` as const
  const one = await statementsOf(() => acme.ask(deliveries('')))
  const all = await statementsOf(async () => {
    const data = await acme.ask(
      deliveries('event { transactionId } subscriber { subscriberId } workflowRun { subscriberId }'),
    )
    const found = data.deliveries.nodes.map(({ event, subscriber, workflowRun }) => {
      expect(subscriber).toEqual(workflowRun)
      return [event.transactionId, subscriber.subscriberId]
    })
    expect(Object.fromEntries(found)).toEqual({ [ids.ada]: 'ada', [ids.grace]: 'grace', [ids.later]: 'ada' })
  })
  expect(all).toHaveLength(one.length + 3)
})

test('a delivery to a deleted subscriber keeps its event and has no subscriber, even if another subscriber has the id', async () => {
  await acme.act('deleteSubscriber', { subscriberId: 'grace' })
  await acme.act('createSubscriber', { subscriberId: 'grace' })
  const data = await acme.ask(`{
    deliveries(filter: { subscriberId: "grace" }) {
      nodes { subscriber { subscriberId } event { transactionId } workflowRun { subscriberId subscriber { id } } }
    }
  }`)
  expect(data.deliveries.nodes).toEqual([
    {
      subscriber: null,
      event: { transactionId: ids.grace },
      workflowRun: { subscriberId: 'grace', subscriber: null },
    },
  ])
})

test('the runs of all workflows and subscribers take one statement for each list', async () => {
  const data = await acme.ask(`{
    workflows { nodes { identifier runs(first: 5) { nodes { subscriberId } } } }
    subscribers { nodes { subscriberId workflowRuns(first: 5) { nodes { subscriberId } } } }
  }`)
  const numbers = [
    ...data.workflows.nodes.map(({ identifier, runs }) => [identifier, runs.nodes.length]),
    ...data.subscribers.nodes.map(({ subscriberId, workflowRuns }) => [subscriberId, workflowRuns.nodes.length]),
  ]
  expect(Object.fromEntries(numbers)).toEqual({ order: 2, later: 1, ada: 2, grace: 1 })
})
