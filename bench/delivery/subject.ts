// The measured gateway: an environment with a workflow of one in-app step and a topic with many subscribers.
import { setTimeout as pause } from 'node:timers/promises'
import type pg from 'pg'
import type { DatabaseLocation } from '../../src/data/driver/database-location.ts'
import { writeApiKey } from '../../src/domain/access/api-key.ts'
import { writeEnvironment } from '../../src/domain/access/new-environment.ts'
import type { Gateway } from '../../src/domain/resolver/scope.ts'
import { newId } from '../../src/lib/new-id.ts'
import { portions } from '../support/portions.ts'
import { openUnlimitedGateway } from '../support/unlimited-gateway.ts'

export const WORKFLOW = 'news'
export const TOPIC = 'all'

/** Rows per request. */
const ROWS = { subscribers: 500, subscriptions: 100, events: 100 } as const

/** Triggers before the measurements. */
const WARM_UP = 500

/** The statement with which a subject inspects the queue. It is not counted as one of the gateway's. */
export const QUEUE_PROBE =
  "SELECT 1 FROM jobs WHERE environment_id = $1 AND available_at < now() + interval '1 hour' LIMIT 1"

export interface Subject {
  readonly environmentId: string
  readonly pool: pg.Pool
  readonly subscriberIds: readonly string[]
  /** Sends a request. @throws Error if the response is not a success. */
  readonly post: (path: string, body: object, headers?: Record<string, string>) => Promise<Response>
  /** True if anything triggered is not delivered yet. */
  isDelivering(): Promise<boolean>
  /** Resolves when everything triggered has been delivered. */
  delivered(): Promise<void>
  close(): Promise<void>
}

/** Creates an organization with one environment and an API key. */
async function furnish(gateway: Gateway) {
  const [organizationId, userId, createdAt] = [newId(), newId(), gateway.now()]
  await gateway.db.organization.create({ data: { id: organizationId, name: 'Bench', createdAt } })
  await gateway.db.user.create({ data: { id: userId, organizationId, name: 'Bench', createdAt } })
  const base = { organizationId, name: 'Bench', color: '#059669', type: 'dev', parentId: null } as const
  const first = { ...base, sending: 'live' } as const
  const { id: environmentId } = await writeEnvironment(gateway, first)
  const { key } = await writeApiKey(gateway, { environmentId, userId, name: 'Bench' })
  return { key, organizationId, environmentId }
}

/** Opens a gateway on a database, fills an environment of its own, and starts the worker. */
export async function openSubject(location: DatabaseLocation, subscribers: number): Promise<Subject> {
  const gateway = await openUnlimitedGateway(location)
  const { app, database } = gateway
  const { pool } = database
  const { key, organizationId, environmentId } = await furnish(gateway.shared)
  const subscriberIds = Array.from({ length: subscribers }, (_, index) => `subscriber-${index}`)

  const post: Subject['post'] = async (path, body, headers) => {
    const text = JSON.stringify(body)
    const common = {
      'content-type': 'application/json',
      // The way HTTP clients send a body that is already in memory.
      'content-length': String(Buffer.byteLength(text)),
      authorization: `ApiKey ${key}`,
    }
    const url = `http://gateway.bench${path}`
    const response = await app.fetch(
      new Request(url, { method: 'POST', headers: { ...common, ...headers }, body: text }),
    )
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
    return response
  }

  const steps = [{ type: 'in_app', body: 'Hello {{subscriber.subscriberId}}' }]
  await post('/v2/workflows', { identifier: WORKFLOW, name: 'News', steps })
  for (const portion of portions(subscriberIds, ROWS.subscribers)) {
    await post('/v1/subscribers/bulk', { subscribers: portion.map((subscriberId) => ({ subscriberId })) })
  }
  for (const portion of portions(subscriberIds, ROWS.subscriptions)) {
    const subscriptions = portion.map((subscriberId) => ({ subscriberId }))
    await post(`/v2/topics/${TOPIC}/subscriptions`, { subscriptions })
  }
  await gateway.start()
  const isDelivering = async () => (await pool.query(QUEUE_PROBE, [environmentId])).rows.length > 0
  const delivered = async () => {
    while (await isDelivering()) await pause(10)
  }
  for (const portion of portions(subscriberIds.slice(0, WARM_UP), ROWS.events)) {
    await post('/v1/events/trigger/bulk', { events: portion.map((to) => ({ name: WORKFLOW, to })) })
  }
  await delivered()
  // Autovacuum does this within a minute or two after such growth. Without it, plans would be those for empty tables.
  await pool.query('ANALYZE')
  return {
    environmentId,
    pool,
    subscriberIds,
    post,
    isDelivering,
    delivered,
    async close() {
      // Environments go first: their API keys refer to the user who created them.
      await database.client.environment.deleteMany({ where: { organizationId } })
      await database.client.organization.delete({ where: { id: organizationId } })
      await gateway.close()
    },
  }
}
