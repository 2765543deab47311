// Looking up entities by node id.
import { isInputObjectType } from 'graphql'
import { describe, expect, test } from 'vitest'
import { schema } from '../../src/graphql/graph/schema.ts'
import { statementsOf } from '../support/statements.ts'
import { addresses } from '../support/tenancy/address.ts'
import { type Client, useWorld } from '../support/world.ts'

const world = useWorld()

async function subscribers(client: Client, ...subscriberIds: string[]): Promise<string[]> {
  const made = subscriberIds.map(async (subscriberId): Promise<string> => {
    const { subscriber } = await client.act('createSubscriber', { subscriberId }, 'subscriber { id }')
    return subscriber.id
  })
  return Promise.all(made)
}

const nodes = async (client: Client, ids: readonly (string | undefined)[]) =>
  (
    await client.ask('query ($ids: [ID!]!) { nodes(ids: $ids) { __typename id ... on Subscriber { subscriberId } } }', {
      ids,
    })
  ).nodes

const nodeId = (text: string) => Buffer.from(text).toString('base64')
const noRow = '00000000-0000-7000-8000-000000000000'

describe('the nodes query', () => {
  test('returns entities in the order of their ids, including repeats, and null for an unknown id', async () => {
    const client = await world.environment()
    const [ada, grace] = await subscribers(client, 'ada', 'grace')
    const { environment } = await client.ask('{ environment { id } }')
    const ids = [grace, nodeId(`Subscriber:${noRow}`), environment.id, ada, grace]
    expect(await nodes(client, ids)).toEqual([
      { __typename: 'Subscriber', id: grace, subscriberId: 'grace' },
      null,
      { __typename: 'Environment', id: environment.id },
      { __typename: 'Subscriber', id: ada, subscriberId: 'ada' },
      { __typename: 'Subscriber', id: grace, subscriberId: 'grace' },
    ])
  })

  test('runs the same number of statements for any number of ids of one type', async () => {
    const client = await world.environment()
    const few = await subscribers(client, 'ada')
    const many = [...few, ...(await subscribers(client, 'grace', 'joan', 'mary'))]
    const [ofFew, ofMany] = [
      await statementsOf(() => nodes(client, few)),
      await statementsOf(() => nodes(client, many)),
    ]
    expect(ofMany).toHaveLength(ofFew.length)
  })

  test('accepts at most 100 ids', async () => {
    const ids = Array<string>(100).fill(nodeId(`Subscriber:${noRow}`))
    expect(await nodes(world.development, ids)).toHaveLength(100)
    const { data, errors } = await world.development.send('query ($ids: [ID!]!) { nodes(ids: $ids) { id } }', {
      ids: [...ids, ...ids],
    })
    expect(data).toBeNull()
    expect(errors).toMatchObject([
      { message: 'ids must be at most 100 items long', extensions: { code: 'BAD_USER_INPUT', field: ['ids'] } },
    ])
  })

  test('accepts an empty list', async () => {
    expect(await nodes(world.development, [])).toEqual([])
  })
})

describe('an invalid node id', () => {
  test.each([
    ['the id that the client chose', 'ada'],
    ['an empty text', ''],
    ['a type that the graph does not have', nodeId(`Nobody:${noRow}`)],
    ['a type that is no node', nodeId(`PageInfo:${noRow}`)],
    ['a type that is no object', nodeId(`SubscriberFilter:${noRow}`)],
    ['a row that is no UUID', nodeId('Subscriber:ada')],
    ['more than a type and a row', nodeId(`Subscriber:${noRow}:x`)],
  ])('is rejected: %s', async (_case, id) => {
    for (const query of [
      'query ($id: ID!) { node(id: $id) { id } }',
      'query ($id: ID!) { nodes(ids: [$id]) { id } }',
    ]) {
      const { errors } = await world.development.send(query, { id })
      expect(errors).toMatchObject([{ message: `"${id}" is not a node id`, extensions: { code: 'BAD_USER_INPUT' } }])
    }
  })

  test('is truncated in the error message', async () => {
    const { errors } = await world.development.send('query ($id: ID!) { node(id: $id) { id } }', {
      id: 'x'.repeat(9000),
    })
    expect(errors[0]?.message.length).toBeLessThan(300)
  })

  test('is rejected in an input with the expected type, as is an id of another type', async () => {
    const client = await world.environment()
    const [ada] = await subscribers(client, 'ada')
    for (const id of ['ada', ada]) {
      expect(await client.act('deleteEnvironment', { id }, 'deletedId')).toEqual({
        deletedId: null,
        userErrors: [
          {
            code: 'BAD_USER_INPUT',
            message: 'id must be a node id of the type Environment',
            field: ['id'],
          },
        ],
      })
    }
  })
})

describe('mutations that take a node id', () => {
  /** All mutation input fields that hold node ids. */
  const fields = Object.keys(schema.getMutationType()?.getFields() ?? {}).flatMap((mutation) => {
    const input = schema.getType(`${mutation.charAt(0).toUpperCase()}${mutation.slice(1)}Input`)
    if (!isInputObjectType(input)) throw new Error(`${mutation} has no input`)
    return Object.values(input.getFields())
      .map(({ name, type }) => ({ mutation, name, type: String(type) }))
      .filter(({ type }) => /\bID\b/.test(type))
  })

  const isMutation = (name: string) => schema.getMutationType()?.getFields()[name] !== undefined

  /** The other required input fields of each mutation. */
  const others: Readonly<Record<string, object>> = {
    ...Object.fromEntries(addresses.map(({ operation, others = {} }) => [operation, others])),
    cancelWorkflowRun: {},
    createApiKey: { name: 'Backend' },
    createChannelConnection: { workspace: { externalId: 'T1' }, auth: { accessToken: 'xoxb-1' } },
    createChannelEndpoint: { subscriberId: 'ada', endpoint: { toolWebhook: { url: 'https://example.com/hook' } } },
    createEnvironment: { name: 'Staging', color: '#123456' },
    createPreferenceLink: {},
    createSuppression: { channel: 'EMAIL', address: 'ada@example.com' },
    deleteNotification: {},
    deleteNotifications: { subscriberId: 'ada' },
    deleteSuppression: {},
    markNotification: { as: 'READ' },
    markNotifications: { subscriberId: 'ada', as: 'READ' },
    openDashboardSession: {},
    completeNotificationAction: { action: 'PRIMARY' },
    revertNotificationAction: { action: 'PRIMARY' },
    snoozeNotification: { until: '2030-01-01T00:00:00Z' },
    unsnoozeNotification: {},
    retryDelivery: {},
    retryWebhookDelivery: {},
    retryWorkflowRun: {},
    revokeApiKey: {},
    updateEnvironment: { id: nodeId(`Environment:${noRow}`) },
  }

  test('are all covered by this test', () => {
    expect([...new Set(fields.map(({ mutation }) => mutation))].toSorted()).toEqual(
      Object.keys(others).filter(isMutation).toSorted(),
    )
  })

  describe.each(fields)('$mutation', ({ mutation, name, type }) => {
    test.each([
      ['malformed', 'ada'],
      ['of another type', nodeId(`Erasure:${noRow}`)],
    ])(`has a user error for \`${name}\` if the id is %s`, async (_case, id) => {
      const given = { ...others[mutation], [name]: type.startsWith('[') ? [id] : id }
      expect(await world.development.act(mutation, given)).toEqual({
        userErrors: [
          {
            code: 'BAD_USER_INPUT',
            message: expect.stringMatching(`^${name} must be a node id of the type [A-Z][A-Za-z]+$`) as unknown,
            field: [name],
          },
        ],
      })
    })
  })
})
