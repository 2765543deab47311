// The scope of a session: its own data and nothing else, in GraphQL and REST.
import { getNamedType, type GraphQLObjectType, isCompositeType, isNonNullType, isObjectType } from 'graphql'
import { beforeAll, describe, expect, test } from 'vitest'
import { decodeNodeId, encodeNodeId } from '../../src/graphql/schema/node-id.ts'
import { schema } from '../../src/graphql/graph/schema.ts'
import type { Method } from '../../src/rest/route.ts'
import { table } from '../../src/rest/routes/table.ts'
import { anyValue } from '../support/any-value.ts'
import { browserOf, publicCallerOf } from '../support/browser.ts'
import { ada, furnish, type Furnished } from '../support/furnish.ts'
import { type Client, useWorld } from '../support/world.ts'

const world = useWorld()
let adas: Furnished
let browser: Client
let publicCaller: Client

beforeAll(async () => {
  adas = await furnish(world, await world.environment(), ada)
  // As if she had followed the link of a message.
  const messageId = decodeNodeId(adas.ids['Delivery'] ?? '').id
  await world.database.pool.query('UPDATE preference_changes SET delivery_id = $1', [messageId])
  browser = await browserOf(world, adas.client, ada.subscriberId, { tenant: ada.tenant })
  publicCaller = await publicCallerOf(world, adas.client)
  await browser.act('subscribeToTopic', { ...ownSubscription, preferences: [{ workflowIdentifier: 'order-shipped' }] })
})

const forbidden = { extensions: { code: 'FORBIDDEN' } }

const ownSubscription = {
  ...{ subscriberId: ada.subscriberId, contextKeys: [`tenant:${ada.tenant}`] },
  ...{ topicKey: 'page', identifier: 'mine' },
}

/** The mutations that a session may call, each with input from its own scope. */
const ownMutations: Readonly<Record<string, () => object>> = {
  updateSubscriberPreferences: () => ({
    subscriberId: ada.subscriberId,
    contexts: [{ type: 'tenant', identifier: ada.tenant }],
  }),
  updatePreferences: () => ({
    preferences: [{ subscriberId: ada.subscriberId, contexts: [{ type: 'tenant', identifier: ada.tenant }] }],
  }),
  subscribeToTopic: () => ownSubscription,
  updateOwnTopicSubscription: () => ({ ...ownSubscription, name: 'Mine' }),
  updateOwnSubscriptionPreferences: () => ({
    ...ownSubscription,
    preferences: [{ workflowIdentifier: 'order-shipped', enabled: true }],
  }),
  // Other tests need the subscription.
  unsubscribeFromTopic: () => ({ ...ownSubscription, identifier: 'nothing' }),
  markNotification: () => ({ id: adas.ids['Notification'], as: 'READ' }),
  markNotifications: () => ({ subscriberId: ada.subscriberId, contextKeys: [`tenant:${ada.tenant}`], as: 'SEEN' }),
  snoozeNotification: () => ({ id: adas.ids['Notification'], until: new Date(Date.now() + 60_000) }),
  completeNotificationAction: () => ({ id: adas.ids['Notification'], action: 'PRIMARY' }),
  revertNotificationAction: () => ({ id: adas.ids['Notification'], action: 'PRIMARY' }),
  unsnoozeNotification: () => ({ id: adas.ids['Notification'] }),
  // Other tests need the notification.
  deleteNotification: () => ({ id: encodeNodeId('Notification', world.gateway.newId()) }),
  deleteNotifications: () => ({
    subscriberId: ada.subscriberId,
    contextKeys: [`tenant:${ada.tenant}`],
    filter: { archived: true },
  }),
}

