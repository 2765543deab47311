// The same act through both doors has the same outcome, and the same refusal.
import { describe, expect, test } from 'vitest'
import { type Client, type RestRequest, useWorld } from '../support/world.ts'

const world = useWorld()

interface Act {
  readonly name: string
  readonly rest: readonly [target: `${string} /${string}`, body?: RestRequest['body']]
  readonly graph: readonly [mutation: string, input: Record<string, unknown>]
  /** The kind of the refusal at either door; absent where the act succeeds. */
  readonly refused?: readonly [status: number, code: string]
}

const acts: readonly Act[] = [
  {
    name: 'creating a subscriber',
    rest: ['POST /v2/subscribers', { subscriberId: 'eve', email: 'eve@example.com' }],
    graph: ['upsertSubscriber', { subscriberId: 'eve', email: 'eve@example.com' }],
  },
  {
    name: 'creating a subscriber with a bad e-mail address',
    rest: ['POST /v2/subscribers', { subscriberId: 'eve', email: 'x' }],
    graph: ['upsertSubscriber', { subscriberId: 'eve', email: 'x' }],
    refused: [422, 'BAD_USER_INPUT'],
  },
  {
    name: 'creating a subscriber that must not exist, and does',
    rest: ['POST /v2/subscribers?failIfExists=true', { subscriberId: 'ada' }],
    graph: ['createSubscriber', { subscriberId: 'ada' }],
    refused: [409, 'CONFLICT'],
  },
  {
    name: 'changing a subscriber who does not exist',
    rest: ['PATCH /v2/subscribers/nobody', { firstName: 'N' }],
    graph: ['updateSubscriber', { subscriberId: 'nobody', firstName: 'N' }],
    refused: [404, 'NOT_FOUND'],
  },
  {
    name: 'opening a session with a wrong hash',
    rest: ['POST /v1/inbox/session', { subscriberId: 'ada', subscriberHash: 'guessed' }],
    graph: ['openSession', { subscriberId: 'ada', subscriberHash: 'guessed' }],
    refused: [400, 'BAD_USER_INPUT'],
  },
  {
    name: 'creating a context that exists',
    rest: ['POST /v2/contexts', { type: 'tenant', id: 'acme' }],
    graph: ['createContext', { type: 'tenant', identifier: 'acme' }],
    refused: [409, 'CONFLICT'],
  },
  {
    name: 'creating a topic with a bad key',
    rest: ['POST /v2/topics', { key: 'a b' }],
    graph: ['upsertTopic', { key: 'a b' }],
    refused: [422, 'BAD_USER_INPUT'],
  },
  {
    name: 'changing a subscription that does not exist',
    rest: ['PATCH /v2/topics/orders/subscriptions/none', { name: 'x' }],
    graph: ['updateTopicSubscription', { topicKey: 'orders', identifier: 'none', name: 'x' }],
    refused: [404, 'NOT_FOUND'],
  },
  {
    name: 'creating an environment in no color',
    rest: ['POST /v1/environments', { name: 'Parity', color: 'red' }],
    graph: ['createEnvironment', { name: 'Parity', color: 'red' }],
    refused: [422, 'BAD_USER_INPUT'],
  },
  {
    name: 'triggering an unknown workflow',
    rest: ['POST /v1/events/trigger', { name: 'nothing', to: { subscriberId: 'ada' } }],
    graph: ['triggerEvent', { name: 'nothing', to: [{ subscriber: { subscriberId: 'ada' } }] }],
    refused: [404, 'NOT_FOUND'],
  },
  {
    name: 'forgetting credentials that are not there',
    rest: ['DELETE /v1/subscribers/ada/credentials/fcm'],
    graph: ['deleteSubscriberCredentials', { subscriberId: 'ada', providerId: 'FCM' }],
    refused: [404, 'NOT_FOUND'],
  },
]

async function furnished(): Promise<Client> {
  const client = await world.environment()
  await client.act('createSubscriber', { subscriberId: 'ada' })
  await client.act('createContext', { type: 'tenant', identifier: 'acme' })
  await client.act('createTopic', { key: 'orders' })
  return client
}

describe('both doors agree on', () => {
  test.each(acts)('$name', async ({ rest: [target, body], graph: [mutation, input], refused }) => {
    const atRest = await (await furnished()).rest(target, body === undefined ? {} : { body })
    const { userErrors } = await (await furnished()).act(mutation, input)
    if (refused === undefined) {
      expect(atRest.status).toBeLessThan(300)
      expect(userErrors).toEqual([])
      return
    }
    const [status, code] = refused
    expect(atRest.status).toBe(status)
    expect(userErrors[0]).toMatchObject({ code, message: atRest.body.message })
  })
})
