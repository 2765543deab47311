// Fields that a caller may not read: each is nullable, so that what is beside it survives. Generated for every kind of
// restricted caller, from the permissions of the resolvers.
import {
  getNamedType,
  type GraphQLField,
  isAbstractType,
  isNonNullType,
  isObjectType,
  type GraphQLObjectType,
} from 'graphql'
import { describe, expect, test } from 'vitest'
import {
  type Permission,
  permissionsOf,
  permissionsOfAnonymousCaller,
  permissionsOfPublicCaller,
  permissionsOfSession,
} from '../../src/domain/resolver/permission.ts'
import { schema } from '../../src/graphql/graph/schema.ts'
import { resolverOf } from '../../src/graphql/schema/resolver-extension.ts'
import { browserOf, publicCallerOf, sign } from '../support/browser.ts'
import { createWorkflow, trigger } from '../support/delivery/story.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()

/** The permissions of each kind of caller. A dashboard session has those of an API key. */
const callers = {
  'an API key or a dashboard session with the access READ_ONLY': permissionsOf.read_only,
  'a browser session': permissionsOfSession.full,
  'a browser session of a READ_ONLY key': permissionsOfSession.read_only,
  'a public caller': permissionsOfPublicCaller,
  'a request without credentials': permissionsOfAnonymousCaller,
} as const satisfies Readonly<Record<string, ReadonlySet<Permission>>>

/**
 * Fields of the session that a sign-in opens. Their objects are known from the sign-in, which a caller without credentials
 * may read. It cannot read its rights before it uses the token, which is beside the session and survives.
 */
const ofSignIn: ReadonlySet<string> = new Set([
  'DashboardSession.environment',
  'Environment.viewerCanAdminister',
  'Environment.viewerCanDelete',
])

/** Callers that access rows of their own only. Resolvers without an owner reject them. */
const owners: ReadonlySet<ReadonlySet<Permission>> = new Set(Object.values(permissionsOfSession))

type Field = GraphQLField<unknown, unknown>

function isRejected(field: Field, permissions: ReadonlySet<Permission>): boolean {
  const definition = resolverOf(field)?.definition
  if (definition === undefined) return false
  const isOwnerless = 'owner' in definition && definition.owner === null
  return !permissions.has(definition.permission) || (isOwnerless && owners.has(permissions))
}

interface Forbidden {
  readonly coordinate: string
  readonly field: Field
}

const objectsOf = (field: Field): readonly GraphQLObjectType[] => {
  const type = getNamedType(field.type)
  if (isAbstractType(type)) return schema.getPossibleTypes(type)
  return isObjectType(type) ? [type] : []
}

/**
 * The fields that a caller with these permissions comes to, without deprecated fields, and may not read. Fields of Query,
 * Mutation and Subscription are left out: they are operations of which the caller can make none.
 */
function forbiddenTo(permissions: ReadonlySet<Permission>): { forbidden: readonly Forbidden[]; reached: number } {
  const reached = new Set<GraphQLObjectType>()
  const forbidden: Forbidden[] = []
  const visit = (type: GraphQLObjectType, isRoot: boolean): void => {
    if (reached.has(type)) return
    reached.add(type)
    for (const field of Object.values(type.getFields())) {
      if (field.deprecationReason != null) continue
      const coordinate = `${type.name}.${field.name}`
      if (isRejected(field, permissions) && !ofSignIn.has(coordinate)) {
        if (!isRoot) forbidden.push({ coordinate, field })
      } else if (resolverOf(field) !== undefined || !isRoot) for (const object of objectsOf(field)) visit(object, false)
    }
  }
  for (const root of [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()]) {
    if (root) visit(root, true)
  }
  return { forbidden, reached: reached.size }
}

describe.each(Object.entries(callers))('%s', (_name, permissions) => {
  test('comes only to nullable fields that it may not read', () => {
    const { forbidden, reached } = forbiddenTo(permissions)
    expect(reached).toBeGreaterThan(5)
    const losing = forbidden.filter(({ field }) => isNonNullType(field.type))
    expect(losing.map(({ coordinate }) => coordinate)).toEqual([])
  })
})

test('the search finds fields that a browser session may not read', () => {
  const { forbidden } = forbiddenTo(permissionsOfSession.full)
  expect(forbidden.map(({ coordinate }) => coordinate)).toEqual(
    expect.arrayContaining(['Notification.event', 'Notification.recipient', 'Notification.feedContexts']),
  )
})

test('a browser session that selects what it may not read keeps its notification', async () => {
  const acme = await world.environment()
  await createWorkflow(acme, [{ inApp: { body: 'Hello' } }])
  await trigger(acme)
  await world.work()
  const browser = await browserOf(world, acme, 'ada')
  const { data, errors } = await browser.send(`{
    session { notifications { nodes {
      body subscriberId contextKeys
      recipient { email } feedContexts { data } event { id } workflow { id } step { stepId }
    } } }
  }`)
  const unread = { recipient: null, feedContexts: null, event: null, workflow: null, step: null }
  expect(data).toEqual({
    session: { notifications: { nodes: [{ body: 'Hello', subscriberId: 'ada', contextKeys: [], ...unread }] } },
  })
  expect(new Set(errors.map(({ extensions }) => extensions?.['code']))).toEqual(new Set(['FORBIDDEN']))
  expect(errors).toHaveLength(Object.keys(unread).length)
  const { notifications } = (
    await acme.ask<{ subscriber: { notifications: { nodes: readonly object[] } } }>(
      `{ subscriber(subscriberId: "ada") { notifications { nodes { recipient { subscriberId } feedContexts { key } } } } }`,
    )
  ).subscriber
  expect(notifications.nodes).toEqual([{ recipient: { subscriberId: 'ada' }, feedContexts: [] }])
})

test('a public caller reads the session that it opened, under a type without what it may not read', async () => {
  const acme = await world.environment()
  const caller = await publicCallerOf(world, acme)
  const hashes = { subscriberHash: sign('ada', acme) }
  const { openedSession, session } = await caller.act(
    'openSession',
    { subscriberId: 'ada', ...hashes },
    'openedSession { subscriberId contextKeys expiresAt } session { subscriberId }',
  )
  expect(openedSession).toEqual({ subscriberId: 'ada', contextKeys: [], expiresAt: expect.any(String) })
  expect(session).toEqual({ subscriberId: 'ada' })
})
