// Cancelled digests: triggers of other events must not be lost.
import { expect, test } from 'vitest'
import { useWorld } from '../support/world.ts'

const world = useWorld()

const digest = { digest: { stepId: 'day', amount: 1, unit: 'DAYS' } }

test('a cancelled digest leaves the other events it collected to a new digest', async () => {
  const acme = await world.environment()
  await acme.act('createWorkflow', {
    identifier: 'news',
    name: 'News',
    steps: [
      digest,
      { inApp: { body: '{{digest.count}}:{% for event in digest.events %} {{event.payload.news}}{% endfor %}' } },
    ],
  })
  const to = [{ subscriber: { subscriberId: 'ada' } }]
  for (const news of ['first', 'second', 'third']) {
    await acme.act('triggerEvent', { workflowIdentifier: 'news', to, payload: { news }, transactionId: news })
    await world.work()
  }
  await acme.act('cancelEvent', { transactionId: 'first' })
  await world.work({ early: true })
  const { subscriber } = await acme.ask(
    '{ subscriber(subscriberId: "ada") { notifications(contextKeys: []) { nodes { body } } } }',
  )
  expect(subscriber.notifications.nodes).toEqual([{ body: '2: second third' }])
  const { event } = await acme.ask(
    '{ event(transactionId: "first") { runs(first: 1) { nodes { status steps { stepId status reason } } } } }',
  )
  expect(event.runs.nodes).toEqual([
    { status: 'CANCELLED', steps: [{ stepId: 'day', status: 'CANCELLED', reason: 'cancelled' }] },
  ])
})

test('a cancelled event leaves the digest that it was merged into, unless the digest has closed', async () => {
  const acme = await world.environment()
  const steps = [digest, { inApp: { stepId: 'bell', body: '{{digest.count}}' } }]
  await acme.act('createWorkflow', { identifier: 'news', name: 'News', steps })
  const to = [{ subscriber: { subscriberId: 'ada' } }]
  const ids = ['first', 'second', 'third', 'fourth', 'fifth']
  for (const transactionId of ids) {
    await acme.act('triggerEvent', { workflowIdentifier: 'news', to, transactionId })
    await world.work()
  }
  const logOf = async (transactionId: string) => {
    const { event } = await acme.ask(
      `query ($id: String!) {
         event(transactionId: $id) { status runs(first: 1) { nodes { status steps { stepId status reason } } } }
       }`,
      { id: transactionId },
    )
    return { event: event.status, run: event.runs.nodes[0].status, steps: event.runs.nodes[0].steps }
  }
  await acme.act('cancelEvent', { transactionId: 'third' })
  await world.work({ early: true })
  await acme.act('cancelEvent', { transactionId: 'fourth' })
  const { subscriber } = await acme.ask(
    '{ subscriber(subscriberId: "ada") { notifications(contextKeys: []) { nodes { body } } } }',
  )
  expect(subscriber.notifications.nodes).toEqual([{ body: '4' }])
  const left = [{ stepId: 'day', status: 'CANCELLED', reason: 'cancelled' }]
  expect(await logOf('third')).toEqual({ event: 'CANCELLED', run: 'CANCELLED', steps: left })
  const merged = [{ stepId: 'day', status: 'MERGED', reason: null }]
  expect(await logOf('second')).toEqual({ event: 'COMPLETED', run: 'COMPLETED', steps: merged })
  expect(await logOf('fourth')).toEqual({ event: 'CANCELLED', run: 'COMPLETED', steps: merged })
})
