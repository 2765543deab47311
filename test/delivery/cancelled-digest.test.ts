// Cancelled digests: the events that others have triggered must not be lost.
import { expect, test } from 'vitest'
import { useWorld } from '../support/world.ts'

const world = useWorld()

test('a cancelled digest leaves the other events it collected to a new digest', async () => {
  const acme = await world.environment()
  await acme.act('createWorkflow', {
    identifier: 'news',
    name: 'News',
    steps: [
      { digest: { stepId: 'day', amount: 1, unit: 'DAYS' } },
      { inApp: { body: '{{digest.count}}:{% for event in digest.events %} {{event.payload.news}}{% endfor %}' } },
    ],
  })
  const to = [{ subscriber: { subscriberId: 'ada' } }]
  for (const news of ['first', 'second', 'third']) {
    await acme.act('triggerEvent', { name: 'news', to, payload: { news }, transactionId: news })
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
