// Environments with one entity of each type, under names of their own.
import { z } from 'zod'
import { encryptedColumns } from '../../src/data/secrets/encryption.ts'
import { decodeNodeId, encodeNodeId } from '../../src/graphql/schema/node-id.ts'
import { environmentIdOf } from './environment-id.ts'
import { notify } from './feed.ts'
import type { Client, World } from './world.ts'

/** The names of the entities in an environment. */
export interface Names {
  readonly subscriberId: string
  readonly tenant: string
  readonly integration: string
  readonly endpoint: string
  /** A connection that the endpoint names, and that does not exist: its message fails before a request. */
  readonly connection: string
  /** An existing connection. */
  readonly workspace: string
  readonly category: string
  /** The category of the workflow. */
  readonly usedCategory: string
  readonly workflow: string
  readonly topic: string
  readonly subscription: string
  readonly transaction: string
  readonly webhook: string
}

/** Ada is a customer of Acme. */
export const ada: Names = {
  subscriberId: 'ada',
  tenant: 'acme',
  integration: 'slack',
  endpoint: 'ada-on-slack',
  connection: 'acme-workspace',
  workspace: 'acme-slack',
  category: 'shipping',
  usedCategory: 'parcels',
  workflow: 'order-shipped',
  topic: 'orders',
  subscription: 'ada-in-orders',
  transaction: 'order-1',
  webhook: 'crm',
}

/** Grace is a customer of Globex. */
export const grace: Names = {
  subscriberId: 'grace',
  tenant: 'globex',
  integration: 'chat',
  endpoint: 'grace-on-chat',
  connection: 'globex-workspace',
  workspace: 'globex-slack',
  category: 'billing',
  usedCategory: 'dues',
  workflow: 'invoice-due',
  topic: 'invoices',
  subscription: 'grace-in-invoices',
  transaction: 'invoice-1',
  webhook: 'warehouse',
}

export interface Furnished {
  readonly client: Client
  /** One node id per type. */
  readonly ids: Readonly<Record<string, string>>
}

export const endpointInput = ({ subscriberId, integration, endpoint, connection, tenant }: Names) => ({
  identifier: endpoint,
  subscriberId,
  integrationIdentifier: integration,
  connectionIdentifier: connection,
  contexts: [{ type: 'tenant', identifier: tenant }],
  endpoint: { workspaceChatUser: { userId: `U-${subscriberId}` } },
})

export const connectionInput = ({ subscriberId, integration, workspace, tenant }: Names) => ({
  identifier: workspace,
  subscriberId,
  integrationIdentifier: integration,
  contexts: [{ type: 'tenant', identifier: tenant }],
  workspace: { externalId: `T-${tenant}`, name: tenant },
  auth: { accessToken: `token-of-${tenant}` },
})

export const subscriptionInput = ({ subscriberId, tenant, workflow, topic, subscription }: Names) => ({
  topicKey: topic,
  subscriptions: [{ subscriberId, identifier: subscription }],
  contexts: [{ type: 'tenant', identifier: tenant }],
  preferences: [{ workflowIdentifier: workflow }],
})

/** Stores a text that a person sent. @returns its node id. */
async function receiveText(world: World, client: Client, { integration, subscriberId }: Names): Promise<string> {
  const { db, newId, now } = world.gateway
  const [id, createdAt] = [newId(), now()]
  await db.inboundText.create({
    data: {
      ...{ environmentId: await environmentIdOf(client), id, integrationId: newId(), key: id },
      ...{ integrationIdentifier: integration, fromNumber: '+4915123456789', toNumber: '+15550001' },
      ...{ text: `Hello from ${subscriberId}`, createdAt, updatedAt: createdAt },
    },
  })
  return encodeNodeId('InboundText', id)
}

/** A workflow whose only step sends to the endpoint; the integration has no credentials. */
const workflowInput = ({ workflow, usedCategory }: Names) => ({
  identifier: workflow,
  name: workflow,
  categoryKey: usedCategory,
  steps: [{ chat: { body: 'Hello' } }],
})

export const triggerInput = ({ subscriberId, tenant, workflow, transaction }: Names) => ({
  workflowIdentifier: workflow,
  to: [{ subscriber: { subscriberId } }],
  contexts: [{ type: 'tenant', identifier: tenant }],
  transactionId: transaction,
})

