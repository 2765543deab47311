// What each writing route is sent with, and the mutation with the same input.
import { expect } from 'vitest'
import { encodeNodeId } from '../../src/graphql/schema/node-id.ts'

/** The id of a row that does not exist. Resolvers are stopped before they look for it. */
export const row = '0199a2c4-7f10-7c3e-9a51-3f6f2f1d0b11'

type Fields = Readonly<Record<string, unknown>>

/** A request with every field of a route. Each value differs from the default of its field. */
interface ParityCase {
  readonly query?: Fields
  readonly body?: Fields
  readonly graph: readonly [mutation: string, input: Fields]
  /** What only the route gives to the resolver. */
  readonly more?: Fields
}

const id = (type: string) => encodeNodeId(type, row)
const context = { tenant: { id: 'acme', data: { plan: 'pro' } } }
const contexts = [{ type: 'tenant', identifier: 'acme', data: { plan: 'pro' } }]
const data = { plan: 'pro' }
const brand = {
  ...{ name: 'Acme', logoUrl: 'https://example.com/logo.png', primaryColor: '#7c3aed' },
  ...{ websiteUrl: 'https://example.com', address: 'Example Street 1' },
}
const named = { identifier: 'order' }
const hook = 'https://example.com/hook'
const subscribed = { description: 'CRM', active: false, includeContent: true, contextKeys: ['tenant:acme'] }
const whsec = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const ofAda = { subscriberId: 'ada' }
const signed = { ...ofAda, subscriberHash: 'a', context: { tenant: 'acme' }, contextHash: 'b' }
const unsigned = { allowsUnsignedSessions: true, confirmUnsignedSessions: true }
const inOrders = { topicKey: 'orders' }
const rule = { '==': [{ var: 'context.tenant.id' }, 'acme'] }
const profile = {
  ...{ firstName: 'Ada', lastName: 'Lovelace', email: 'ada@example.com', phone: '+4915123456789' },
  ...{ avatar: 'https://example.com/ada.png', locale: 'en_US', timezone: 'Europe/London', data },
}
const credentials = { webhookUrl: 'https://example.com/hook', deviceTokens: ['token-1'] }
const credential = { providerId: 'fcm', integrationIdentifier: 'push', credentials }
const credentialInGraph = { ...credential, providerId: 'FCM' }
const settings = { identifier: 'texts', name: 'Texts', active: false, primary: true, conditions: rule }
const workflow = {
  ...{ name: 'Order', description: 'One for each order.', active: false, critical: true, tags: ['orders'], data },
  ...{ payloadSchema: { type: 'object' }, validatePayload: false },
}
const workflowAtRest = {
  ...{ categoryKey: 'news', unsubscribe: 'all' },
  ...{ ...workflow, severity: 'high', channels: { sms: false } },
  steps: [{ type: 'in_app', stepId: 'bell', body: 'Hi' }],
}
const workflowInGraph = {
  ...{ categoryKey: 'news', unsubscribe: 'ALL' },
  ...{ ...workflow, severity: 'HIGH', channels: [{ channel: 'SMS', enabled: false }] },
  steps: [{ inApp: { stepId: 'bell', body: 'Hi' } }],
}
const files = [
  { content: { name: 'order.txt', contentType: 'text/plain', data: 'aGk=' } },
  { url: { url: 'https://example.com/terms.pdf', name: 'terms.pdf' } },
]
const weekdays = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']
const officeDay = { isEnabled: true, hours: [{ start: '09:00', end: '17:00' }] }
const triggerAtRest = {
  attachments: files,
  ...{
    name: 'order',
    payload: data,
    transactionId: 'order-7',
    overrides: { email: { from: 'x@example.com' } },
    context,
  },
  ...{ to: [ofAda, { type: 'Topic', topicKey: 'orders' }], actor: { subscriberId: 'grace', firstName: 'Grace' } },
}
const { to: _to, ...broadcastAtRest } = triggerAtRest
const triggerInGraph = {
  attachments: files,
  ...{
    workflowIdentifier: 'order',
    payload: data,
    transactionId: 'order-7',
    overrides: { email: { from: 'x@example.com' } },
    contexts,
  },
  to: [{ subscriber: ofAda }, { topic: inOrders }],
  actor: { subscriberId: 'grace', firstName: 'Grace' },
}
const contextKeys = ['tenant:acme']
const tokens = {
  ...{ accessToken: 'xoxb-1', refreshToken: 'xoxe-1' },
  ...{ expiresAt: '2100-01-01T00:00:00.000Z', refreshTokenExpiresAt: '2100-02-01T00:00:00.000Z' },
}
const rate = { messages: 14, per: 'second' }
const fallback = { isFallback: true, fallbackAfterTimeout: true }
const rateInGraph = { messages: 14, per: 'SECOND' }
const filter = { severity: ['high'], tags: ['orders'], tagGroups: [['orders'], ['news']], data: { tab: 'x' } }
const filterInGraph = { severity: ['HIGH'], tags: ['orders'], tagGroups: [['orders'], ['news']], data: { tab: 'x' } }
const states = { snoozed: false, seen: true, read: false, archived: true }
const times = {
  ...{ failedAfter: '2030-01-01T00:00:00.000Z', failedBefore: '2030-01-02T00:00:00.000Z' },
  ...{ createdAfter: '2030-01-03T00:00:00.000Z', createdBefore: '2030-01-04T00:00:00.000Z' },
}
const failed = {
  ...{
    integrationIdentifier: 'texts',
    workflow: 'order',
    subscriberId: 'ada',
    transactionId: 'order-7',
    reason: '503',
    workflowIdentifiers: ['order', 'invoice'],
    stepIds: ['mail', 'text'],
    integrationIdentifiers: ['texts'],
    subscriberIds: ['ada', 'grace'],
    contextKeys: ['tenant:acme'],
  },
  ...times,
}
const created = { createdAfter: times.createdAfter, createdBefore: times.createdBefore }
const ended = {
  ...{ reasons: ['content', 'refused'], stepId: 'mail', stepIds: ['mail', 'text'] },
  ...{ subscriberId: 'ada', subscriberIds: ['ada', 'grace'], workflowIdentifiers: ['order'], transactionId: 'order-7' },
  ...{ contextKeys: ['tenant:acme'], ...created },
}
const repeated = { ...ended, topicKey: 'releases', topicKeys: ['releases'] }
const cancelled = {
  ...{ workflow: 'order', subscriberId: 'ada', topicKey: 'releases', contextKeys: ['tenant:acme'] },
  ...{ workflowIdentifiers: ['order', 'trial'], subscriberIds: ['ada', 'grace'], topicKeys: ['releases'] },
  ...created,
}
/** A filter with the names of the graph. */
const inGraph = <Filter extends { workflow: string }>({ workflow, ...filter }: Filter) => ({
  ...filter,
  workflowIdentifier: workflow,
})
const failedInGraph = inGraph(failed)
const cancelledInGraph = inGraph(cancelled)
/** The cursor that a call has returned. */
const cursor = 'bmV4dA'
const erased = { subscriberId: 'ada', also: ['former@example.com'] }
const reason = 'The provider is down'

