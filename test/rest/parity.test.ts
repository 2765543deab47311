// REST and GraphQL have the same effect, and return the same errors.
import { beforeAll, describe, expect, test } from 'vitest'
import { sign } from '../support/browser.ts'
import { environmentIdOf } from '../support/environment-id.ts'
import { notify } from '../support/feed.ts'
import { type Client, type RestRequest, useWorld } from '../support/world.ts'

const world = useWorld()

type RestTarget = `${string} /${string}`

/** One operation, as a REST request and as a GraphQL mutation. */
interface Act {
  readonly name: string
  readonly rest: readonly [target: RestTarget, body?: RestRequest['body']]
  readonly graph: readonly [mutation: string, input: Record<string, unknown>]
}

/** Queries that read the written entity. */
interface Reading {
  readonly graph: string
  readonly rest?: RestTarget
}

const steps = 'steps { type ... on InAppStep { subject body } }'
const context = { tenant: 'acme' }
const contexts = [{ type: 'tenant', identifier: 'acme' }]
const payload = { order: { id: 7 } }
const eve = { subscriberId: 'eve', firstName: 'Eve', email: 'eve@example.com', locale: 'en_US', data: { plan: 'pro' } }
const deviceTokens = ['token-1']

const written: readonly (Act & { readonly reading: Reading })[] = [
  {
    name: 'creating a subscriber',
    rest: ['POST /v2/subscribers', eve],
    graph: ['upsertSubscriber', eve],
    reading: {
      graph: `{ subscriber(subscriberId: "eve") {
        subscriberId firstName lastName email phone avatar locale timezone data channels { providerId }
      } }`,
      rest: 'GET /v2/subscribers/eve',
    },
  },
  {
    name: 'setting the credentials of a subscriber',
    rest: ['PUT /v1/subscribers/ada/credentials', { providerId: 'fcm', credentials: { deviceTokens } }],
    graph: ['setSubscriberCredentials', { subscriberId: 'ada', providerId: 'FCM', credentials: { deviceTokens } }],
    reading: {
      graph: '{ subscriber(subscriberId: "ada") { channels { providerId integrationIdentifier deviceTokens } } }',
      rest: 'GET /v2/subscribers/ada',
    },
  },
  {
    name: 'creating a context',
    rest: ['POST /v2/contexts', { type: 'app', id: 'web', data: { beta: true } }],
    graph: ['createContext', { type: 'app', identifier: 'web', data: { beta: true } }],
    reading: { graph: '{ context(key: "app:web") { type identifier data } }', rest: 'GET /v2/contexts/app/web' },
  },
  {
    name: 'creating an integration',
    rest: ['POST /v1/integrations', { providerId: 'twilio', identifier: 'acme-sms', name: 'Texts', primary: true }],
    graph: ['createIntegration', { providerId: 'TWILIO', identifier: 'acme-sms', name: 'Texts', primary: true }],
    reading: {
      graph: `{ integration(identifier: "acme-sms") {
        identifier name providerId channel active primary conditions hasCredentials
      } }`,
      rest: 'GET /v1/integrations?channel=sms',
    },
  },
  {
    name: 'creating a channel endpoint',
    rest: [
      'POST /v1/channel-endpoints',
      {
        identifier: 'ada-on-slack',
        subscriberId: 'ada',
        integrationIdentifier: 'slack',
        context,
        type: 'workspace_chat_user',
        endpoint: { userId: 'U-ada' },
      },
    ],
    graph: [
      'createChannelEndpoint',
      {
        identifier: 'ada-on-slack',
        subscriberId: 'ada',
        integrationIdentifier: 'slack',
        contexts,
        endpoint: { workspaceChatUser: { userId: 'U-ada' } },
      },
    ],
    reading: {
      graph: `{ channelEndpoint(identifier: "ada-on-slack") {
        identifier type channel providerId subscriberId integrationIdentifier connectionIdentifier contextKeys
        endpoint { ... on WorkspaceChatUser { userId } }
      } }`,
      rest: 'GET /v1/channel-endpoints/ada-on-slack',
    },
  },
  {
    name: 'creating a topic',
    rest: ['POST /v2/topics', { key: 'news', name: 'News', data: { weekly: true } }],
    graph: ['upsertTopic', { key: 'news', name: 'News', data: { weekly: true } }],
    reading: { graph: '{ topic(key: "news") { key name data } }', rest: 'GET /v2/topics/news' },
  },
  {
    name: 'subscribing to a topic',
    rest: [
      'POST /v2/topics/orders/subscriptions',
      {
        subscriptions: [{ subscriberId: 'ada', identifier: 'daily' }],
        name: 'Daily',
        preferences: ['welcome'],
        context,
      },
    ],
    graph: [
      'createTopicSubscriptions',
      {
        topicKey: 'orders',
        subscriptions: [{ subscriberId: 'ada', identifier: 'daily' }],
        name: 'Daily',
        preferences: [{ workflowId: 'welcome' }],
        contexts,
      },
    ],
    reading: {
      graph: `{ topicSubscription(topicKey: "orders", identifier: "daily") {
        identifier name contextKeys subscriber { subscriberId } topic { key }
        preferences { ... on TopicSubscriptionWorkflowPreference { enabled condition workflow { identifier } } }
      } }`,
      rest: 'GET /v2/topics/orders/subscriptions/daily',
    },
  },
  {
    name: 'creating a workflow',
    rest: [
      'POST /v2/workflows',
      {
        identifier: 'shipped',
        name: 'Shipped',
        tags: ['orders'],
        steps: [{ type: 'in_app', body: 'Hi' }],
        channels: { sms: false },
      },
    ],
    graph: [
      'createWorkflow',
      {
        identifier: 'shipped',
        name: 'Shipped',
        tags: ['orders'],
        steps: [{ inApp: { body: 'Hi' } }],
        channels: [{ channel: 'SMS', enabled: false }],
      },
    ],
    reading: {
      graph: `{ workflow(identifier: "shipped") {
        identifier name active critical severity tags data payloadSchema channels { channel enabled } ${steps}
      } }`,
      rest: 'GET /v2/workflows/shipped',
    },
  },
  {
    name: 'setting a preference',
    rest: ['PATCH /v2/subscribers/ada/preferences', { workflowId: 'welcome', channels: { email: false } }],
    graph: [
      'updateSubscriberPreferences',
      { subscriberId: 'ada', workflowIdentifier: 'welcome', channels: [{ channel: 'EMAIL', enabled: false }] },
    ],
    reading: {
      graph: `{ subscriber(subscriberId: "ada") { preferences {
        enabled channels { channel enabled }
        workflows { workflowIdentifier enabled channels { channel enabled source } }
      } } }`,
      rest: 'GET /v2/subscribers/ada/preferences',
    },
  },
  {
    name: 'triggering an event',
    rest: [
      'POST /v1/events/trigger',
      { name: 'welcome', to: { subscriberId: 'ada' }, payload, context, transactionId: 'order-7' },
    ],
    graph: [
      'triggerEvent',
      {
        workflowIdentifier: 'welcome',
        to: [{ subscriber: { subscriberId: 'ada' } }],
        payload,
        contexts,
        transactionId: 'order-7',
      },
    ],
    reading: { graph: '{ event(transactionId: "order-7") { workflowIdentifier payload contextKeys cancelledAt } }' },
  },
  {
    name: 'marking notifications as read',
    rest: ['POST /v2/subscribers/ada/notifications/read', { tags: ['orders'] }],
    graph: ['markNotifications', { subscriberId: 'ada', as: 'READ', filter: { tags: ['orders'] } }],
    reading: {
      graph: '{ subscriber(subscriberId: "ada") { notifications { nodes { body tags seenAt readAt archivedAt } } } }',
      rest: 'GET /v2/subscribers/ada/notifications',
    },
  },
]