/** The edges that a session may follow. */
const ownEdges: ReadonlySet<string> = new Set([
  'Session.notifications',
  'NotificationConnection.edges',
  'NotificationEdge.node',
  'NotificationConnection.nodes',
  'NotificationConnection.pageInfo',
  'Notification.actions',
  'Session.notificationCounts',
  'NotificationCounts.unreadBySeverity',
  'Session.topicSubscriptions',
  'Session.topicSubscription',
  'OwnTopicSubscription.preferences',
  'OwnTopicSubscriptionPreference.workflows',
  'SubscribeToTopicPayload.ownTopicSubscription',
  'SubscribeToTopicPayload.userErrors',
  'UpdateOwnTopicSubscriptionPayload.ownTopicSubscription',
  'UpdateOwnTopicSubscriptionPayload.userErrors',
  'UpdateOwnSubscriptionPreferencesPayload.ownTopicSubscription',
  'UpdateOwnSubscriptionPreferencesPayload.userErrors',
  'UnsubscribeFromTopicPayload.userErrors',
  'Session.preferences',
  'Session.preferenceChanges',
  'PreferenceChangeConnection.edges',
  'PreferenceChangeConnection.nodes',
  'PreferenceChangeConnection.pageInfo',
  'PreferenceChangeEdge.node',
  'SubscriberPreferences.schedule',
  'SubscriberSchedule.days',
  'DaySchedule.hours',
  'SubscriberPreferences.categories',
  'CategoryPreference.category',
  'CategoryPreference.channels',
  'SubscriberPreferences.channels',
  'SubscriberPreferences.schedule',
  'SubscriberSchedule.days',
  'DaySchedule.hours',
  'SubscriberPreferences.usedChannels',
  'SubscriberPreferences.workflowPreferences',
  'WorkflowPreferenceConnection.edges',
  'WorkflowPreferenceConnection.nodes',
  'WorkflowPreferenceConnection.pageInfo',
  'WorkflowPreferenceEdge.node',
  'WorkflowPreference.workflow',
  'WorkflowPreference.channels',
  'SubscriberPreferences.workflows',
  'WorkflowChannelPreferences.channels',
  'UpdateSubscriberPreferencesPayload.preferences',
  'UpdateSubscriberPreferencesPayload.userErrors',
  'UpdatePreferencesPayload.preferences',
  'UpdatePreferencesPayload.failed',
  'PreferenceFailure.errors',
  'UpdatePreferencesPayload.userErrors',
  'MarkNotificationPayload.notification',
  'MarkNotificationPayload.userErrors',
  'MarkNotificationsPayload.counts',
  'MarkNotificationsPayload.userErrors',
  'CompleteNotificationActionPayload.notification',
  'CompleteNotificationActionPayload.userErrors',
  'RevertNotificationActionPayload.notification',
  'RevertNotificationActionPayload.userErrors',
  'SnoozeNotificationPayload.notification',
  'SnoozeNotificationPayload.userErrors',
  'UnsnoozeNotificationPayload.notification',
  'UnsnoozeNotificationPayload.userErrors',
  'DeleteNotificationPayload.userErrors',
  'DeleteNotificationsPayload.counts',
  'DeleteNotificationsPayload.userErrors',
])

/** The REST routes that a session may call. */
const ownRows: ReadonlySet<string> = new Set([
  'get /v2/subscribers/{subscriberId}/notifications',
  'get /v2/subscribers/{subscriberId}/notifications/count',
  'patch /v2/subscribers/{subscriberId}/notifications/{id}/read',
  'patch /v2/subscribers/{subscriberId}/notifications/{id}/unread',
  'patch /v2/subscribers/{subscriberId}/notifications/{id}/archive',
  'patch /v2/subscribers/{subscriberId}/notifications/{id}/unarchive',
  ...['primary/complete', 'primary/revert', 'secondary/complete', 'secondary/revert'].map(
    (change) => `patch /v2/subscribers/{subscriberId}/notifications/{id}/actions/${change}`,
  ),
  'patch /v2/subscribers/{subscriberId}/notifications/{id}/snooze',
  'patch /v2/subscribers/{subscriberId}/notifications/{id}/unsnooze',
  'post /v2/subscribers/{subscriberId}/notifications/read',
  'post /v2/subscribers/{subscriberId}/notifications/archive',
  'post /v2/subscribers/{subscriberId}/notifications/seen',
  'post /v2/subscribers/{subscriberId}/notifications/delete',
  'delete /v2/subscribers/{subscriberId}/notifications/{id}',
  'get /v2/subscribers/{subscriberId}/preferences',
  'patch /v2/subscribers/{subscriberId}/preferences',
  'get /v2/subscribers/{subscriberId}/preferences/changes',
  'patch /v2/subscribers/{subscriberId}/preferences/bulk',
])

