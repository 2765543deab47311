// The bare server of the read benchmark: `node:http` and `pg`. It answers each case like the gateway, with one
// statement written for it, but without callers, limits or other requests.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { openDatabase } from '../../src/data/connection/database.ts'
import { type DatabaseLocation } from '../../src/data/driver/database-location.ts'
import { encodeNodeId } from '../../src/graphql/schema/node-id.ts'
import { cursorsOf } from '../../src/lib/cursor.ts'
import { groupBy } from '../../src/lib/group-by.ts'
import { newId } from '../../src/lib/new-id.ts'
import {
  type CaseName,
  CONTEXT,
  deepSubscriber,
  PAGE,
  READ_SUBSCRIBER,
  type Scale,
  type SubscriberInput,
} from './cases.ts'
import { ENVIRONMENT } from './prepare.ts'

/** The first message to this process, which responds with its port. */
export interface BareServer {
  readonly location: DatabaseLocation
  readonly scale: Scale
}

/** The body of a request, in GraphQL with `variables`. */
interface Sent extends SubscriberInput {
  readonly variables: { readonly input: SubscriberInput; readonly subscribers: readonly SubscriberInput[] }
}

interface Row {
  readonly id: string
  readonly createdAt: Date
}

interface Subscriber extends Row {
  readonly subscriberId: string
  readonly firstName: string | null
  readonly lastName: string | null
  readonly email: string | null
  readonly data: unknown
}

/** A subscriber as REST shows it. */
interface FullSubscriber extends Subscriber {
  readonly phone: string | null
  readonly avatar: string | null
  readonly locale: string | null
  readonly timezone: string | null
  readonly updatedAt: Date
  readonly channels: readonly unknown[]
}

/** One subscription of a subscriber, or none. */
interface NestedRow extends Row {
  readonly subscriberId: string
  readonly subscriptionId: string | null
  readonly contextKeys: readonly string[]
  readonly subscribedAt: Date
  readonly topicId: string
  readonly key: string
  readonly name: string
}

interface Endpoint extends Row {
  readonly identifier: string
  readonly channel: string
  readonly providerId: string
  readonly integrationIdentifier: string
  readonly connectionIdentifier: string | null
  readonly subscriberId: string
  readonly contextKeys: readonly string[]
  readonly type: string
  readonly endpoint: object
  readonly updatedAt: Date
}

const profile = `id, subscriber_id AS "subscriberId", first_name AS "firstName", last_name AS "lastName", email, data,
  created_at AS "createdAt"`
const fullProfile = `${profile}, phone, avatar, locale, timezone, updated_at AS "updatedAt", (
  SELECT coalesce(json_agg(credential), '[]') FROM subscriber_credentials AS credential
  WHERE credential.environment_id = subscribers.environment_id
    AND credential.subscriber_id = subscribers.subscriber_id) AS channels`
const upsert = `INSERT INTO subscribers
  (environment_id, id, subscriber_id, first_name, email, data, created_at, updated_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $7)
  ON CONFLICT (environment_id, subscriber_id) DO UPDATE SET first_name = excluded.first_name, email = excluded.email,
    data = excluded.data, updated_at = excluded.updated_at`
const endpoints = 'FROM channel_endpoints WHERE environment_id = $1 AND context_keys = $2'

const statements = {
  environment: `SELECT id, organization_id AS "organizationId" FROM environments WHERE name = $1`,
  list: `SELECT ${profile} FROM subscribers WHERE environment_id = $1 ORDER BY created_at, id LIMIT $2`,
  deep: `SELECT ${profile} FROM subscribers WHERE environment_id = $1 AND (created_at, id) > ($3, $4)
    ORDER BY created_at, id LIMIT $2`,
  nested: `SELECT subscriber.id, subscriber.subscriber_id AS "subscriberId", subscriber.created_at AS "createdAt",
      subscription.id AS "subscriptionId", subscription.context_keys AS "contextKeys",
      subscription.created_at AS "subscribedAt", topic.id AS "topicId", topic.key, topic.name
    FROM (SELECT * FROM subscribers WHERE environment_id = $1 ORDER BY created_at, id LIMIT $2) AS subscriber
    LEFT JOIN LATERAL (SELECT * FROM topic_subscriptions
      WHERE environment_id = $1 AND subscriber_id = subscriber.subscriber_id
      ORDER BY created_at, id LIMIT $3) AS subscription ON true
    LEFT JOIN topics AS topic ON topic.environment_id = $1 AND topic.key = subscription.topic_key
    ORDER BY subscriber.created_at, subscriber.id, subscription.created_at, subscription.id`,
  endpoints: `SELECT id, identifier, channel, provider_id AS "providerId",
      integration_identifier AS "integrationIdentifier", connection_identifier AS "connectionIdentifier",
      subscriber_id AS "subscriberId", context_keys AS "contextKeys", type, endpoint, created_at AS "createdAt",
      updated_at AS "updatedAt"
    ${endpoints} ORDER BY created_at, id LIMIT $3`,
  countEndpoints: `SELECT count(*)::int AS count ${endpoints}`,
  subscriber: `SELECT ${fullProfile} FROM subscribers WHERE environment_id = $1 AND subscriber_id = $2`,
  upsert: `${upsert} RETURNING ${profile}`,
  upsertFull: `${upsert} RETURNING ${fullProfile}`,
  bulk: `INSERT INTO subscribers (environment_id, id, subscriber_id, first_name, email, data, created_at, updated_at)
    SELECT $1, id, subscriber_id, first_name, email, data, $7, $7
    FROM unnest($2::uuid[], $3::text[], $4::text[], $5::text[], $6::jsonb[]) AS
      item (id, subscriber_id, first_name, email, data)
    ON CONFLICT (environment_id, subscriber_id) DO NOTHING`,
} as const satisfies Record<string, string>