/** Operations that both APIs reject, with the REST status and the GraphQL code. */
const rejected: readonly (Act & { readonly error: readonly [status: number, code: string] })[] = [
  {
    name: 'creating a subscriber with an invalid email address',
    rest: ['POST /v2/subscribers', { subscriberId: 'eve', email: 'x' }],
    graph: ['upsertSubscriber', { subscriberId: 'eve', email: 'x' }],
    error: [422, 'BAD_USER_INPUT'],
  },
  {
    name: 'creating a subscriber that exists',
    rest: ['POST /v2/subscribers?failIfExists=true', { subscriberId: 'ada' }],
    graph: ['createSubscriber', { subscriberId: 'ada' }],
    error: [409, 'CONFLICT'],
  },
  {
    name: 'updating a subscriber that does not exist',
    rest: ['PATCH /v2/subscribers/nobody', { firstName: 'N' }],
    graph: ['updateSubscriber', { subscriberId: 'nobody', firstName: 'N' }],
    error: [404, 'NOT_FOUND'],
  },
  {
    name: 'opening a session with a wrong hash',
    rest: ['POST /v1/inbox/session', { subscriberId: 'ada', subscriberHash: 'guessed' }],
    graph: ['openSession', { subscriberId: 'ada', subscriberHash: 'guessed' }],
    error: [400, 'BAD_USER_INPUT'],
  },
  {
    name: 'creating a context that exists',
    rest: ['POST /v2/contexts', { type: 'tenant', id: 'acme' }],
    graph: ['createContext', { type: 'tenant', identifier: 'acme' }],
    error: [409, 'CONFLICT'],
  },
  {
    name: 'creating a topic with an invalid key',
    rest: ['POST /v2/topics', { key: 'a b' }],
    graph: ['upsertTopic', { key: 'a b' }],
    error: [422, 'BAD_USER_INPUT'],
  },
  {
    name: 'updating a subscription that does not exist',
    rest: ['PATCH /v2/topics/orders/subscriptions/none', { name: 'x' }],
    graph: ['updateTopicSubscription', { topicKey: 'orders', identifier: 'none', name: 'x' }],
    error: [404, 'NOT_FOUND'],
  },
  {
    name: 'creating an environment with an invalid color',
    rest: ['POST /v1/environments', { name: 'Parity', color: 'red' }],
    graph: ['createEnvironment', { name: 'Parity', color: 'red' }],
    error: [422, 'BAD_USER_INPUT'],
  },
  {
    name: 'triggering an unknown workflow',
    rest: ['POST /v1/events/trigger', { name: 'nothing', to: { subscriberId: 'ada' } }],
    graph: ['triggerEvent', { workflowIdentifier: 'nothing', to: [{ subscriber: { subscriberId: 'ada' } }] }],
    error: [404, 'NOT_FOUND'],
  },
  {
    name: 'deleting credentials that do not exist',
    rest: ['DELETE /v1/subscribers/ada/credentials/fcm'],
    graph: ['deleteSubscriberCredentials', { subscriberId: 'ada', providerId: 'FCM' }],
    error: [404, 'NOT_FOUND'],
  },
]

