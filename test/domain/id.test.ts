// Ids that callers choose: new ids must not look like existing ones, and ids of earlier versions keep working.
import { beforeEach, describe, expect, test } from 'vitest'
import { publicCallerOf, sign } from '../support/browser.ts'
import { environmentIdOf } from '../support/environment-id.ts'
import { ada, furnish } from '../support/furnish.ts'
import { type Client, useWorld } from '../support/world.ts'

const world = useWorld()
let client: Client

beforeEach(async () => {
  client = await world.environment()
})

const OBJECTION = 'must not begin or end with white space or contain control or invisible characters'

const deceptive: readonly [string, string][] = [
  ['begins with a space', ' ann'],
  ['ends with a space', 'ann '],
  ['ends with a no-break space', 'ann\u00a0'],
  ['ends with a line break', 'ann\n'],
  ['contains a tab', 'a\tnn'],
  ['contains a delete character', 'ann\u007f'],
  ['contains a zero-width space', 'an\u200bn'],
  ['contains a soft hyphen', 'an\u00adn'],
  ['changes the direction of writing', 'an\u202en'],
  ['ends with a Hangul filler', 'ann\u3164'],
  ['contains a line separator', 'an\u2028n'],
]

const emailOf = async (subscriberId: string): Promise<string | null | undefined> =>
  (
    await client.ask<{ subscriber: { email: string | null } | null }>(
      'query ($id: String!) { subscriber(subscriberId: $id) { email } }',
      { id: subscriberId },
    )
  ).subscriber?.email

describe.each(deceptive)('a subscriberId that %s', (_, subscriberId) => {
  test('cannot be created, and does not name another subscriber', async () => {
    const email = 'ann@example.com'
    await client.act('createSubscriber', { subscriberId: 'ann', email })
    const other = { subscriberId, email: 'mallory@example.com' }
    const refused = [{ code: 'BAD_USER_INPUT', message: `subscriberId ${OBJECTION}`, field: ['subscriberId'] }]
    for (const mutation of ['createSubscriber', 'upsertSubscriber']) {
      expect((await client.act(mutation, other)).userErrors).toEqual(refused)
    }
    const { status, body } = await client.rest('POST /v2/subscribers', { body: other })
    expect([status, Object.keys(body.errors)]).toEqual([422, ['subscriberId']])
    expect((await client.act('updateSubscriber', other)).userErrors).toMatchObject([{ code: 'NOT_FOUND' }])
    expect(await emailOf(subscriberId)).toBeUndefined()
    const path = `/v2/subscribers/${encodeURIComponent(subscriberId)}` as const
    expect((await client.rest(`GET ${path}`)).status).toBe(404)
    expect((await client.rest(`DELETE ${path}`)).status).toBe(404)
    expect(await emailOf('ann')).toBe(email)
  })
})

test.each([
  ['inner spaces', 'Ann Smith'],
  ['letters of all scripts and emoji', 'Ådå-Λ-エイダ 🚀'],
  ['braces', '{ann}'],
])('a subscriberId can have %s', async (_, subscriberId) => {
  expect((await client.act('createSubscriber', { subscriberId })).userErrors).toEqual([])
  expect(await emailOf(subscriberId)).toBeNull()
})

const BAD = 'acme\u200b'

