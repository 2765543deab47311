// Tenancy cases that name the workflows, topics, preferences and events of another environment.
import { expect } from 'vitest'
import { ada, type Furnished, grace, subscriptionInput, triggerInput } from '../furnish.ts'
import {
  deletesNothing,
  type Case,
  doesNotFind,
  filterCases,
  findsNothing,
  type Input,
  makesItsOwn,
  ofAda,
} from './case.ts'

const DAY = 86_400_000
const newSubscription = { ...subscriptionInput(grace), subscriptions: [{ subscriberId: 'grace', identifier: 'new' }] }
const newWebhook = { url: 'https://example.com/hook', eventTypes: ['MESSAGE_SENT'] }
const gracesSubscription = { topicKey: 'invoices', identifier: 'grace-in-invoices' }

const own = { subscriberId: 'grace', contextKeys: ['tenant:globex'], ...gracesSubscription }
const newOwn = { ...own, identifier: 'new' }

/** A preference that names only Ada's workflows is ignored, as if they did not exist. */
const subscriptionPreferenceCases: Record<string, Case> = Object.fromEntries(
  Object.entries({
    'preferences.workflowIdentifier': (workflowIdentifier: string) => ({ workflowIdentifier }),
    'preferences.workflow.workflowIdentifier': (workflowIdentifier: string) => ({ workflow: { workflowIdentifier } }),
    'preferences.group.workflowIdentifiers': (name: string) => ({ group: { workflowIdentifiers: [name] } }),
    'preferences.workflowId': (workflowId: string) => ({ workflowId }),
    'preferences.workflow.workflowId': (workflowId: string) => ({ workflow: { workflowId } }),
    'preferences.group.workflowIds': (workflowId: string) => ({ group: { workflowIds: [workflowId] } }),
  }).flatMap(([path, naming]) => {
    const preferences = ({ Workflow = '' }: Furnished['ids']) => [naming('order-shipped'), naming(Workflow)]
    const shown = 'preferences { __typename }'
    return [
      [
        `Mutation.createTopicSubscriptions(input.${path})`,
        makesItsOwn(
          'createTopicSubscriptions',
          (_graces, adas) => ({ ...newSubscription, preferences: preferences(adas) }),
          `topicSubscriptions { ${shown} }`,
          { topicSubscriptions: [{ preferences: [] }] },
        ),
      ],
      [
        `Mutation.updateTopicSubscription(input.${path})`,
        makesItsOwn(
          'updateTopicSubscription',
          (_graces, adas) => ({ ...gracesSubscription, preferences: preferences(adas) }),
          `topicSubscription { ${shown} }`,
          { topicSubscription: { preferences: [] } },
        ),
      ],
      ...(['subscribeToTopic', 'updateOwnTopicSubscription'] as const).map((mutation) => [
        `Mutation.${mutation}(input.${path})`,
        makesItsOwn(
          mutation,
          (_graces, adas) => ({ ...(mutation === 'subscribeToTopic' ? newOwn : own), preferences: preferences(adas) }),
          `ownTopicSubscription { ${shown} }`,
          { ownTopicSubscription: { preferences: [] } },
        ),
      ]),
    ]
  }),
)

const entryOf = (workflowIdentifier: string) => ({ preferences: [{ workflowIdentifier, enabled: true }] })

