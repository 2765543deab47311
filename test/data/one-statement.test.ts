// Requests that send a single statement, without a transaction around it.
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { SIGN_IN_LIFETIME } from '../../src/domain/access/dashboard-session.ts'
import { resolverOf } from '../../src/graphql/schema/resolver-extension.ts'
import { schema } from '../../src/graphql/graph/schema.ts'
import { ada, connectionInput, endpointInput } from '../support/furnish.ts'
import { statementsAndTransactionsOf } from '../support/statements.ts'
import { type Client, useWorld } from '../support/world.ts'

const world = useWorld()
let gateway: Client
beforeEach(async () => {
  gateway = await world.environment()
  await gateway.ask(
    `mutation ($connection: CreateChannelConnectionInput!, $endpoint: CreateChannelEndpointInput!) {
      createSubscriber(input: { subscriberId: "ada" }) { userErrors { message } }
      createTopic(input: { key: "orders" }) { userErrors { message } }
      createIntegration(input: { identifier: "slack", providerId: SLACK }) { userErrors { message } }
      createChannelConnection(input: $connection) { userErrors { message } }
      createChannelEndpoint(input: $endpoint) { userErrors { message } }
    }`,
    { connection: connectionInput(ada), endpoint: endpointInput(ada) },
  )
})

/** The statements of one request, without those that authenticate its caller. */
async function sentBy(request: () => Promise<unknown>): Promise<string[]> {
  return (await statementsAndTransactionsOf(request)).filter((text) => !/"?api_keys"?|"environments"/.test(text))
}

const isWrite = (text: string) => /\b(INSERT|UPDATE|DELETE)\b/.test(text)

const profile = { firstName: 'Eve', email: 'eve@example.com', data: { plan: 'pro' } }
const channels = [{ providerId: 'FCM', credentials: { deviceTokens: ['phone'] } }]
const crowd = (size: number) =>
  Array.from({ length: size }, (_, index) => ({ subscriberId: `user-${index}`, ...profile, channels }))

/** Mutations of the graph, their input, and how many rows they read first. */
const mutations: readonly [name: string, what: string, input: Record<string, unknown>, reads?: number][] = [
  ['createSubscriber', 'a profile', { subscriberId: 'eve', ...profile }],
  ['createSubscriber', 'credentials', { subscriberId: 'eve', channels }],
  ['upsertSubscriber', 'a new subscriber', { subscriberId: 'eve', ...profile }],
  ['upsertSubscriber', 'an existing one', { subscriberId: 'ada', ...profile, channels }],
  ['upsertSubscriber', 'no fields', { subscriberId: 'ada' }],
  ['updateSubscriber', 'a profile', { subscriberId: 'ada', ...profile }],
  ['updateSubscriber', 'no fields', { subscriberId: 'ada' }],
  ['setSubscriberOnline', 'the online state', { subscriberId: 'ada', isOnline: true }],
  ['createSubscribers', 'five items', { subscribers: [...crowd(4), { subscriberId: 'ada', channels }] }],
  ['createSubscribers', '500 items', { subscribers: [...crowd(499), { subscriberId: 'ada', channels }] }],
  ['createTopic', 'a topic', { key: 'news', name: 'News' }],
  ['upsertTopic', 'a new topic', { key: 'news', name: 'News' }],
  ['upsertTopic', 'an existing one', { key: 'orders', name: 'Orders' }],
  ['upsertTopic', 'no fields', { key: 'orders' }],
  ['updateTopic', 'a name', { key: 'orders', name: 'Orders' }],
  ['deleteTopic', 'a topic', { key: 'orders' }],
  ['createContext', 'a context', { type: 'tenant', identifier: 'initech' }],
  ['updateContext', 'data', { key: 'tenant:acme', data: { plan: 'pro' } }],
  ['deleteContext', 'a context', { key: 'tenant:acme' }],
  ['updateChannelConnection', 'tokens', { identifier: 'acme-slack', auth: { accessToken: 'xoxb-2' } }],
  ['deleteChannelConnection', 'a connection', { identifier: 'acme-slack' }],
  [
    'updateChannelEndpoint',
    'an address',
    { identifier: 'ada-on-slack', endpoint: { workspaceChatUser: { userId: 'U-2' } } },
    1,
  ],
  ['deleteChannelEndpoint', 'an endpoint', { identifier: 'ada-on-slack' }],
]

/** Mutations with tests of their own below, because their credentials are not known in advance. */
const ofSessions = ['closeDashboardSession', 'openDashboardSession', 'renewDashboardSession']

describe('one statement', () => {
  test.each(mutations)('is sent by %s for %s', async (name, _what, input, reads = 0) => {
    const sent = await sentBy(async () => {
      expect((await gateway.act(name, input)).userErrors).toEqual([])
    })
    expect(sent).toHaveLength(reads + 1)
    expect(sent.map(isWrite)).toEqual([...Array<boolean>(reads).fill(false), true])
  })

  test('is sent by every mutation without a transaction', () => {
    const fields = Object.entries(schema.getMutationType()?.getFields() ?? {})
    const atomic = fields.filter(([, field]) => resolverOf(field)?.definition.atomic).map(([name]) => name)
    const tested = new Set([...mutations.map(([name]) => name), ...ofSessions])
    expect([...tested].toSorted()).toEqual(atomic.toSorted())
  })

  test('is written by signing in to the dashboard, by staying there and by signing out', async () => {
    const open = () => gateway.act('openDashboardSession', { apiKey: gateway.key }, 'token')
    const session = world.client((await open()).token, 'Dashboard')
    const renew = () => {
      world.setClock(new Date(Date.now() + SIGN_IN_LIFETIME - 60_000))
      return session.act('renewDashboardSession', {})
    }
    onTestFinished(() => world.setClock(undefined))
    for (const request of [open, renew, () => session.act('closeDashboardSession', {}, 'closed')]) {
      const sent = await sentBy(request)
      expect(sent.filter(isWrite)).toHaveLength(1)
      expect(sent).not.toContain('BEGIN')
    }
  })

  test.each([
    ['creates a subscriber', 'POST /v2/subscribers', { subscriberId: 'eve', ...profile }],
    ['updates one', 'POST /v2/subscribers', { subscriberId: 'ada', ...profile }],
    ['updates one', 'PATCH /v2/subscribers/ada', profile],
    ['reads one', 'GET /v2/subscribers/ada', undefined],
  ] as const)('is sent by a REST request that %s without credentials: %s', async (_what, target, body) => {
    expect(await sentBy(() => gateway.rest(target, { body }))).toHaveLength(1)
  })
})

test('with an idempotency key, the write and the response are one transaction', async () => {
  const headers = { 'idempotency-key': 'k' }
  const body = { subscriberId: 'eve', ...profile }
  const sent = await sentBy(() => gateway.rest('POST /v2/subscribers', { body, headers }))
  expect([sent[0], sent.at(-1)]).toEqual(['BEGIN', 'COMMIT'])
  expect(sent.filter(isWrite).map((text) => /INTO (\w+)/.exec(text)?.[1])).toEqual(['subscribers', 'idempotency_keys'])
})