const pascalCase = (name: string) => name.replaceAll(/(?:^|_)(.)/g, (_match, letter: string) => letter.toUpperCase())

/** Opens the database. @returns the responders, by case. */
async function openAnswers({ location, scale }: BareServer) {
  const { pool } = await openDatabase(location)
  const query = async <Found extends object>(name: keyof typeof statements, values: readonly unknown[]) => {
    const { rows } = await pool.query<Found>({ name, text: statements[name], values: [...values] })
    return rows
  }
  const one = async <Found extends object>(name: keyof typeof statements, values: readonly unknown[]) => {
    const [row] = await query<Found>(name, values)
    if (row === undefined) throw new Error(`${name} found nothing`)
    return row
  }

  const { id: environmentId, organizationId } = await one<{ id: string; organizationId: string }>('environment', [
    ENVIRONMENT,
  ])
  const { createdAt: deepAt, id: deepId } = await one<FullSubscriber>('subscriber', [
    environmentId,
    deepSubscriber(scale),
  ])
  const { count: totalCount } = await one<{ count: number }>('countEndpoints', [environmentId, [CONTEXT]])

  const cursorOf = (name: string) => {
    const cursors = cursorsOf({ name, ownerId: environmentId }, 'createdAt')
    return ({ createdAt: at, id }: { createdAt: Date; id: string }) => cursors.encode({ at, id })
  }
  const [subscriberCursor, subscriptionCursor, endpointCursor] = [
    cursorOf('subscribers'),
    cursorOf('topicSubscriptions'),
    cursorOf('channelEndpoints'),
  ]
  const showSubscriber = ({ id, subscriberId, firstName, lastName, email, data, createdAt }: Subscriber) => {
    return { id: encodeNodeId('Subscriber', id), subscriberId, firstName, lastName, email, data, createdAt }
  }
  /** The rows of a page, and whether there are more. */
  const cut = <Found>(rows: readonly Found[], size: number) => {
    return { shown: rows.slice(0, size), hasNextPage: rows.length > size }
  }
  const subscribersPage = (rows: readonly Subscriber[], hasPreviousPage: boolean) => {
    const { shown, hasNextPage } = cut(rows, PAGE.subscribers)
    const edges = shown.map((row) => ({ cursor: subscriberCursor(row), node: showSubscriber(row) }))
    const pageInfo = { hasNextPage, hasPreviousPage, startCursor: edges[0]?.cursor, endCursor: edges.at(-1)?.cursor }
    return { data: { subscribers: { edges, pageInfo } } }
  }
  /** The rows of one subscriber. */
  const showNested = (rows: readonly NestedRow[]) => {
    const { shown, hasNextPage } = cut(rows, PAGE.subscriptions)
    const last = shown.at(-1)
    const edges = shown.map(({ subscriptionId, contextKeys, subscribedAt: createdAt, topicId, key, name }) => {
      const topic = { id: encodeNodeId('Topic', topicId), key, name }
      return { node: { id: encodeNodeId('TopicSubscription', subscriptionId ?? ''), contextKeys, createdAt, topic } }
    })
    const endCursor = last && subscriptionCursor({ createdAt: last.subscribedAt, id: last.subscriptionId ?? '' })
    return { edges, pageInfo: { hasNextPage, endCursor } }
  }
  const readEndpoints = async () => {
    const rows = await query<Endpoint>('endpoints', [environmentId, [CONTEXT], PAGE.endpoints + 1])
    const { shown, hasNextPage } = cut(rows, PAGE.endpoints)
    const last = shown.at(-1)
    return { shown, hasNextPage, endCursor: last && endpointCursor(last) }
  }
  const showFull = ({ id, subscriberId, createdAt, updatedAt, channels, data, ...fields }: FullSubscriber) => {
    const { firstName, lastName, email, phone, avatar, locale, timezone } = fields
    const given = { firstName, lastName, email, phone, avatar, locale, timezone }
    return {
      ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null)),
      ...{ _id: id, subscriberId, _organizationId: organizationId, _environmentId: environmentId },
      ...{ data, channels, isOnline: false, deleted: false, createdAt, updatedAt },
    }
  }
  const written = ({ subscriberId, firstName, email, data }: SubscriberInput) =>
    [environmentId, newId(), subscriberId, firstName, email, JSON.stringify(data), new Date()] as const

  return {
    typename: async () => ({ data: { __typename: 'Query' } }),
    list: async () => subscribersPage(await query('list', [environmentId, PAGE.subscribers + 1]), false),
    deep: async () => subscribersPage(await query('deep', [environmentId, PAGE.subscribers + 1, deepAt, deepId]), true),
    async nested() {
      const sizes = [PAGE.subscribers + 1, PAGE.subscriptions + 1]
      const rows = await query<NestedRow>('nested', [environmentId, ...sizes])
      const { shown, hasNextPage } = cut([...groupBy(rows, ({ id }) => id).values()], PAGE.subscribers)
      const edges = shown.flatMap((own) => {
        const [first] = own
        if (first === undefined) return []
        const { id, subscriberId } = first
        const topicSubscriptions = showNested(own.filter(({ subscriptionId }) => subscriptionId !== null))
        return { node: { id: encodeNodeId('Subscriber', id), subscriberId, topicSubscriptions } }
      })
      const last = shown.at(-1)?.[0]
      const endCursor = last && subscriberCursor(last)
      return { data: { subscribers: { edges, pageInfo: { hasNextPage, endCursor } } } }
    },
    async endpoints() {
      const { shown, ...pageInfo } = await readEndpoints()
      const edges = shown.map((row) => {
        const { id, subscriberId, type, contextKeys, createdAt } = row
        const endpoint = { __typename: pascalCase(type), ...row.endpoint }
        const names = { id: encodeNodeId('ChannelEndpoint', id), subscriberId, type: type.toUpperCase() }
        return { cursor: endpointCursor(row), node: { ...names, endpoint, contextKeys, createdAt } }
      })
      return { data: { channelEndpoints: { edges, pageInfo } } }
    },
    async upsert({ variables }) {
      const subscriber = showSubscriber(await one<Subscriber>('upsert', written(variables.input)))
      return { data: { upsertSubscriber: { subscriber, userErrors: [] } } }
    },
    async bulk({ variables: { subscribers } }) {
      const columns = [
        subscribers.map(() => newId()),
        subscribers.map(({ subscriberId }) => subscriberId),
        subscribers.map(({ firstName }) => firstName),
        subscribers.map(({ email }) => email),
        subscribers.map(({ data }) => JSON.stringify(data)),
      ]
      await query('bulk', [environmentId, ...columns, new Date()])
      return { data: { createSubscribers: { failed: [], userErrors: [] } } }
    },
    restSubscriber: async () => showFull(await one('subscriber', [environmentId, READ_SUBSCRIBER])),
    async restEndpoints() {
      const { shown, endCursor } = await readEndpoints()
      const data = shown.map(({ id: _id, ...row }) => row)
      return { data, next: endCursor, previous: null, totalCount, totalCountCapped: false }
    },
    restUpsert: async (input) => showFull(await one('upsertFull', written(input))),
  } satisfies Record<CaseName, (sent: Sent) => Promise<object>>
}

async function serve(options: BareServer): Promise<void> {
  const answers: Record<string, (sent: Sent) => Promise<object>> = await openAnswers(options)
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const sent: unknown = JSON.parse(Buffer.concat(chunks).toString() || '{}')
      const answer = answers[request.url?.slice(1) ?? '']
      answer?.(sent as Sent).then(
        (found) => {
          const body = Buffer.from(JSON.stringify(found))
          response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body)
        },
        (error: unknown) => response.writeHead(500).end(String(error)),
      )
    })
  })
  server.listen(0, '127.0.0.1', () => {
    process.send?.((server.address() as AddressInfo).port)
  })
}

process.once('message', (options: BareServer) => void serve(options))
