// Environments that contain one entity of each type, under names of their own.
import { environmentIdOf, notify } from './feed.ts'
import type { Client, Data, World } from './world.ts'

/** The names of the entities in an environment. */
export interface Names {
  readonly subscriberId: string
  readonly tenant: string
  readonly integration: string
  readonly endpoint: string
  readonly connection: string
  readonly workflow: string
  readonly topic: string
  readonly subscription: string
  readonly transaction: string
}

/** Ada is a customer of Acme. */
export const ada: Names = {
  subscriberId: 'ada',
  tenant: 'acme',
  integration: 'slack',
  endpoint: 'ada-on-slack',
  connection: 'acme-workspace',
  workflow: 'order-shipped',
  topic: 'orders',
  subscription: 'ada-in-orders',
  transaction: 'order-1',
}

/** Grace is a customer of Globex. */
export const grace: Names = {
  subscriberId: 'grace',
  tenant: 'globex',
  integration: 'chat',
  endpoint: 'grace-on-chat',
  connection: 'globex-workspace',
  workflow: 'invoice-due',
  topic: 'invoices',
  subscription: 'grace-in-invoices',
  transaction: 'invoice-1',
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

export const subscriptionInput = ({ subscriberId, tenant, workflow, topic, subscription }: Names) => ({
  topicKey: topic,
  subscriptions: [{ subscriberId, identifier: subscription }],
  contexts: [{ type: 'tenant', identifier: tenant }],
  preferences: [{ workflowId: workflow }],
})

/** A workflow whose only step sends to the endpoint; the integration has no credentials. */
const workflowInput = ({ workflow }: Names) => ({
  identifier: workflow,
  name: workflow,
  steps: [{ chat: { body: 'Hello' } }],
})

export const triggerInput = ({ subscriberId, tenant, workflow, transaction }: Names) => ({
  name: workflow,
  to: [{ subscriber: { subscriberId } }],
  contexts: [{ type: 'tenant', identifier: tenant }],
  transactionId: transaction,
})

/** Turns off all workflows for the subscriber in the context. */
const preferenceInput = ({ subscriberId, tenant }: Names) => ({
  subscriberId,
  contexts: [{ type: 'tenant', identifier: tenant }],
  enabled: false,
})

export async function furnish(world: World, client: Client, names: Names): Promise<Furnished> {
  /** Creates an entity and returns its node id. */
  const make = async (mutation: string, input: Record<string, unknown>, noun: string): Promise<string> => {
    const { userErrors, ...payload }: Data = await client.act(mutation, input, `${noun} { id }`)
    if (userErrors.length > 0) throw new Error(`${mutation}: ${JSON.stringify(userErrors)}`)
    const [made] = [payload[noun]].flat()
    return made.id
  }
  const { subscriberId, tenant, integration, topic } = names
  const device = { providerId: 'FCM', integrationIdentifier: integration, credentials: { deviceTokens: ['token'] } }
  const { environment } = await client.ask('{ environment { id } }')
  const { newApiKey } = await client.act('createApiKey', { name: 'Second key' }, 'newApiKey { apiKey { id } }')
  const ids = {
    Environment: environment.id,
    ApiKey: newApiKey.apiKey.id,
    Context: await make('createContext', { type: 'tenant', identifier: tenant, data: { plan: 'pro' } }, 'context'),
    Subscriber: await make('createSubscriber', { subscriberId, channels: [device] }, 'subscriber'),
    Integration: await make('createIntegration', { identifier: integration, providerId: 'SLACK' }, 'integration'),
    ChannelEndpoint: await make('createChannelEndpoint', endpointInput(names), 'channelEndpoint'),
    Workflow: await make('createWorkflow', workflowInput(names), 'workflow'),
    Topic: await make('createTopic', { key: topic }, 'topic'),
    TopicSubscription: await make('createTopicSubscriptions', subscriptionInput(names), 'topicSubscriptions'),
    Event: await make('triggerEvent', triggerInput(names), 'event'),
    Notification: await notify(world, client, { subscriberId, contextKeys: [`tenant:${tenant}`] }).then(
      ([id = '']) => id,
    ),
  }
  await world.work()
  const { event } = await client.ask(
    'query ($id: String!) { event(transactionId: $id) { runs(first: 1) { nodes { id steps { deliveries { id } } } } } }',
    { id: names.transaction },
  )
  const [run] = event.runs.nodes
  await client.act('updateSubscriberPreferences', preferenceInput(names))
  return { client, ids: { ...ids, WorkflowRun: run.id, Delivery: run.steps[0].deliveries[0].id } }
}

/** Tenant tables with the columns to copy. API keys are left out: a key opens only one environment. */
const copiedColumns = `
  SELECT table_name AS "table", string_agg(quote_ident(column_name), ', ') AS columns
  FROM information_schema.columns AS one
  WHERE table_schema = 'public' AND is_generated = 'NEVER' AND column_name <> 'environment_id'
    AND table_name <> 'api_keys' AND EXISTS (
      SELECT FROM information_schema.columns
      WHERE table_schema = 'public' AND table_name = one.table_name AND column_name = 'environment_id')
  GROUP BY table_name`

/** Copies a furnished environment, including its ids, to a new one. Faster than furnishing another. */
export async function copyEnvironment(world: World, { client, ids }: Furnished): Promise<Furnished> {
  const { pool } = world.database
  const copy = await world.environment()
  const { rows } = await pool.query<{ table: string; columns: string }>(copiedColumns)
  // A single statement: foreign keys are checked at its end, so tables can be in any order.
  const inserts = rows.map(
    ({ table, columns }) => `${table}_copied AS (
      INSERT INTO ${table} (environment_id, ${columns}) SELECT $2, ${columns} FROM ${table} WHERE environment_id = $1)`,
  )
  const [from, to] = [await environmentIdOf(client), await environmentIdOf(copy)]
  await pool.query(`WITH ${inserts.join(', ')} SELECT`, [from, to])
  const { environment } = await copy.ask('{ environment { id } }')
  return { client: copy, ids: { ...ids, Environment: environment.id } }
}

/** Selects everything in an environment that a caller could change. */
export const everything = `{
  environment { id name color parent { id } }
  apiKeys { nodes { id revokedAt } }
  contexts { nodes { id key data updatedAt } }
  subscribers {
    nodes {
      id subscriberId firstName updatedAt
      channels { providerId integrationIdentifier deviceTokens }
      preferences(contextKeys: ["tenant:acme"]) { enabled workflows { enabled } }
      notifications(contextKeys: ["tenant:acme"]) { nodes { id seenAt readAt archivedAt updatedAt } }
    }
  }
  integrations { nodes { id identifier name active updatedAt } }
  channelEndpoints { nodes { id identifier updatedAt endpoint { ... on WorkspaceChatUser { userId } } } }
  workflows { nodes { id identifier name updatedAt } }
  topics { nodes { id key name data updatedAt subscriptions { totalCount } } }
  topicSubscriptions {
    nodes { id identifier name updatedAt preferences { ... on TopicSubscriptionWorkflowPreference { workflow { id } } } }
  }
  events(first: 2) {
    nodes {
      id transactionId workflowIdentifier recipients payload cancelledAt
      runs(first: 2) { nodes { id status updatedAt steps { status deliveries { id status updatedAt } } } }
    }
  }
}`