/** An own subscription that has a name of Ada's environment is not found. */
const ownSubscriptionCases: Record<string, Case> = {
  ...Object.fromEntries(
    Object.entries({
      updateOwnTopicSubscription: { name: 'Taken over' },
      updateOwnSubscriptionPreferences: entryOf('invoice-due'),
      unsubscribeFromTopic: {},
    }).flatMap(([mutation, change]) =>
      Object.entries({
        subscriberId: 'ada',
        contextKeys: ['tenant:acme'],
        topicKey: 'orders',
        identifier: 'ada-in-orders',
      }).map(([field, value]) => [
        `Mutation.${mutation}(input.${field})`,
        doesNotFind(mutation, { ...own, ...change, [field]: value }),
      ]),
    ),
  ),
  'Mutation.updateOwnSubscriptionPreferences(input.preferences.workflowIdentifier)': doesNotFind(
    'updateOwnSubscriptionPreferences',
    { ...own, ...entryOf('order-shipped') },
  ),
  'Mutation.subscribeToTopic(input.subscriberId)': doesNotFind('subscribeToTopic', { ...newOwn, ...ofAda }),
  'Mutation.subscribeToTopic(input.contextKeys)': makesItsOwn(
    'subscribeToTopic',
    { ...newOwn, contextKeys: ['tenant:acme'] },
    'ownTopicSubscription { identifier }',
    { ownTopicSubscription: { identifier: 'new' } },
  ),
  'Mutation.subscribeToTopic(input.topicKey)': makesItsOwn(
    'subscribeToTopic',
    { ...newOwn, topicKey: 'orders' },
    'ownTopicSubscription { topicKey }',
    { ownTopicSubscription: { topicKey: 'orders' } },
  ),
  'Mutation.subscribeToTopic(input.identifier)': makesItsOwn(
    'subscribeToTopic',
    { ...own, identifier: 'ada-in-orders' },
    'ownTopicSubscription { preferences { tags } }',
    { ownTopicSubscription: { preferences: [] } },
  ),
  // The caller has no session. test/rest/novu/inbox-subscription.test.ts shows that one of another environment finds none.
  ...Object.fromEntries(
    [
      ['topicSubscriptions(topicKey)', 'topicSubscriptions(topicKey: "orders")'],
      ['topicSubscription(topicKey)', 'topicSubscription(topicKey: "orders", identifier: "grace-in-invoices")'],
      ['topicSubscription(identifier)', 'topicSubscription(topicKey: "invoices", identifier: "ada-in-orders")'],
    ].map(([place = '', field = '']): [string, Case] => [
      `Session.${place}`,
      async ({ graces }) => {
        expect(await graces.client.ask(`{ session { ${field} { identifier } } }`)).toEqual({ session: null })
      },
    ]),
  ),
}

/** A query for a list of the caller's own context. */
const inContext = (list: string) => `{ context(key: "tenant:globex") { ${list} } }`

/** Filters shared by every list of topic subscriptions. */
const subscriptionFilters = {
  contextKeys: '["tenant:acme"]',
  subscriberId: '"ada"',
  subscriberIds: '["ada"]',
  topicKey: '"orders"',
  topicKeys: '["orders"]',
}
const subscriptionLists = {
  'Query.topicSubscriptions': (filter: string) => `{ topicSubscriptions(${filter}) { nodes { id } } }`,
  'Subscriber.topicSubscriptions': (filter: string) =>
    `{ subscriber(subscriberId: "grace") { topicSubscriptions(${filter}) { nodes { id } } } }`,
  'Topic.subscriptions': (filter: string) => `{ topic(key: "invoices") { subscriptions(${filter}) { nodes { id } } } }`,
  'Context.topicSubscriptions': (filter: string) => inContext(`topicSubscriptions(${filter}) { nodes { id } }`),
}

const subscriptionListCases = filterCases(subscriptionLists, subscriptionFilters)

const missing = { failed: [{ code: 'SUBSCRIPTION_NOT_FOUND' }] }