const markingOne = (as: string): ParityCase => ({
  graph: ['markNotification', { id: id('Notification'), as }],
  more: ofAda,
})
const markingMany = (as: string): ParityCase => ({
  query: { contextKeys: ['tenant:globex'] },
  body: { ...filter, ids: [row], contextKeys },
  graph: ['markNotifications', { ...ofAda, as, contextKeys, ids: [id('Notification')], filter: filterInGraph }],
})

const sending = { sending: 'redirect', redirectTo: 'a@example.com', allowedDestinations: ['*@example.com'] }
const sendingInGraph = { ...sending, sending: 'REDIRECT' }

const categoryInGraph = {
  ...{ name: 'News', description: 'Offers', isHidden: true },
  channels: [{ channel: 'SMS', enabled: false }],
}

/** By the name of the route. */
export const parityCases: Readonly<Record<string, ParityCase>> = {
  'POST /v1/environments': {
    body: { name: 'Staging', color: '#0284c7', parentId: row, type: 'dev', database: 'main', ...sending },
    graph: [
      'createEnvironment',
      {
        name: 'Staging',
        color: '#0284c7',
        parentId: id('Environment'),
        type: 'DEV',
        database: 'main',
        ...sendingInGraph,
      },
    ],
  },
  'PUT /v1/environments/{id}': {
    body: {
      name: 'Staging',
      color: '#0284c7',
      parentId: row,
      retentionDays: 7,
      feedRetentionDays: 8,
      brand,
      ...sending,
      ...unsigned,
      expectedVersion: 2,
    },
    graph: [
      'updateEnvironment',
      {
        ...{ id: id('Environment'), name: 'Staging', color: '#0284c7', parentId: id('Environment') },
        ...{ retentionDays: 7, feedRetentionDays: 8, brand, expectedVersion: 2, ...sendingInGraph, ...unsigned },
      },
    ],
  },
  'DELETE /v1/environments/{id}': { graph: ['deleteEnvironment', { id: id('Environment') }] },
  'POST /v1/environments/{id}/pause': {
    body: { reason },
    graph: ['pauseEnvironment', { id: id('Environment'), reason }],
  },
  'POST /v1/environments/{id}/resume': { graph: ['resumeEnvironment', { id: id('Environment') }] },

  'POST /v2/contexts': {
    body: { type: 'tenant', id: 'acme', data },
    graph: ['createContext', { type: 'tenant', identifier: 'acme', data }],
  },
  'PATCH /v2/contexts/{type}/{id}': {
    body: { data, expectedVersion: 2 },
    graph: ['updateContext', { key: `tenant:${row}`, data, expectedVersion: 2 }],
  },
  'DELETE /v2/contexts/{type}/{id}': { graph: ['deleteContext', { key: `tenant:${row}` }] },
  'POST /v2/contexts/delete-unused': {
    body: { unusedDays: 7, dryRun: true, after: 'tenant:acme' },
    graph: ['deleteUnusedContexts', { unusedDays: 7, dryRun: true, after: 'tenant:acme' }],
  },

  'POST /v2/subscribers': {
    query: { failIfExists: true },
    body: { ...ofAda, ...profile, channels: [credential] },
    graph: ['upsertSubscriber', { ...ofAda, ...profile, channels: [credentialInGraph] }],
    more: { failIfExists: true },
  },
  'PATCH /v2/subscribers/{subscriberId}': {
    body: { ...profile, expectedVersion: 2 },
    graph: ['updateSubscriber', { ...ofAda, ...profile, expectedVersion: 2 }],
  },
  'DELETE /v2/subscribers/{subscriberId}': { graph: ['deleteSubscriber', ofAda] },
  'POST /v1/subscribers/bulk': {
    body: { subscribers: [{ ...ofAda, ...profile, channels: [credential] }], dryRun: true },
    graph: [
      'createSubscribers',
      { subscribers: [{ ...ofAda, ...profile, channels: [credentialInGraph] }], dryRun: true },
    ],
  },
  'PUT /v1/subscribers/{subscriberId}/credentials': {
    body: credential,
    graph: ['setSubscriberCredentials', { ...ofAda, ...credentialInGraph }],
  },
  'PATCH /v1/subscribers/{subscriberId}/credentials': {
    body: credential,
    graph: ['appendSubscriberCredentials', { ...ofAda, ...credentialInGraph }],
  },
  'DELETE /v1/subscribers/{subscriberId}/credentials/{providerId}': {
    query: { integrationIdentifier: 'push' },
    graph: ['deleteSubscriberCredentials', { ...ofAda, providerId: 'FCM', integrationIdentifier: 'push' }],
  },
  'POST /v2/subscribers/{subscriberId}/erase': { body: { also: erased.also }, graph: ['eraseSubscriber', erased] },
  'POST /v2/erasures': { body: { subscribers: [erased] }, graph: ['eraseSubscribers', { subscribers: [erased] }] },
  'POST /v1/inbox/session': {
    body: {
      ...{ ...signed, profile, kind: 'lasting' },
      defaultSchedule: {
        isEnabled: false,
        weeklySchedule: Object.fromEntries(weekdays.map((day) => [day, officeDay])),
      },
    },
    graph: [
      'openSession',
      {
        ...{ ...signed, profile, kind: 'LASTING' },
        defaultSchedule: { isEnabled: false, days: weekdays.map((day) => ({ day: day.toUpperCase(), ...officeDay })) },
      },
    ],
  },

  'POST /v1/integrations': {
    body: {
      ...settings,
      providerId: 'twilio',
      channel: 'sms',
      credentials: { token: 'x' },
      ...fallback,
      rateLimit: rate,
      requireComplete: true,
    },
    graph: [
      'createIntegration',
      {
        ...settings,
        providerId: 'TWILIO',
        channel: 'SMS',
        credentials: { token: 'x' },
        ...fallback,
        rateLimit: rateInGraph,
        requireComplete: true,
      },
    ],
  },
  'PUT /v1/integrations/{id}': {
    body: {
      ...settings,
      credentials: { token: 'x' },
      credentialChanges: { token: 'y' },
      ...fallback,
      rateLimit: rate,
      requireComplete: true,
      expectedVersion: 2,
    },
    graph: [
      'updateIntegration',
      {
        ...settings,
        id: id('Integration'),
        credentials: { token: 'x' },
        credentialChanges: { token: 'y' },
        ...fallback,
        rateLimit: rateInGraph,
        requireComplete: true,
        expectedVersion: 2,
      },
    ],
  },
  'DELETE /v1/integrations/{id}': { graph: ['deleteIntegration', { id: id('Integration') }] },
  'POST /v1/integrations/{id}/pause': {
    body: { reason },
    graph: ['pauseIntegration', { id: id('Integration'), reason }],
  },
  'POST /v1/integrations/{id}/resume': { graph: ['resumeIntegration', { id: id('Integration') }] },

  'POST /v1/integrations/{id}/inbound-webhook/token': {
    graph: ['rotateInboundWebhookToken', { integrationId: id('Integration') }],
  },

  'POST /v1/channel-connections': {
    body: {
      ...{ identifier: 'on-slack', ...ofAda, connectionMode: 'subscriber', integrationIdentifier: 'slack', context },
      ...{ workspace: { id: 'T1', name: 'Acme', botUserId: 'B1' }, auth: tokens },
    },
    graph: [
      'createChannelConnection',
      {
        ...{ identifier: 'on-slack', ...ofAda, connectionMode: 'SUBSCRIBER', integrationIdentifier: 'slack', contexts },
        ...{ workspace: { externalId: 'T1', name: 'Acme', botUserId: 'B1' }, auth: tokens },
      },
    ],
  },
  'PATCH /v1/channel-connections/{identifier}': {
    body: { workspace: { id: 'T1', name: 'Acme', botUserId: 'B1' }, auth: tokens, expectedVersion: 2 },
    graph: [
      'updateChannelConnection',
      {
        ...{ ...named, workspace: { externalId: 'T1', name: 'Acme', botUserId: 'B1' }, auth: tokens },
        expectedVersion: 2,
      },
    ],
  },
  'DELETE /v1/channel-connections/{identifier}': { graph: ['deleteChannelConnection', named] },

  'POST /v1/channel-endpoints': {
    body: {
      ...{ identifier: 'on-slack', ...ofAda, integrationIdentifier: 'slack', connectionIdentifier: 'workspace' },
      ...{ context, type: 'workspace_chat_user', endpoint: { userId: 'U-ada' }, createSubscriberIfMissing: true },
    },
    graph: [
      'createChannelEndpoint',
      {
        ...{ identifier: 'on-slack', ...ofAda, integrationIdentifier: 'slack', connectionIdentifier: 'workspace' },
        ...{ contexts, endpoint: { workspaceChatUser: { userId: 'U-ada' } }, createSubscriberIfMissing: true },
      },
    ],
  },
  'PATCH /v1/channel-endpoints/{identifier}': {
    body: { type: 'workspace_chat_user', endpoint: { userId: 'U-ada' }, expectedVersion: 2 },
    graph: [
      'updateChannelEndpoint',
      { ...named, endpoint: { workspaceChatUser: { userId: 'U-ada' } }, expectedVersion: 2 },
    ],
  },
  'DELETE /v1/channel-endpoints/{identifier}': { graph: ['deleteChannelEndpoint', named] },

  'POST /v2/suppressions': {
    body: {
      ...{ channel: 'email', address: 'ada@example.com', reason: 'complaint', detail: 'Asked', context },
      ...{ integrationIdentifier: 'mail', expiresAt: '2100-01-01T00:00:00.000Z' },
    },
    graph: [
      'createSuppression',
      {
        ...{ channel: 'EMAIL', address: 'ada@example.com', reason: 'COMPLAINT', detail: 'Asked', contexts },
        ...{ integrationIdentifier: 'mail', expiresAt: '2100-01-01T00:00:00.000Z' },
      },
    ],
  },
  'POST /v2/suppressions/bulk': {
    body: { suppressions: [{ channel: 'email', address: 'ada@example.com', context }] },
    graph: ['createSuppressions', { suppressions: [{ channel: 'EMAIL', address: 'ada@example.com', contexts }] }],
  },
  'PUT /v1/integrations/{identifier}/text-replies': {
    body: { stopWords: ['ende'], startWords: ['los'], stopText: 'a', startText: 'b', helpText: 'c' },
    graph: [
      'setTextReplies',
      {
        ...{ stopWords: ['ende'], startWords: ['los'], stopText: 'a', startText: 'b', helpText: 'c' },
        integrationIdentifier: 'order',
      },
    ],
  },
  'DELETE /v2/suppressions/{id}': { graph: ['deleteSuppression', { id: id('Suppression') }] },

  'POST /v2/topics': {
    query: { failIfExists: true },
    body: { key: 'orders', name: 'Orders', data },
    graph: ['upsertTopic', { key: 'orders', name: 'Orders', data }],
    more: { failIfExists: true },
  },
  'PATCH /v2/topics/{topicKey}': {
    body: { name: 'Orders', data, expectedVersion: 2 },
    graph: ['updateTopic', { key: 'orders', name: 'Orders', data, expectedVersion: 2 }],
  },
  'DELETE /v2/topics/{topicKey}': { graph: ['deleteTopic', { key: 'orders' }] },
  'POST /v2/topics/{topicKey}/subscriptions': {
    body: { subscriptions: [{ ...ofAda, identifier: 'daily' }], name: 'Daily', preferences: ['order'], context },
    graph: [
      'createTopicSubscriptions',
      {
        ...{ ...inOrders, subscriptions: [{ ...ofAda, identifier: 'daily' }], name: 'Daily', contexts },
        preferences: [{ workflowId: 'order' }],
      },
    ],
  },
  'DELETE /v2/topics/{topicKey}/subscriptions': {
    body: { subscriptions: [{ identifier: 'daily' }] },
    graph: ['deleteTopicSubscriptions', { ...inOrders, subscriptions: [{ identifier: 'daily' }] }],
  },
  'PATCH /v2/topics/{topicKey}/subscriptions/{identifier}': {
    body: { name: 'Daily', preferences: ['order'], expectedVersion: 2 },
    graph: [
      'updateTopicSubscription',
      { ...inOrders, ...named, name: 'Daily', preferences: [{ workflowIdentifier: 'order' }], expectedVersion: 2 },
    ],
  },

  'POST /v2/categories': {
    body: { key: 'news', name: 'News', description: 'Offers', channels: { sms: false }, isHidden: true },
    graph: ['createCategory', { key: 'news', ...categoryInGraph }],
  },
  'PATCH /v2/categories/{categoryKey}': {
    body: {
      ...{ name: 'News', description: 'Offers', channels: { sms: false }, isHidden: true },
      expectedVersion: 2,
    },
    graph: ['updateCategory', { key: 'news', ...categoryInGraph, expectedVersion: 2 }],
  },
  'DELETE /v2/categories/{categoryKey}': { graph: ['deleteCategory', { key: 'news' }] },
  'PUT /v2/categories/order': {
    body: { keys: ['news', 'orders'] },
    graph: ['reorderCategories', { keys: ['news', 'orders'] }],
  },

  'POST /v2/workflows': {
    body: { ...named, ...workflowAtRest },
    graph: ['createWorkflow', { ...named, ...workflowInGraph }],
  },
  'PUT /v2/workflows/{identifier}': {
    body: { ...workflowAtRest, cancelPending: true, expectedVersion: 2 },
    graph: ['updateWorkflow', { ...named, ...workflowInGraph, cancelPending: true, expectedVersion: 2 }],
  },
  'DELETE /v2/workflows/{identifier}': { graph: ['deleteWorkflow', named] },
  'POST /v2/workflows/{identifier}/pause': { body: { reason }, graph: ['pauseWorkflow', { ...named, reason }] },
  'POST /v2/workflows/{identifier}/resume': { graph: ['resumeWorkflow', named] },

  'PATCH /v2/subscribers/{subscriberId}/preferences': {
    body: {
      ...{ workflowId: 'order', categoryKey: 'news', enabled: false, channels: { email: false }, context },
      schedule: { isEnabled: true, weeklySchedule: Object.fromEntries(weekdays.map((day) => [day, officeDay])) },
    },
    graph: [
      'updateSubscriberPreferences',
      {
        ...ofAda,
        workflowIdentifier: 'order',
        categoryKey: 'news',
        enabled: false,
        channels: [{ channel: 'EMAIL', enabled: false }],
        contexts,
        schedule: { isEnabled: true, days: weekdays.map((day) => ({ day: day.toUpperCase(), ...officeDay })) },
      },
    ],
  },

  'POST /v2/subscribers/{subscriberId}/preferences/link': {
    body: { context },
    graph: ['createPreferenceLink', { ...ofAda, contexts }],
  },
  'PATCH /v2/subscribers/{subscriberId}/preferences/bulk': {
    body: {
      preferences: [{ workflowId: 'order', categoryKey: 'news', enabled: false, channels: { email: false } }],
      context,
    },
    graph: [
      'updatePreferences',
      {
        preferences: [
          {
            ...ofAda,
            workflowIdentifier: 'order',
            categoryKey: 'news',
            enabled: false,
            channels: [{ channel: 'EMAIL', enabled: false }],
            contexts,
          },
        ],
        allOrNothing: true,
      },
    ],
  },

  'POST /v1/attachments': {
    query: { name: 'order.txt', contentType: 'text/plain' },
    graph: ['uploadAttachment', { name: 'order.txt', contentType: 'text/plain', content: 'aGk=' }],
    // The route reads the bytes as they arrive.
    more: { bytes: expect.anything() as unknown },
  },
  'POST /v1/events/trigger': { body: triggerAtRest, graph: ['triggerEvent', triggerInGraph] },
  'POST /v1/events/trigger/broadcast': {
    body: broadcastAtRest,
    graph: ['triggerEvent', { ...triggerInGraph, to: [{ everyone: true }] }],
  },
  'POST /v1/events/trigger/bulk': {
    body: { events: [triggerAtRest] },
    graph: ['triggerEvents', { events: [triggerInGraph] }],
  },
  'DELETE /v1/events/trigger/{transactionId}': { graph: ['cancelEvent', { transactionId: 'order-7' }] },
  'POST /v1/events/bulk/cancel': {
    body: { ...cancelled, dryRun: true },
    graph: ['cancelEvents', { filter: cancelledInGraph, dryRun: true }],
  },
  'POST /v1/messages/retry': {
    body: { ...failed, channel: 'sms', channels: ['sms'], causes: ['rejected'], dryRun: true, after: cursor },
    graph: [
      'retryDeliveries',
      {
        filter: { ...failedInGraph, channel: 'SMS', channels: ['SMS'], causes: ['REJECTED'] },
        dryRun: true,
        after: cursor,
      },
    ],
  },

  'POST /v1/workflow-runs/retry': {
    body: {
      ...{ ...repeated, outcome: 'failed', outcomes: ['failed'], causes: ['rejected'], workflow: 'order' },
      ...{ workflowVersion: 'current', dryRun: true, after: row },
    },
    graph: [
      'retryWorkflowRuns',
      {
        filter: {
          ...{
            ...repeated,
            outcome: 'FAILED',
            outcomes: ['FAILED'],
            causes: ['REJECTED'],
            reasons: ['CONTENT', 'REFUSED'],
          },
          workflowIdentifier: 'order',
        },
        workflowVersion: 'CURRENT',
        dryRun: true,
        after: row,
      },
    ],
  },
  'POST /v1/workflow-runs/{id}/retry': {
    body: { workflowVersion: 'current' },
    graph: ['retryWorkflowRun', { id: id('WorkflowRun'), workflowVersion: 'CURRENT' }],
  },

  'POST /v1/workflow-runs/cancel': {
    body: {
      ...{ ...ended, status: 'waiting', statuses: ['waiting'], outcome: 'pending', outcomes: ['pending'] },
      ...{ causes: ['rejected'], workflow: 'order', dryRun: true },
    },
    graph: [
      'cancelWorkflowRuns',
      {
        filter: {
          ...{ ...ended, status: 'WAITING', statuses: ['WAITING'], outcome: 'PENDING', outcomes: ['PENDING'] },
          ...{ reasons: ['CONTENT', 'REFUSED'], causes: ['REJECTED'], workflowIdentifier: 'order' },
        },
        dryRun: true,
      },
    ],
  },
  'POST /v1/workflow-runs/{id}/cancel': { graph: ['cancelWorkflowRun', { id: id('WorkflowRun') }] },

  'PATCH /v2/subscribers/{subscriberId}/notifications/{id}/read': markingOne('READ'),
  'PATCH /v2/subscribers/{subscriberId}/notifications/{id}/unread': markingOne('UNREAD'),
  'PATCH /v2/subscribers/{subscriberId}/notifications/{id}/archive': markingOne('ARCHIVED'),
  'PATCH /v2/subscribers/{subscriberId}/notifications/{id}/unarchive': markingOne('UNARCHIVED'),
  'PATCH /v2/subscribers/{subscriberId}/notifications/{id}/snooze': {
    body: { snoozeUntil: '2027-03-01T09:00:00.000Z' },
    graph: ['snoozeNotification', { id: id('Notification'), until: '2027-03-01T09:00:00.000Z' }],
    more: ofAda,
  },
  ...Object.fromEntries(
    ['primary', 'secondary'].flatMap((action) =>
      ['complete', 'revert'].map((verb) => [
        `PATCH /v2/subscribers/{subscriberId}/notifications/{id}/actions/${action}/${verb}`,
        {
          graph: [`${verb}NotificationAction`, { id: id('Notification'), action: action.toUpperCase() }],
          more: ofAda,
        } satisfies ParityCase,
      ]),
    ),
  ),
  'PATCH /v2/subscribers/{subscriberId}/notifications/{id}/unsnooze': {
    graph: ['unsnoozeNotification', { id: id('Notification') }],
    more: ofAda,
  },
  'POST /v2/subscribers/{subscriberId}/notifications/read': markingMany('READ'),
  'POST /v2/subscribers/{subscriberId}/notifications/archive': markingMany('ARCHIVED'),
  'POST /v2/subscribers/{subscriberId}/notifications/seen': markingMany('SEEN'),
  'POST /v2/subscribers/{subscriberId}/notifications/delete': {
    query: { contextKeys: ['tenant:globex'] },
    body: { ...filter, ...states, ids: [row], contextKeys },
    graph: [
      'deleteNotifications',
      { ...ofAda, contextKeys, ids: [id('Notification')], filter: { ...filterInGraph, ...states } },
    ],
  },
  'DELETE /v2/subscribers/{subscriberId}/notifications/{id}': {
    graph: ['deleteNotification', { id: id('Notification') }],
    more: ofAda,
  },

  'POST /v2/webhook-subscriptions': {
    body: { ...named, url: hook, eventTypes: ['message.sent'], ...subscribed, secret: whsec },
    graph: [
      'createWebhookSubscription',
      { ...named, url: hook, eventTypes: ['MESSAGE_SENT'], ...subscribed, secret: whsec },
    ],
  },
  'PATCH /v2/webhook-subscriptions/{identifier}': {
    body: { url: hook, eventTypes: ['message.sent'], ...subscribed, expectedVersion: 2 },
    graph: [
      'updateWebhookSubscription',
      { ...named, url: hook, eventTypes: ['MESSAGE_SENT'], ...subscribed, expectedVersion: 2 },
    ],
  },
  'DELETE /v2/webhook-subscriptions/{identifier}': { graph: ['deleteWebhookSubscription', named] },
  'POST /v2/webhook-subscriptions/{identifier}/rotate-secret': {
    body: { keepOldFor: 60, secret: whsec },
    graph: ['rotateWebhookSecret', { ...named, keepOldFor: 60, secret: whsec }],
  },
  'POST /v2/webhook-subscriptions/{identifier}/test': {
    body: { eventType: 'message.sent' },
    graph: ['sendTestWebhook', { ...named, eventType: 'MESSAGE_SENT' }],
  },
  'POST /v2/webhook-subscriptions/{identifier}/replay': {
    body: { from: times.createdAfter, to: times.createdBefore, eventTypes: ['message.sent'] },
    graph: [
      'replayWebhooks',
      { ...named, from: times.createdAfter, to: times.createdBefore, eventTypes: ['MESSAGE_SENT'] },
    ],
  },
  'POST /v2/webhook-deliveries/{id}/retry': { graph: ['retryWebhookDelivery', { id: id('WebhookDelivery') }] },
}