type Root = 'Query' | 'Mutation' | 'Subscription'

const rootFields = (root: Root) => Object.values((schema.getType(root) as GraphQLObjectType).getFields())

/** An operation that selects only `__typename` of one root field. */
function operationOn(root: Root, name: string) {
  const field = rootFields(root).find((one) => one.name === name)
  const args = field?.args.filter(({ type }) => isNonNullType(type)) ?? []
  const selection = field && isCompositeType(getNamedType(field.type)) ? '{ __typename }' : ''
  // The noun of a query is its name. The noun of a mutation follows the verb. An action is part of its notification.
  const named = root === 'Mutation' ? name.replace(/^[a-z]+/, '').replace(/^NotificationAction$/, 'Notification') : name
  const noun = `${named.charAt(0).toUpperCase()}${named.slice(1)}`
  const declared = args.map((arg) => `$${arg.name}: ${String(arg.type)}`).join()
  const passed = args.map((arg) => `${arg.name}: $${arg.name}`).join()
  const query = `${root.toLowerCase()}${args.length > 0 ? `(${declared})` : ''} { ${name}${args.length > 0 ? `(${passed})` : ''} ${selection} }`
  return { query, variables: Object.fromEntries(args.map((arg) => [arg.name, anyValue(arg.type, noun)])) }
}

const namesOf = (root: Root) =>
  rootFields(root)
    .map(({ name }) => name)
    // These require no permission themselves, but the nodes that they find do.
    .filter((name) => name !== 'node' && name !== 'nodes')

describe.each([
  ['a session', () => browser, ['session'], Object.keys(ownMutations), ownRows],
  [
    'a caller who only names the environment',
    () => publicCaller,
    [],
    ['openSession'],
    new Set(['post /v1/inbox/session']),
  ],
])('%s', (_who, who, queries: string[], mutations, rows) => {
  test.each(namesOf('Query').filter((name) => !queries.includes(name)))(
    'gets FORBIDDEN for the query %s',
    async (name) => {
      const { query, variables } = operationOn('Query', name)
      expect((await who().send(query, variables)).errors).toMatchObject([{ ...forbidden, path: [name] }])
    },
  )

  test.each(namesOf('Mutation').filter((name) => !mutations.includes(name)))(
    'gets FORBIDDEN for the mutation %s',
    async (name) => {
      const { query, variables } = operationOn('Mutation', name)
      expect((await who().send(query, variables)).errors).toMatchObject([{ ...forbidden, path: [name] }])
    },
  )

  // For another subscriber, because the stream tests show that a session may follow its own.
  test.each(namesOf('Subscription'))('gets FORBIDDEN for the subscription %s of another subscriber', async (name) => {
    const { query, variables } = operationOn('Subscription', name)
    const stream = await who().follow(query, variables)
    expect(await stream.rest()).toMatchObject([{ errors: [forbidden] }])
  })

  test('gets FORBIDDEN for a node id of any type', async () => {
    for (const [type, id] of Object.entries(adas.ids)) {
      const one = await who().send('query ($id: ID!) { node(id: $id) { id } }', { id })
      expect(one.errors, type).toMatchObject([{ ...forbidden, path: ['node'] }])
      const many = await who().send('query ($id: ID!) { nodes(ids: [$id]) { id } }', { id })
      expect(many.errors, type).toMatchObject([{ ...forbidden, path: ['nodes'] }])
    }
  })

  const nameOf = ({ method, path }: { method: Method; path: string }) => `${method} ${path}`

  test.each(table.filter((row) => !rows.has(nameOf(row))))('gets 403 for $method $path', async (row) => {
    const values: Record<string, string> = { subscriberId: 'ada', providerId: 'fcm' }
    const path = row.path.replaceAll(/\{(\w+)\}/g, (_braces, name: string) => values[name] ?? world.gateway.newId())
    const request = row.example === undefined ? {} : { body: row.example }
    const needed = Object.entries(row.query.shape).filter(([, schema]) => !schema.safeParse(undefined).success)
    const query = new URLSearchParams(needed.map(([name]) => [name, 'a']))
    const target = `${path}${needed.length > 0 ? `?${query}` : ''}` as `/${string}`
    const refused = await who().rest(`${row.method.toUpperCase()} ${target}`, request)
    expect(refused).toMatchObject({
      status: 403,
      body: { message: expect.stringMatching(/lacks the permission|can only access their own/) },
    })
  })
})