const topicCases: Record<string, Case> = {
  'Query.topic(key)': findsNothing('{ topic(key: "orders") { id } }'),
  'Query.topics(filter.key)': findsNothing('{ topics(filter: { key: "orders" }) { nodes { id } } }'),
  'Mutation.createWebhookSubscription(input.identifier)': makesItsOwn('createWebhookSubscription', {
    ...newWebhook,
    identifier: 'crm',
  }),
  'Mutation.createWebhookSubscription(input.contextKeys)': makesItsOwn('createWebhookSubscription', {
    ...newWebhook,
    contextKeys: ['tenant:acme'],
  }),
  'Mutation.updateWebhookSubscription(input.contextKeys)': doesNotFind('updateWebhookSubscription', {
    identifier: 'crm',
    contextKeys: ['tenant:acme'],
  }),
  'Mutation.retryWebhookDelivery(input.id)': doesNotFind('retryWebhookDelivery', (_graces, { WebhookDelivery }) => ({
    id: WebhookDelivery,
  })),
  'Query.webhookDelivery(id)': findsNothing(
    'query ($id: ID!) { webhookDelivery(id: $id) { id } }',
    (_graces, { WebhookDelivery }) => ({ id: WebhookDelivery }),
  ),

  'Mutation.createTopic(input.key)': makesItsOwn('createTopic', { key: 'orders' }),
  'Mutation.upsertTopic(input.key)': makesItsOwn('upsertTopic', { key: 'orders', name: 'Not theirs' }),
  'Mutation.updateTopic(input.key)': doesNotFind('updateTopic', { key: 'orders', name: 'Taken over' }),
  'Mutation.deleteTopic(input.key)': doesNotFind('deleteTopic', { key: 'orders' }),

  'Query.topicSubscription(topicKey)': findsNothing(
    '{ topicSubscription(topicKey: "orders", identifier: "ada-in-orders") { id } }',
  ),
  'Query.topicSubscription(identifier)': findsNothing(
    '{ topicSubscription(topicKey: "invoices", identifier: "ada-in-orders") { id } }',
  ),
  ...subscriptionListCases,
  'Mutation.createTopicSubscriptions(input.topicKey)': makesItsOwn(
    'createTopicSubscriptions',
    { ...newSubscription, topicKey: 'orders' },
    'topicSubscriptions { topic { subscriptions { totalCount } } }',
    { topicSubscriptions: [{ topic: { subscriptions: { totalCount: 1 } } }] },
  ),
  'Mutation.createTopicSubscriptions(input.subscriptions.subscriberId)': makesItsOwn(
    'createTopicSubscriptions',
    { ...newSubscription, subscriptions: [ofAda] },
    'failed { code }',
    { failed: [{ code: 'SUBSCRIBER_NOT_FOUND' }] },
  ),
  'Mutation.createTopicSubscriptions(input.subscriptions.identifier)': makesItsOwn(
    'createTopicSubscriptions',
    { ...newSubscription, contexts: [], subscriptions: [{ subscriberId: 'grace', identifier: 'ada-in-orders' }] },
    'failed { code }',
    { failed: [] },
  ),
  'Mutation.createTopicSubscriptions(input.contexts.identifier)': makesItsOwn(
    'createTopicSubscriptions',
    { ...newSubscription, contexts: [{ type: 'tenant', identifier: 'acme' }] },
    'topicSubscriptions { contexts { key data } }',
    { topicSubscriptions: [{ contexts: [{ key: 'tenant:acme', data: {} }] }] },
  ),
  ...subscriptionPreferenceCases,
  ...ownSubscriptionCases,
  'Mutation.updateTopicSubscription(input.topicKey)': doesNotFind('updateTopicSubscription', {
    topicKey: 'orders',
    identifier: 'ada-in-orders',
    name: 'Taken over',
  }),
  'Mutation.updateTopicSubscription(input.identifier)': doesNotFind('updateTopicSubscription', {
    topicKey: 'invoices',
    identifier: 'ada-in-orders',
    name: 'Taken over',
  }),
  ...Object.fromEntries(
    Object.entries({
      topicKey: ada.topic,
      topicKeys: [ada.topic],
      subscriberId: ada.subscriberId,
      subscriberIds: [ada.subscriberId],
      contextKeys: [`tenant:${ada.tenant}`],
    }).map(([name, value]) => [
      `Mutation.deleteMatchingTopicSubscriptions(input.filter.${name})`,
      deletesNothing('deleteMatchingTopicSubscriptions', { [name]: value }),
    ]),
  ),
  'Mutation.deleteTopicSubscriptions(input.topicKey)': doesNotFind('deleteTopicSubscriptions', {
    topicKey: 'orders',
    subscriptions: [ofAda],
  }),
  'Mutation.deleteTopicSubscriptions(input.subscriptions.subscriberId)': makesItsOwn(
    'deleteTopicSubscriptions',
    { topicKey: 'invoices', subscriptions: [ofAda] },
    'failed { code }',
    missing,
  ),
  'Mutation.deleteTopicSubscriptions(input.subscriptions.identifier)': makesItsOwn(
    'deleteTopicSubscriptions',
    { topicKey: 'invoices', subscriptions: [{ identifier: 'ada-in-orders' }] },
    'failed { code }',
    missing,
  ),
}

const newTrigger = { ...triggerInput(grace), transactionId: 'new' }
const acme = { contexts: [{ type: 'tenant', identifier: 'acme' }] }
const withTheirIntegration = {
  subscriberId: 'joan',
  channels: [{ providerId: 'SLACK', integrationIdentifier: 'slack', credentials: {} }],
}