/** Creates an environment with everything that the operations need. */
async function furnished(): Promise<Client> {
  const client = await world.environment()
  await client.act('createSubscriber', { subscriberId: 'ada' })
  await client.act('createContext', { type: 'tenant', identifier: 'acme' })
  await client.act('createTopic', { key: 'orders' })
  await client.act('createIntegration', { identifier: 'slack', providerId: 'SLACK' })
  await client.act('createWorkflow', {
    identifier: 'welcome',
    name: 'Welcome',
    steps: [{ inApp: { body: 'Welcome' } }],
  })
  await notify(world, client, { subscriberId: 'ada', tags: ['orders'] }, { subscriberId: 'ada', tags: ['news'] })
  return client
}

const generated = /^[0-9a-f]{8}-[0-9a-f-]{27}$|^\d{4}-\d\d-\d\dT[\d:.]+Z$/

/** Replaces generated ids and timestamps, which differ between environments. */
function comparable(data: unknown): unknown {
  return JSON.parse(
    JSON.stringify(data, (key, value: unknown) =>
      key === 'stepId' || (typeof value === 'string' && generated.test(value)) ? '(generated)' : value,
    ),
  )
}

async function read(client: Client, { graph, rest }: Reading) {
  const atRest = rest === undefined ? undefined : (await client.rest(rest)).body
  return comparable({ graph: await client.ask(graph), rest: atRest })
}

const throughRest = (client: Client, [target, body]: Act['rest']) =>
  client.rest(target, body === undefined ? {} : { body })

/** An environment that no test modifies. */
let untouched: Client

beforeAll(async () => {
  untouched = await furnished()
})

describe('operations through REST and GraphQL', () => {
  test.each(written)('have the same effect when $name', async ({ rest, graph: [mutation, input], reading }) => {
    const [one, other] = [await furnished(), await furnished()]
    expect((await throughRest(one, rest)).status).toBeLessThan(300)
    expect((await other.act(mutation, input)).userErrors).toEqual([])
    const after = await read(one, reading)
    expect(after).toEqual(await read(other, reading))
    expect(after).not.toEqual(await read(untouched, reading))
  })

  test('have the same effect when updating an environment', async () => {
    const [one, other] = [await furnished(), await furnished()]
    const id = await environmentIdOf(one)
    expect((await one.rest(`PUT /v1/environments/${id}`, { body: { color: '#0284C7' } })).status).toBe(200)
    const { environment } = await other.ask('{ environment { id } }')
    expect((await other.act('updateEnvironment', { id: environment.id, color: '#0284C7' })).userErrors).toEqual([])
    const reading = '{ environment { color type parent { name } } }'
    const updated = await one.ask(reading)
    expect(updated).toEqual(await other.ask(reading))
    expect(updated.environment.color.toLowerCase()).toBe('#0284c7')
  })

  test('return equal sessions', async () => {
    const client = await furnished()
    const input = { subscriberId: 'ada', subscriberHash: sign('ada', client) }
    const { body } = await client.rest('POST /v1/inbox/session', { body: input })
    const { token } = await client.act('openSession', input, 'token')
    const reading = '{ session { subscriberId contextKeys notificationCounts { unread total } } }'
    const opened = await world.client(body.token, 'Session').ask(reading)
    expect(opened).toEqual(await world.client(token, 'Session').ask(reading))
    expect(opened.session.subscriberId).toBe('ada')
  })
})

describe('errors of REST and GraphQL', () => {
  test.each(rejected)('are the same when $name', async ({ rest, graph: [mutation, input], error: [status, code] }) => {
    const atRest = await throughRest(untouched, rest)
    const { userErrors } = await untouched.act(mutation, input)
    expect(atRest.status).toBe(status)
    expect(userErrors[0]).toMatchObject({ code, message: atRest.body.message })
  })
})