const webhookInput = ({ webhook }: Names) => ({
  identifier: webhook,
  // No such host exists (RFC 6761), and a private address would be rejected.
  url: 'https://webhook.invalid/hook',
  eventTypes: ['MESSAGE_SENT'],
  contextKeys: ['tenant:nobody'],
})

/** Turns off all workflows for the subscriber in the context. */
const preferenceInput = ({ subscriberId, tenant }: Names) => ({
  subscriberId,
  contexts: [{ type: 'tenant', identifier: tenant }],
  enabled: false,
})

const node = z.object({ id: z.string() })
const oneOrMore = z.union([node.transform((one) => [one] as const), z.tuple([node], node)])
const succeeded = z.looseObject({ userErrors: z.tuple([]) })

export async function furnish(world: World, client: Client, names: Names): Promise<Furnished> {
  /** Creates an entity and returns its node id. */
  const make = async (mutation: string, input: Record<string, unknown>, noun: string): Promise<string> => {
    const payload = succeeded.parse(await client.act(mutation, input, `${noun} { id }`))
    return oneOrMore.parse(payload[noun])[0].id
  }
  const { subscriberId, tenant, integration, topic, workflow } = names
  const device = { providerId: 'FCM', integrationIdentifier: integration, credentials: { deviceTokens: ['token'] } }
  const { environment } = await client.ask('{ environment { id } }')
  await client.act('createCategory', { key: names.usedCategory, name: names.usedCategory })
  const { newApiKey } = await client.act('createApiKey', { name: 'Second key' }, 'newApiKey { apiKey { id } }')
  const ids = {
    Environment: environment.id,
    ApiKey: newApiKey.apiKey.id,
    Context: await make('createContext', { type: 'tenant', identifier: tenant, data: { plan: 'pro' } }, 'context'),
    Subscriber: await make('createSubscriber', { subscriberId, channels: [device] }, 'subscriber'),
    Integration: await make('createIntegration', { identifier: integration, providerId: 'SLACK' }, 'integration'),
    ConnectedWorkspace: await make('createChannelConnection', connectionInput(names), 'channelConnection'),
    ChannelEndpoint: await make('createChannelEndpoint', endpointInput(names), 'channelEndpoint'),
    Category: await make('createCategory', { key: names.category, name: names.category }, 'category'),
    Workflow: await make('createWorkflow', workflowInput(names), 'workflow'),
    Topic: await make('createTopic', { key: topic }, 'topic'),
    TopicSubscription: await make('createTopicSubscriptions', subscriptionInput(names), 'topicSubscriptions'),
    // It wants no messages of the furnishing, because it is for another context.
    WebhookSubscription: await make('createWebhookSubscription', webhookInput(names), 'webhookSubscription'),
    Suppression: await make(
      'createSuppression',
      { channel: 'EMAIL', address: `${subscriberId}@example.com`, contexts: [{ type: 'tenant', identifier: tenant }] },
      'suppression',
    ),
    InboundText: await receiveText(world, client, names),
    Attachment: await make('uploadAttachment', { name: `${subscriberId}.txt`, content: 'aGk=' }, 'attachment'),
    Event: await make('triggerEvent', triggerInput(names), 'event'),
    Notification: await notify(world, client, {
      actions: [{ label: 'Approve', url: '/approve' }],
      subscriberId,
      contextKeys: [`tenant:${tenant}`],
      workflowIdentifier: workflow,
    }).then(([id = '']) => id),
  }
  await world.work()
  const { event } = await client.ask(
    'query ($id: String!) { event(transactionId: $id) { runs(first: 1) { nodes { id steps { deliveries { id } } } } } }',
    { id: names.transaction },
  )
  const [run] = event.runs.nodes
  await client.act('triggerEvent', triggerInput(names))
  await world.work()
  const { unprocessedTriggers } = await client.ask('{ unprocessedTriggers(first: 1) { nodes { id } } }')
  await client.act('updateSubscriberPreferences', preferenceInput(names))
  await client.act('updateSubscriberPreferences', {
    ...{ subscriberId, workflowIdentifier: workflow, channels: [{ channel: 'SMS', enabled: false }] },
    contexts: [{ type: 'tenant', identifier: tenant }],
  })
  await client.act('updateSubscriberPreferences', {
    ...{ subscriberId, categoryKey: names.usedCategory, enabled: true },
    contexts: [{ type: 'tenant', identifier: tenant }],
  })
  const webhookDelivery = await make('sendTestWebhook', { identifier: names.webhook }, 'webhookDelivery')
  // Not executed, because the secret does not exist afterwards.
  const erasure = await make('eraseSubscriber', { subscriberId: `former-${subscriberId}` }, 'erasure')
  const executed = { WorkflowRun: run.id, Delivery: run.steps[0].deliveries[0].id }
  const [repeated] = unprocessedTriggers.nodes
  return {
    client,
    ids: { ...ids, ...executed, Erasure: erasure, UnprocessedTrigger: repeated.id, WebhookDelivery: webhookDelivery },
  }
}