/** Inputs shared by `triggerEvent`, `triggerEvents` and `previewTrigger`. */
const triggers: Record<string, Input> = {
  'actor.subscriberId': { ...newTrigger, actor: ofAda },
  'actor.channels.integrationIdentifier': { ...newTrigger, actor: withTheirIntegration },
  'contexts.identifier': { ...newTrigger, ...acme },
  'to.subscriber.channels.integrationIdentifier': { ...newTrigger, to: [{ subscriber: withTheirIntegration }] },
  'to.subscriber.subscriberId': { ...newTrigger, to: [{ subscriber: ofAda }] },
  transactionId: { ...newTrigger, transactionId: 'order-1', payload: { mine: true } },
}
const triggerCases: Record<string, Case> = Object.fromEntries(
  Object.entries(triggers).flatMap(([path, input]) => {
    const event = { workflowIdentifier: 'invoice-due', payload: input['payload'] ?? {} }
    const fields = 'event { workflowIdentifier payload }'
    return [
      [`Mutation.triggerEvent(input.${path})`, makesItsOwn('triggerEvent', input, fields, { event })],
      [
        `Mutation.triggerEvents(input.events.${path})`,
        makesItsOwn('triggerEvents', { events: [input] }, `results { ${fields} }`, { results: [{ event }] }),
      ],
    ]
  }),
)
const withTheirFile = (_graces: Furnished['ids'], { Attachment }: Furnished['ids']) => ({
  ...newTrigger,
  transactionId: 'invoice-with-a-file',
  attachments: [{ uploaded: { id: Attachment } }],
})

const PREVIEW = 'query ($input: PreviewTriggerInput!) { previewTrigger(input: $input) { status } }'

/** A preview uses the caller's own records, even if another environment has records of the same name. */
const previewsItsOwn =
  ({ transactionId: _transactionId, ...input }: Input): Case =>
  async ({ another }) => {
    const { client } = await another()
    expect(await client.ask(PREVIEW, { input })).toEqual({ previewTrigger: { status: 'PROCESSED' } })
  }

const previewCases: Record<string, Case> = Object.fromEntries(
  Object.entries(triggers)
    .filter(([path]) => path !== 'transactionId')
    .map(([path, input]) => [`Query.previewTrigger(input.${path})`, previewsItsOwn(input)]),
)

const theirWorkflow = { ...newTrigger, workflowIdentifier: 'order-shipped' }
const toTheirTopic = { ...newTrigger, to: [{ topic: { topicKey: 'orders' } }] }

/** Filters shared by every list of events. */
const eventFilters = {
  contextKeys: '["tenant:acme"]',
  subscriberId: '"ada"',
  subscriberIds: '["ada"]',
  transactionId: '"order-1"',
  workflowIdentifier: '"order-shipped"',
  workflowIdentifiers: '["order-shipped"]',
}
const eventLists = {
  'Context.events': (filter: string) => inContext(`events(${filter}) { nodes { id } }`),
  'Query.events': (filter: string) => `{ events(${filter}) { nodes { id } } }`,
  'Subscriber.events': (filter: string) =>
    `{ subscriber(subscriberId: "grace") { events(${filter}) { nodes { id } } } }`,
  'Workflow.events': (filter: string) =>
    `{ workflow(identifier: "invoice-due") { events(${filter}) { nodes { id } } } }`,
}

const unprocessedLists = {
  'Query.unprocessedTriggers': (filter: string) => `{ unprocessedTriggers(${filter}) { nodes { id } } }`,
  'Event.repeats': (filter: string) => `{ event(transactionId: "invoice-1") { repeats(${filter}) { nodes { id } } } }`,
}

const runLists = {
  'Context.workflowRuns': (filter: string) => inContext(`workflowRuns(${filter}) { nodes { id } }`),
  'Query.workflowRuns': (filter: string) => `{ workflowRuns(${filter}) { nodes { id } } }`,
  'Subscriber.workflowRuns': (filter: string) =>
    `{ subscriber(subscriberId: "grace") { workflowRuns(${filter}) { nodes { id } } } }`,
  'Workflow.runs': (filter: string) => `{ workflow(identifier: "invoice-due") { runs(${filter}) { nodes { id } } } }`,
  'Event.runs': (filter: string) =>
    `{ event(transactionId: "${grace.transaction}") { runs(${filter}) { nodes { id } } } }`,
}
const deliveryLists = {
  'Query.deliveries': (filter: string) => `{ deliveries(${filter}) { nodes { id } } }`,
  'Subscriber.deliveries': (filter: string) =>
    `{ subscriber(subscriberId: "grace") { deliveries(${filter}) { nodes { id } } } }`,
}
const messageLists = { 'Query.messages': (filter: string) => `{ messages(${filter}) { nodes { __typename } } }` }