/** The edges reachable from a type: all that a session may follow and one step further, each with its path. */
function* edgesFrom(type: GraphQLObjectType, way: readonly string[]): Generator<[coordinate: string, way: string[]]> {
  for (const field of Object.values(type.getFields())) {
    const next = getNamedType(field.type)
    if (!isCompositeType(next)) continue
    const coordinate = `${type.name}.${field.name}`
    yield [coordinate, [...way, field.name]]
    if (isObjectType(next) && ownEdges.has(coordinate)) yield* edgesFrom(next, [...way, field.name])
  }
}

/** The required arguments of fields. */
const argumentsOf: Readonly<Record<string, string>> = {
  topicSubscriptions: '(topicKey: "page")',
  topicSubscription: '(topicKey: "page", identifier: "mine")',
}

const selectionOf = (way: readonly string[]): string =>
  way.reduceRight((inner, name) => `${name}${argumentsOf[name] ?? ''} { ${inner} }`, '__typename')

describe('the edges of a session', () => {
  const session = schema.getType('Session') as GraphQLObjectType
  const edges = [
    ...[...edgesFrom(session, [])].map(([coordinate, way]) => ({
      coordinate,
      query: `{ session { ${selectionOf(way)} } }`,
      inputOf: (): object | undefined => undefined,
    })),
    ...Object.entries(ownMutations).flatMap(([name, inputOf]) => {
      const { type, args } = rootFields('Mutation').find((field) => field.name === name) ?? {}
      if (type === undefined) throw new Error(`there is no mutation ${name}`)
      return [...edgesFrom(getNamedType(type) as GraphQLObjectType, [])].map(([coordinate, way]) => ({
        coordinate,
        query: `mutation ($input: ${String(args?.[0]?.type)}) { ${name}(input: $input) { ${selectionOf(way)} } }`,
        inputOf,
      }))
    }),
  ]

  test.each(edges.filter(({ coordinate }) => ownEdges.has(coordinate)))('allow $coordinate', async (edge) => {
    expect((await browser.send(edge.query, { input: edge.inputOf() })).errors).toEqual([])
  })

  test.each(edges.filter(({ coordinate }) => !ownEdges.has(coordinate)))('forbid $coordinate', async (edge) => {
    const { errors } = await browser.send(edge.query, { input: edge.inputOf() })
    expect(errors.length).toBeGreaterThan(0)
    for (const error of errors) {
      expect(error).toMatchObject(forbidden)
      expect(error.path?.at(-1)).toBe(edge.coordinate.split('.')[1])
    }
  })

  test('include every edge that the test expects', () => {
    const coordinates = edges.map(({ coordinate }) => coordinate)
    expect([...ownEdges].filter((coordinate) => !coordinates.includes(coordinate))).toEqual([])
  })
})
