// The list fields of Query, and how tests create rows in them.
import { writeApiKey } from '../../src/domain/access/api-key.ts'
import { writeEnvironment } from '../../src/domain/access/new-environment.ts'
import { environmentIdOf } from './environment-id.ts'
import type { Client, World } from './world.ts'

export interface ListOfNouns {
  readonly field: string
  readonly table: string
  /** Creates a row with a name that is unique in the list. */
  readonly create: (gateway: Client, name: string, world: World) => Promise<unknown>
  /** The number of rows in a new list: 0 by default. */
  readonly there?: number
  /** Returns a client with a new list of its own: in a new environment by default. */
  readonly open?: (world: World) => Promise<Client>
}

/** Returns a client in a new organization with one environment. */
async function organization(world: World): Promise<Client> {
  const { gateway, database } = world
  const [organizationId, userId, createdAt] = [gateway.newId(), gateway.newId(), gateway.now()]
  await database.client.organization.create({ data: { id: organizationId, name: 'Other', createdAt } })
  await database.client.user.create({ data: { id: userId, organizationId, name: 'Operator', createdAt } })
  const first = { organizationId, name: 'First', color: '#000', type: 'prod', parentId: null } as const
  const environment = await writeEnvironment(gateway, first)
  const { key } = await writeApiKey(gateway, { environmentId: environment.id, userId, name: 'First key' })
  return world.client(key)
}

/** Triggers an email workflow for this subscriber. */
async function greet(gateway: Client, subscriberId: string) {
  await gateway.act('createWorkflow', {
    identifier: 'greeting',
    name: 'Greeting',
    steps: [{ email: { subject: 'Hello', body: 'Hello' } }],
  })
  const to = [{ subscriber: { subscriberId, email: 'ada@example.com' } }]
  return gateway.act('triggerEvent', { workflowIdentifier: 'greeting', to })
}

/** To test a new list, add it here. */
export const lists: readonly ListOfNouns[] = [
  {
    field: 'environments',
    table: 'environments',
    create: (gateway, name) => gateway.act('createEnvironment', { name, color: '#000' }),
    there: 1,
    open: organization,
  },
  {
    field: 'apiKeys',
    table: 'api_keys',
    create: (gateway, name) => gateway.act('createApiKey', { name }),
    there: 1,
  },
  {
    field: 'contexts',
    table: 'contexts',
    create: (gateway, name) => gateway.act('createContext', { type: 'tenant', identifier: name }),
  },
  {
    field: 'subscribers',
    table: 'subscribers',
    create: (gateway, name) => gateway.act('createSubscriber', { subscriberId: name }),
  },
  {
    field: 'integrations',
    table: 'integrations',
    create: (gateway, name) => gateway.act('createIntegration', { identifier: name, providerId: 'SLACK' }),
  },
  {
    field: 'channelConnections',
    table: 'channel_connections',
    async create(gateway, name) {
      await gateway.act('createIntegration', { identifier: 'slack', providerId: 'SLACK' })
      return gateway.act('createChannelConnection', {
        ...{ identifier: name, integrationIdentifier: 'slack' },
        ...{ workspace: { externalId: 'T1' }, auth: { accessToken: 'xoxb-1' } },
      })
    },
  },
  {
    field: 'channelEndpoints',
    table: 'channel_endpoints',
    async create(gateway, name) {
      await gateway.act('upsertSubscriber', { subscriberId: 'ada' })
      await gateway.act('createIntegration', { identifier: 'slack', providerId: 'SLACK' })
      return gateway.act('createChannelEndpoint', {
        identifier: name,
        subscriberId: 'ada',
        integrationIdentifier: 'slack',
        endpoint: { workspaceChatUser: { userId: 'U1' } },
      })
    },
  },
  {
    field: 'suppressions',
    table: 'suppressions',
    create: (gateway, name) => gateway.act('createSuppression', { channel: 'EMAIL', address: `${name}@example.com` }),
  },
  {
    field: 'inboundTexts',
    table: 'inbound_texts',
    async create(gateway, name, world) {
      const environmentId = await environmentIdOf(gateway)
      const [id, integrationId, createdAt] = [world.gateway.newId(), world.gateway.newId(), world.gateway.now()]
      const sent = { fromNumber: '+4915123456789', toNumber: '+15550001', text: name, createdAt, updatedAt: createdAt }
      const integration = { integrationId, integrationIdentifier: 'text', key: id }
      await world.gateway.db.inboundText.create({ data: { environmentId, id, ...integration, ...sent } })
      return { userErrors: [] }
    },
  },
  {
    field: 'topics',
    table: 'topics',
    create: (gateway, name) => gateway.act('createTopic', { key: name }),
  },
  {
    field: 'categories',
    table: 'categories',
    create: (gateway, name) => gateway.act('createCategory', { key: name, name }),
  },
  {
    field: 'workflows',
    table: 'workflows',
    create: (gateway, name) => gateway.act('createWorkflow', { identifier: name, name }),
  },
  {
    field: 'topicSubscriptions',
    table: 'topic_subscriptions',
    async create(gateway, name) {
      await gateway.act('createSubscriber', { subscriberId: name })
      return gateway.act('createTopicSubscriptions', { topicKey: 'news', subscriptions: [{ subscriberId: name }] })
    },
  },
  {
    field: 'events',
    table: 'events',
    async create(gateway, name) {
      await gateway.act('createWorkflow', { identifier: 'welcome', name: 'Welcome' })
      const to = [{ subscriber: { subscriberId: 'ada' } }]
      return gateway.act('triggerEvent', { workflowIdentifier: 'welcome', to, transactionId: name })
    },
  },
  {
    field: 'unprocessedTriggers',
    table: 'unprocessed_triggers',
    async create(gateway, name, world) {
      await gateway.act('createWorkflow', { identifier: 'welcome', name: 'Welcome' })
      const given = {
        workflowIdentifier: 'welcome',
        to: [{ subscriber: { subscriberId: 'ada' } }],
        transactionId: name,
      }
      await gateway.act('triggerEvent', given)
      const repeated = await gateway.act('triggerEvent', given)
      await world.work()
      return repeated
    },
  },
  {
    field: 'workflowRuns',
    table: 'workflow_runs',
    async create(gateway, name, world) {
      const triggered = await greet(gateway, name)
      await world.work()
      return triggered
    },
  },
  {
    field: 'webhookSubscriptions',
    table: 'webhook_subscriptions',
    create: (gateway, name) =>
      gateway.act('createWebhookSubscription', {
        identifier: name,
        url: 'https://example.com/hook',
        eventTypes: ['MESSAGE_SENT'],
      }),
  },
  {
    field: 'deliveries',
    table: 'deliveries',
    async create(gateway, name, world) {
      await gateway.act('createIntegration', { identifier: 'mail', providerId: 'EMAIL_WEBHOOK' })
      const triggered = await greet(gateway, name)
      await world.work()
      return triggered
    },
  },
]