const eventCases: Record<string, Case> = {
  // Before the triggers of other cases, which leave traces with these names in the caller's own environment.
  ...filterCases(unprocessedLists, {
    subscriberId: '"ada"',
    subscriberIds: '["ada"]',
    transactionId: '"order-1"',
    workflowIdentifier: '"order-shipped"',
    workflowIdentifiers: '["order-shipped"]',
  }),
  ...triggerCases,
  ...previewCases,
  'Query.attachment(id)': findsNothing(
    'query ($id: ID!) { attachment(id: $id) { id } }',
    (_graces, { Attachment }) => ({
      id: Attachment,
    }),
  ),
  'Mutation.triggerEvent(input.attachments.uploaded.id)': doesNotFind('triggerEvent', withTheirFile),
  'Mutation.triggerEvents(input.events.attachments.uploaded.id)': async ({ graces, adas }) => {
    const events = [withTheirFile(graces.ids, adas.ids)]
    const { results } = await graces.client.act('triggerEvents', { events }, 'results { event { id } errors }')
    expect(results).toEqual([{ event: null, errors: [expect.stringMatching(/^Attachment "[^"]+" not found/)] }])
  },
  'Query.previewTrigger(input.attachments.uploaded.id)': async ({ graces, adas }) => {
    const { transactionId: _transactionId, ...input } = withTheirFile(graces.ids, adas.ids)
    const { errors } = await graces.client.send(PREVIEW, { input })
    expect(errors).toMatchObject([{ extensions: { code: 'NOT_FOUND' } }])
  },
  'Query.previewTrigger(input.to.topic.topicKey)': async ({ graces }) => {
    const { transactionId: _transactionId, ...input } = toTheirTopic
    const { errors } = await graces.client.send(PREVIEW, { input })
    expect(errors).toMatchObject([{ extensions: { code: 'NOT_FOUND' } }])
  },
  'Query.previewTrigger(input.workflowIdentifier)': async ({ graces }) => {
    const { transactionId: _transactionId, ...input } = theirWorkflow
    const { errors } = await graces.client.send(PREVIEW, { input })
    expect(errors).toMatchObject([{ extensions: { code: 'NOT_FOUND' } }])
  },
  'Mutation.triggerEvent(input.workflowIdentifier)': doesNotFind('triggerEvent', theirWorkflow),
  'Mutation.triggerEvents(input.events.workflowIdentifier)': makesItsOwn(
    'triggerEvents',
    { events: [theirWorkflow] },
    'results { event { id } errors }',
    { results: [{ event: null, errors: ['Workflow "order-shipped" not found'] }] },
  ),
  'Mutation.triggerEvent(input.to.topic.topicKey)': doesNotFind('triggerEvent', toTheirTopic),
  'Mutation.triggerEvents(input.events.to.topic.topicKey)': makesItsOwn(
    'triggerEvents',
    { events: [toTheirTopic] },
    'results { event { id } errors }',
    { results: [{ event: null, errors: ['Topic "orders" not found'] }] },
  ),
  'Event.runs(subscriberId)': findsNothing(
    `{ event(transactionId: "${grace.transaction}") { runs(subscriberId: "ada") { nodes { id } } } }`,
  ),
  'Mutation.cancelEvent(input.transactionId)': makesItsOwn('cancelEvent', { transactionId: 'order-1' }, 'cancelled', {
    cancelled: false,
  }),
  'Mutation.retryEvent(input.id)': doesNotFind('retryEvent', (_graces, { Event }) => ({ id: Event })),
  'Mutation.retryWorkflowRun(input.id)': doesNotFind('retryWorkflowRun', (_graces, { WorkflowRun }) => ({
    id: WorkflowRun,
  })),
  'Mutation.cancelWorkflowRun(input.id)': doesNotFind(
    'cancelWorkflowRun',
    (_graces, { WorkflowRun }) => ({ id: WorkflowRun }),
    async ({ client, ids: { WorkflowRun } }) => {
      await client.act('retryWorkflowRun', { id: WorkflowRun })
      return { id: WorkflowRun }
    },
  ),
  'Mutation.retryDelivery(input.id)': doesNotFind('retryDelivery', (_graces, { Delivery }) => ({ id: Delivery })),
  ...filterCases(runLists, {
    contextKeys: '["tenant:acme"]',
    subscriberId: '"ada"',
    subscriberIds: '["ada"]',
    stepId: '"chat-1", subscriberId: "ada"',
    stepIds: '["chat-1"], subscriberId: "ada"',
    transactionId: '"order-1"',
    workflowIdentifier: '"order-shipped"',
    workflowIdentifiers: '["order-shipped"]',
  }),
  ...filterCases(deliveryLists, {
    contextKeys: '["tenant:acme"]',
    integrationIdentifier: '"slack"',
    integrationIdentifiers: '["slack"]',
    stepIds: '["chat-1"], subscriberId: "ada"',
    subscriberId: '"ada"',
    subscriberIds: '["ada"]',
    transactionId: '"order-1"',
    workflowIdentifier: '"order-shipped"',
    workflowIdentifiers: '["order-shipped"]',
  }),
  ...filterCases(messageLists, {
    contextKeys: '["tenant:acme"]',
    subscriberId: '"ada"',
    subscriberIds: '["ada"]',
    transactionId: '"order-1"',
  }),
  'Query.event(transactionId)': findsNothing('{ event(transactionId: "order-1") { id } }'),
  ...filterCases(eventLists, eventFilters),
}

const notFound = [{ errors: [{ code: 'NOT_FOUND' }] }]

/** Changes the preferences of one item, which fails with these errors. */
const changesMany = (preference: object, failed: readonly object[]) =>
  makesItsOwn('updatePreferences', { preferences: [preference] }, 'failed { errors { code } }', { failed })

const preferenceCases: Record<string, Case> = {
  'Subscriber.preferences(contextKeys)': async ({ another }) => {
    const { client } = await another()
    await client.act('createSubscriber', ofAda)
    const query = '{ subscriber(subscriberId: "ada") { preferences(contextKeys: ["tenant:acme"]) { enabled } } }'
    expect(await client.ask(query)).toEqual({ subscriber: { preferences: { enabled: true } } })
  },
  'Mutation.updateSubscriberPreferences(input.subscriberId)': doesNotFind('updateSubscriberPreferences', {
    ...ofAda,
    enabled: true,
  }),
  'Mutation.updateSubscriberPreferences(input.workflowId)': doesNotFind('updateSubscriberPreferences', {
    subscriberId: 'grace',
    workflowId: 'order-shipped',
    enabled: true,
  }),
  'Mutation.updateSubscriberPreferences(input.workflowIdentifier)': doesNotFind('updateSubscriberPreferences', {
    subscriberId: 'grace',
    workflowIdentifier: 'order-shipped',
    enabled: true,
  }),
  'Mutation.updateSubscriberPreferences(input.contexts.identifier)': makesItsOwn('updateSubscriberPreferences', {
    subscriberId: 'grace',
    ...acme,
    enabled: true,
  }),
  'Mutation.createPreferenceLink(input.subscriberId)': doesNotFind('createPreferenceLink', ofAda),
  'Mutation.createPreferenceLink(input.id)': doesNotFind('createPreferenceLink', (_graces, { Subscriber }) => ({
    id: Subscriber,
  })),
  // Each link has its own token.
  'Mutation.createPreferenceLink(input.contexts.identifier)': makesItsOwn(
    'createPreferenceLink',
    { subscriberId: 'grace', ...acme },
    'url',
    { url: expect.stringMatching(/^https:/) },
  ),
  'Mutation.updatePreferences(input.preferences.subscriberId)': changesMany({ ...ofAda, enabled: true }, notFound),
  'Mutation.updatePreferences(input.preferences.id)': makesItsOwn(
    'updatePreferences',
    (_graces, { Subscriber }) => ({ preferences: [{ id: Subscriber, enabled: true }] }),
    'failed { errors { code } }',
    { failed: notFound },
  ),
  'Mutation.updatePreferences(input.preferences.workflowIdentifier)': changesMany(
    { subscriberId: 'grace', workflowIdentifier: 'order-shipped', enabled: true },
    notFound,
  ),
  'Mutation.updatePreferences(input.preferences.contexts.identifier)': changesMany(
    { subscriberId: 'grace', ...acme, enabled: true },
    [],
  ),
}

const retriesNothing =
  (filter: Input): Case =>
  async ({ another }) => {
    const { client } = await another()
    const payload = await client.act('retryWorkflowRuns', { filter }, 'retriedCount')
    expect(payload).toEqual({ retriedCount: 0, userErrors: [] })
  }

/** Filters of retries of runs, which match nothing in another environment. */
const runRetryCases: Record<string, Case> = {
  // No run of the owner's topic has ended. `test/delivery/retry-runs.test.ts` has such a run.
  'Mutation.retryWorkflowRuns(input.filter.topicKey)': retriesNothing({ topicKey: ada.topic }),
  'Mutation.retryWorkflowRuns(input.filter.topicKeys)': retriesNothing({ topicKeys: [ada.topic] }),
  ...Object.fromEntries(
    Object.entries({
      contextKeys: { contextKeys: ['tenant:acme'] },
      stepId: { stepId: 'chat-1', subscriberId: 'ada' },
      stepIds: { stepIds: ['chat-1'], subscriberId: 'ada' },
      workflowIdentifier: { workflowIdentifier: 'order-shipped' },
      workflowIdentifiers: { workflowIdentifiers: ['order-shipped'] },
      subscriberId: { subscriberId: 'ada' },
      subscriberIds: { subscriberIds: ['ada'] },
      transactionId: { transactionId: 'order-1' },
    }).map(([field, filter]) => [
      `Mutation.retryWorkflowRuns(input.filter.${field})`,
      makesItsOwn('retryWorkflowRuns', { filter }, 'retriedCount', { retriedCount: 0 }),
    ]),
  ),
}

/** Filters of retries, which match nothing in another environment. */
const retryCases: Record<string, Case> = Object.fromEntries(
  Object.entries({
    contextKeys: { contextKeys: ['tenant:acme'] },
    integrationIdentifier: { integrationIdentifier: 'slack' },
    integrationIdentifiers: { integrationIdentifiers: ['slack'] },
    stepIds: { stepIds: ['chat-1'], subscriberId: 'ada' },
    workflowIdentifier: { workflowIdentifier: 'order-shipped' },
    workflowIdentifiers: { workflowIdentifiers: ['order-shipped'] },
    subscriberId: { subscriberId: 'ada' },
    subscriberIds: { subscriberIds: ['ada'] },
    transactionId: { transactionId: 'order-1' },
  }).map(([field, filter]) => [
    `Mutation.retryDeliveries(input.filter.${field})`,
    makesItsOwn('retryDeliveries', { filter }, 'retriedCount', { retriedCount: 0 }),
  ]),
)

/** A filter of a cancellation, which matches a new event of the owner, and nothing in another environment. */
const cancels =
  (filter: Input, to: object): Case =>
  async ({ owner, another }) => {
    if (owner) {
      const { client } = await owner()
      const contexts = [{ type: 'tenant', identifier: ada.tenant }]
      await client.act('triggerEvent', { workflowIdentifier: ada.workflow, to, contexts })
      const { eventCount } = await client.act('cancelEvents', { filter }, 'eventCount')
      expect(eventCount, 'events of the owner').toBeGreaterThan(0)
    }
    const { client } = await another()
    const cancelled = await client.act('cancelEvents', { filter }, 'runCount eventCount')
    expect(cancelled).toEqual({ runCount: 0, eventCount: 0, userErrors: [] })
  }

const toAda = { subscriber: { subscriberId: ada.subscriberId } }
const cancellationCases: Record<string, Case> = {
  'Mutation.cancelEvents(input.filter.workflowIdentifier)': cancels({ workflowIdentifier: ada.workflow }, toAda),
  'Mutation.cancelEvents(input.filter.workflowIdentifiers)': cancels({ workflowIdentifiers: [ada.workflow] }, toAda),
  'Mutation.cancelEvents(input.filter.subscriberId)': cancels({ subscriberId: ada.subscriberId }, toAda),
  'Mutation.cancelEvents(input.filter.subscriberIds)': cancels({ subscriberIds: [ada.subscriberId] }, toAda),
  'Mutation.cancelEvents(input.filter.contextKeys)': cancels({ contextKeys: [`tenant:${ada.tenant}`] }, toAda),
  'Mutation.cancelEvents(input.filter.topicKey)': cancels({ topicKey: ada.topic }, { topic: { topicKey: ada.topic } }),
  'Mutation.cancelEvents(input.filter.topicKeys)': cancels(
    { topicKeys: [ada.topic] },
    { topic: { topicKey: ada.topic } },
  ),
}

/** Filters of cancellations of runs, which match a run of the owner that was retried, and nothing in another environment. */
const runCancellationCases: Record<string, Case> = Object.fromEntries(
  Object.entries({
    contextKeys: { contextKeys: [`tenant:${ada.tenant}`] },
    // The retried run has no such step yet. `test/delivery/cancel-runs.test.ts` has a run with one.
    stepId: { stepId: 'chat-1' },
    stepIds: { stepIds: ['chat-1'] },
    subscriberId: { subscriberId: ada.subscriberId },
    subscriberIds: { subscriberIds: [ada.subscriberId] },
    transactionId: { transactionId: ada.transaction },
    workflowIdentifier: { workflowIdentifier: ada.workflow },
    workflowIdentifiers: { workflowIdentifiers: [ada.workflow] },
  }).map(([field, filter]): [string, Case] => [
    `Mutation.cancelWorkflowRuns(input.filter.${field})`,
    async ({ owner, another }) => {
      const cancelled = ({ client }: Furnished) => client.act('cancelWorkflowRuns', { filter }, 'cancelledCount')
      if (owner && !field.startsWith('stepId')) {
        const own = await owner()
        await own.client.act('retryWorkflowRun', { id: own.ids['WorkflowRun'] })
        expect(await cancelled(own), 'runs of the owner').toEqual({ cancelledCount: 1, userErrors: [] })
      }
      expect(await cancelled(await another())).toEqual({ cancelledCount: 0, userErrors: [] })
    },
  ]),
)

/** Finds no counts by a condition. */
const countsNothing = (condition: string) =>
  findsNothing(
    `query ($from: DateTime!, $to: DateTime!) {
      messageStatistics(from: $from, to: $to, interval: DAY, filter: { ${condition} }) {
        channels { channel }
      }
    }`,
    () => ({ from: new Date(Date.now() - DAY), to: new Date(Date.now() + DAY) }),
  )

export const casesOfMessages: Record<string, Case> = {
  'Query.workflow(identifier)': findsNothing('{ workflow(identifier: "order-shipped") { id } }'),
  'Mutation.createWorkflow(input.identifier)': makesItsOwn('createWorkflow', {
    identifier: 'order-shipped',
    name: 'Not theirs',
  }),
  'Mutation.updateWorkflow(input.identifier)': doesNotFind('updateWorkflow', {
    identifier: 'order-shipped',
    name: 'Taken over',
  }),
  'Mutation.pauseWorkflow(input.identifier)': doesNotFind('pauseWorkflow', { identifier: 'order-shipped' }),
  'Mutation.resumeWorkflow(input.identifier)': doesNotFind('resumeWorkflow', { identifier: 'order-shipped' }),
  ...retryCases,
  ...runRetryCases,
  ...cancellationCases,
  ...runCancellationCases,
  'Mutation.deleteWorkflow(input.identifier)': doesNotFind('deleteWorkflow', { identifier: 'order-shipped' }),

  'Query.messageStatistics(filter.workflowIdentifier)': countsNothing('workflowIdentifier: "order-shipped"'),
  'Query.messageStatistics(filter.workflowIdentifiers)': countsNothing('workflowIdentifiers: ["order-shipped"]'),
  'Query.messageStatistics(filter.contextKeys)': countsNothing(`contextKeys: ["tenant:${ada.tenant}"]`),
  'Query.deliveryHealth(contextKeys)': findsNothing(
    `{ deliveryHealth(contextKeys: ["tenant:${ada.tenant}"]) { integrations { integrationIdentifier } } }`,
  ),

  ...topicCases,
  ...preferenceCases,
  ...eventCases,
}