describe('an id with an invisible character cannot be created as', () => {
  beforeEach(async () => {
    await furnish(world, client, ada)
  })
  const endpoint = {
    subscriberId: 'ada',
    integrationIdentifier: 'slack',
    endpoint: { workspaceChatUser: { userId: 'U1' } },
  }
  const trigger = { workflowIdentifier: ada.workflow, to: [{ subscriber: { subscriberId: 'ada' } }] }

  test.each<[string, string, string, Record<string, unknown>]>([
    ['a topic', 'key', 'createTopic', { key: BAD }],
    ['a workflow', 'identifier', 'createWorkflow', { identifier: BAD, name: 'x', steps: [] }],
    ['an integration', 'identifier', 'createIntegration', { identifier: BAD, providerId: 'SLACK' }],
    ['a channel endpoint', 'identifier', 'createChannelEndpoint', { ...endpoint, identifier: BAD }],
    ['a connection', 'connectionIdentifier', 'createChannelEndpoint', { ...endpoint, connectionIdentifier: BAD }],
    ['a context', 'identifier', 'createContext', { type: 'tenant', identifier: BAD }],
    [
      'a topic subscription',
      'subscriptions.0.identifier',
      'createTopicSubscriptions',
      { topicKey: ada.topic, subscriptions: [{ subscriberId: 'ada', identifier: BAD }] },
    ],
    ['a transaction', 'transactionId', 'triggerEvent', { ...trigger, transactionId: BAD }],
    [
      'a recipient',
      'to.0.subscriber.subscriberId',
      'triggerEvent',
      { ...trigger, to: [{ subscriber: { subscriberId: BAD } }] },
    ],
    ['an actor', 'actor.subscriberId', 'triggerEvent', { ...trigger, actor: { subscriberId: BAD } }],
  ])('%s, and the error names %s', async (_, field, mutation, input) => {
    const { userErrors } = await client.act(mutation, input)
    expect(userErrors).toMatchObject([{ code: 'BAD_USER_INPUT', field: field.split('.') }])
  })

  test('the new identifier of an integration', async () => {
    const { integration } = await client.ask('{ integration(identifier: "slack") { id } }')
    const { userErrors } = await client.act('updateIntegration', { id: integration.id, identifier: BAD })
    expect(userErrors).toMatchObject([{ message: `identifier ${OBJECTION}`, field: ['identifier'] }])
  })

  test('the recipient of a REST trigger', async () => {
    const send = async (to: unknown) =>
      (await client.rest('POST /v1/events/trigger', { body: { name: ada.workflow, to, payload: {} } })).body.errors
    expect(await send(BAD)).toHaveProperty(['to'])
    expect(await send([{ subscriberId: BAD }])).toHaveProperty(['to.0.subscriberId'])
  })

  test('an item of a bulk request, which fails alone', async () => {
    const subscribers = [{ subscriberId: BAD }, { subscriberId: 'grace' }]
    const { body } = await client.rest('POST /v1/subscribers/bulk', { body: { subscribers } })
    expect(body.created).toMatchObject([{ subscriberId: 'grace' }])
    expect(body.failed).toMatchObject([{ subscriberId: BAD, message: `subscriberId ${OBJECTION}` }])
  })
})

describe('a subscriber of an earlier version, whose id has an invisible character,', () => {
  beforeEach(async () => {
    await furnish(world, client, ada)
    await client.act('createSubscriber', { subscriberId: 'acme' })
    const environmentId = await environmentIdOf(client)
    const where = { environmentId_subscriberId: { environmentId, subscriberId: 'acme' } }
    await world.gateway.db.subscriber.update({ where, data: { subscriberId: BAD } })
  })

  test('can be read, updated and deleted', async () => {
    const { userErrors } = await client.act('updateSubscriber', { subscriberId: BAD, email: 'one@example.com' })
    expect([userErrors, await emailOf(BAD)]).toEqual([[], 'one@example.com'])
    await client.act('upsertSubscriber', { subscriberId: BAD, email: 'two@example.com' })
    expect(await emailOf(BAD)).toBe('two@example.com')
    const subscribers = [{ subscriberId: BAD, email: 'three@example.com' }]
    const { body } = await client.rest('POST /v1/subscribers/bulk', { body: { subscribers } })
    expect(body.updated).toMatchObject([{ subscriberId: BAD }])
    expect(await emailOf(BAD)).toBe('three@example.com')
    expect((await client.act('deleteSubscriber', { subscriberId: BAD })).userErrors).toEqual([])
    expect(await emailOf(BAD)).toBeUndefined()
  })

  test('receives notifications, and opens a session', async () => {
    const to = [{ subscriber: { subscriberId: BAD, firstName: 'Acme' } }]
    expect((await client.act('triggerEvent', { workflowIdentifier: ada.workflow, to })).userErrors).toEqual([])
    const publicCaller = await publicCallerOf(world, client)
    const signed = { subscriberId: BAD, subscriberHash: sign(BAD, client) }
    expect((await publicCaller.act('openSession', signed, 'token')).token).toEqual(expect.any(String))
  })
})

describe('the hash of a subscriberId that is the JSON of contexts', () => {
  const JSON_ID = '{"tenant":"acme"}'
  const message = 'subscriberId must not be a JSON object'

  test('opens no session, and no such subscriber can be created', async () => {
    const publicCaller = await publicCallerOf(world, client)
    const signed = { subscriberId: JSON_ID, subscriberHash: sign(JSON_ID, client) }
    const errorsOf = async (caller: Client, mutation: string, input: Record<string, unknown>) =>
      (await caller.act(mutation, input)).userErrors
    const refused = [{ code: 'BAD_USER_INPUT', message, field: ['subscriberId'] }]
    expect(await errorsOf(publicCaller, 'openSession', signed)).toEqual(refused)
    expect(await errorsOf(client, 'createSubscriber', { subscriberId: JSON_ID })).toEqual(refused)
    expect((await publicCaller.rest('POST /v1/inbox/session', { body: signed })).status).toBe(422)
  })
})
