// Ways in which a trigger creates no event, or an event that does nothing, because of what the trigger names.
import { expect } from 'vitest'
import { done } from '../delivery/story.ts'
import { ofEvent, ofTrace, send, type Stage, type Way, workflow } from './way.ts'

const bell = { inApp: { stepId: 'bell', body: 'Hello' } }

/** Sends a trigger for Ada that is rejected. */
async function rejected(stage: Stage, status: number, more: object) {
  const body = { name: 'order', to: 'ada', transactionId: 'order-1', ...more }
  expect(await stage.client.rest('POST /v1/events/trigger', { body })).toMatchObject({ status })
  return ofTrace(stage)
}

export const triggerWays: readonly Way[] = [
  [
    'the trigger repeated a transaction id',
    async (stage) => {
      await workflow(stage, [bell])
      await send(stage, { to: 'grace' })
      await send(stage)
      return ofTrace(stage)
    },
  ],
  [
    'the payload of the trigger does not match the payload schema',
    async (stage) => {
      const payloadSchema = { type: 'object', properties: { total: { type: 'number' } } }
      await workflow(stage, [bell], { payloadSchema })
      return rejected(stage, 400, { payload: { total: 'a lot' } })
    },
  ],
  ['the trigger names a workflow that does not exist', (stage) => rejected(stage, 404, { name: 'oder' })],
  [
    'the trigger names a topic that does not exist',
    async (stage) => {
      await workflow(stage, [bell])
      return rejected(stage, 404, { to: ['ada', { type: 'Topic', topicKey: 'nwes' }] })
    },
  ],
  [
    'the trigger has an invalid field',
    async (stage) => {
      await workflow(stage, [bell])
      return rejected(stage, 422, { to: [{ subscriberId: 'ada', email: 'ada' }] })
    },
  ],
  [
    'everyone who is subscribed to the topic is subscribed under another context',
    async (stage) => {
      await done(stage.client, 'createTopicSubscriptions', {
        topicKey: 'news',
        subscriptions: [{ subscriberId: 'ada' }],
        contexts: [{ type: 'tenant', identifier: 'acme' }],
      })
      await workflow(stage, [bell])
      await send(stage, { to: { type: 'Topic', topicKey: 'news' }, context: { tenant: 'globex' } })
      return ofEvent(stage)
    },
  ],
  [
    'every recipient was deleted',
    async (stage) => {
      await workflow(stage, [bell])
      const body = { name: 'order', to: 'ada', transactionId: 'order-1' }
      await stage.client.rest('POST /v1/events/trigger', { body })
      await done(stage.client, 'deleteSubscriber', { subscriberId: 'ada' })
      await stage.world.work()
      return ofEvent(stage)
    },
  ],
  [
    'the workflow is suspended',
    async (stage) => {
      await workflow(stage, [{ inApp: { stepId: 'bell', body: '{% if true %}Hello{% endif %}' } }])
      for (const transactionId of ['slow-1', 'slow-2', 'slow-3']) {
        await send(stage, { transactionId, payload: { slow: true } })
      }
      await send(stage)
      return ofEvent(stage)
    },
  ],
]