interface Table {
  readonly name: string
  /** All columns except the environment id and generated ones. */
  readonly columns: string
}

const tablesOf = new WeakMap<World, Promise<readonly Table[]>>()

/** Returns the tenant tables. */
function tenantTables(world: World): Promise<readonly Table[]> {
  const known = tablesOf.get(world)
  if (known !== undefined) return known
  const read = world.database.pool
    .query<Table>(
      `SELECT relname AS name, string_agg(quote_ident(attname), ', ') FILTER (WHERE attgenerated = '') AS columns
       FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid
       WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND attnum > 0 AND NOT attisdropped
         AND attname <> 'environment_id'
         AND EXISTS (SELECT FROM pg_attribute WHERE attrelid = pg_class.oid AND attname = 'environment_id')
       GROUP BY relname`,
    )
    .then(({ rows }) => rows)
  tablesOf.set(world, read)
  return read
}

const rowIdOf = ({ ids: { Environment = '' } }: Pick<Furnished, 'ids'>): string => decodeNodeId(Environment).id

/** Copies a furnished environment, including its ids, to a new one. This is faster than furnishing another. */
export async function copyEnvironment(world: World, original: Furnished): Promise<Furnished> {
  const client = await world.environment()
  const { environment } = await client.ask('{ environment { id } }')
  const copy = { client, ids: { ...original.ids, Environment: environment.id } }
  const tables = await tenantTables(world)
  // A single statement, because foreign keys are checked at its end, so that tables can be in any order.
  const inserts = tables
    // A key belongs to only one environment.
    .filter(({ name }) => name !== 'api_keys')
    .map(
      ({ name, columns }) => `${name}_copied AS (
        INSERT INTO ${name} (environment_id, ${columns}) SELECT $2, ${columns} FROM ${name} WHERE environment_id = $1)`,
    )
  await world.database.pool.query(`WITH ${inserts.join(', ')} SELECT`, [rowIdOf(original), rowIdOf(copy)])
  await encryptAgain(world, rowIdOf(original), rowIdOf(copy))
  return copy
}

/** Encrypts the secrets of a copied environment again, because ciphertexts of another environment do not decrypt. */
async function encryptAgain({ gateway: { cipher }, database: { pool } }: World, from: string, to: string) {
  for (const name of encryptedColumns.filter((column) => !column.startsWith('api_keys.'))) {
    const [table = '', column = ''] = name.split('.')
    const { rows } = await pool.query(
      `SELECT ctid, ${column} AS secret FROM ${table} WHERE environment_id = $1 AND ${column} IS NOT NULL`,
      [to],
    )
    for (const { ctid, secret } of rows) {
      const encrypted = cipher.encrypt(cipher.decrypt(secret, from), to)
      await pool.query(`UPDATE ${table} SET ${column} = $1 WHERE ctid = $2::tid`, [encrypted, ctid])
    }
  }
}

/** Returns every row of an environment as text, for tests that an environment stays unchanged. */
export async function rowsOf(world: World, furnished: Furnished): Promise<string[]> {
  const tables = await tenantTables(world)
  const selects = tables.map(
    ({ name }) => `SELECT '${name} ' || one::text AS row FROM ${name} AS one WHERE environment_id = $1`,
  )
  const { rows } = await world.database.pool.query<{ row: string }>(
    `${selects.join(' UNION ALL ')} UNION ALL SELECT 'environments ' || one::text FROM environments AS one WHERE id = $1
     ORDER BY row`,
    [rowIdOf(furnished)],
  )
  return rows.map(({ row }) => row)
}
