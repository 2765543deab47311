// The scenario of the event of ten: ten recipients, ten ways in which a message does or does not arrive, no one missing.
import { expect, test } from 'vitest'
import { useReceiver } from '../support/delivery/receiver.ts'
import { createIntegration, createWorkflow, done, trigger } from '../support/delivery/story.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()
const receiver = useReceiver()

/** Each recipient, with the outcome and the reason of its run. */
const expected = {
  sent: ['DELIVERED', null],
  waiting: ['PENDING', null],
  rejected: ['FAILED', 'refused'],
  broken: ['FAILED', 'content'],
  free: ['NOTHING', 'condition'],
  nobody: ['NOTHING', 'no_destination'],
  quiet: ['NOTHING', 'subscriber_global_preference'],
  off: ['NOTHING', 'subscriber_workflow_preference'],
  unsubscribed: ['NOTHING', 'topic_preference'],
  gone: ['NOTHING', 'subscriber_deleted'],
} as const

test('an event for ten recipients, each with another outcome or reason, adds up to ten everywhere', async () => {
  const acme = await world.environment()
  await createIntegration(acme, 'EMAIL_WEBHOOK', receiver.url)
  const condition = { '!=': [{ var: 'subscriber.data.plan' }, 'free'] }
  const body = 'Hello{% for i in (1..subscriber.data.times) %}{{payload.text}}{% endfor %}'
  await createWorkflow(acme, [{ email: { stepId: 'mail', subject: 'Hi', body, condition } }])
  const data: Readonly<Record<string, object>> = { free: { plan: 'free' }, broken: { times: 1000 } }
  for (const subscriberId of Object.keys(expected)) {
    const email = subscriberId === 'nobody' ? null : `${subscriberId}@example.com`
    await done(acme, 'createSubscriber', { subscriberId, email, data: data[subscriberId] ?? {} })
  }
  const channels = [{ channel: 'EMAIL', enabled: false }]
  await done(acme, 'updateSubscriberPreferences', { subscriberId: 'quiet', channels })
  await done(acme, 'updateSubscriberPreferences', { subscriberId: 'off', workflowId: 'order', channels })
  await acme.rest('POST /v2/topics/news/subscriptions', {
    body: { subscriptions: ['unsubscribed'], preferences: [{ workflowId: 'order', enabled: false }] },
  })
  receiver.respond((response) => {
    const status = /waiting@|gone@/.test(receiver.last.body)
      ? 503
      : receiver.last.body.includes('rejected@')
        ? 400
        : 200
    response.writeHead(status).end()
  })

  const named = Object.keys(expected).filter((subscriberId) => subscriberId !== 'unsubscribed')
  const id = await trigger(acme, {
    to: [...named, { type: 'Topic', topicKey: 'news' }],
    payload: { text: 'x'.repeat(1000) },
  })
  await world.work()
  await done(acme, 'deleteSubscriber', { subscriberId: 'gone' })
  await world.work()

  const { event } = await acme.ask(
    `query ($id: String!) {
      event(transactionId: $id) {
        status outcome
        recipientCounts { total delivered failed nothing pending groups { outcome reason count } }
        messageCounts { pending sent failed cancelled notifications }
        runs(first: 20) { totalCount nodes { subscriberId outcome reason } }
      }
    }`,
    { id },
  )
  const { groups, ...counts } = event.recipientCounts
  expect(counts).toEqual({ total: 10, delivered: 1, failed: 2, nothing: 6, pending: 1 })
  expect(new Set(groups)).toEqual(
    new Set(Object.values(expected).map(([outcome, reason]) => ({ outcome, reason, count: 1 }))),
  )
  expect(event).toMatchObject({ status: 'COMPLETED', outcome: 'PENDING', runs: { totalCount: 10 } })
  expect(event.messageCounts).toEqual({ pending: 1, sent: 1, failed: 1, cancelled: 1, notifications: 0 })
  const runs = event.runs.nodes.map(({ subscriberId, outcome, reason }) => [subscriberId, [outcome, reason]])
  expect(Object.fromEntries(runs)).toEqual(expected)

  const { body: told } = await acme.rest<{ recipients: object }>(`GET /v1/events/${id}`)
  expect(told).toMatchObject({ status: 'completed', outcome: 'pending', recipients: counts })
  expect(told.recipients).toHaveProperty('groups.length', 10)

  const found = await Promise.all(
    groups.map(({ outcome, reason }) =>
      acme.ask(
        `query ($outcome: RunOutcome, $reason: String) {
          workflowRuns(filter: { outcome: $outcome, reason: $reason }) { nodes { subscriberId } }
        }`,
        { outcome, reason },
      ),
    ),
  )
  const listed = found.flatMap(({ workflowRuns }) => workflowRuns.nodes.map(({ subscriberId }) => subscriberId))
  expect(listed.toSorted()).toEqual(Object.keys(expected).toSorted())
})
