// Every operation on one object, which can be named in two ways, and what names the object in each.
import type { Furnished, Names } from '../furnish.ts'
import type { Client } from '../world.ts'

type Input = Readonly<Record<string, unknown>>

/** A field of Query, or a mutation, that takes an object by its own name or by its node id. */
export interface Address {
  readonly kind: 'Query' | 'Mutation'
  readonly operation: string
  /** The type of the object. */
  readonly type: string
  /** The fields of the object's own name. */
  readonly own: readonly string[]
  /** The object's own name. */
  readonly named: (names: Names, client: Client) => Input | Promise<Input>
  /** The field of the node id. Default: `id`. */
  readonly idField?: string
  /** The other required fields. */
  readonly others?: Input
  /** The selection of a query. Default: none, because the field is JSON. */
  readonly selected?: string
}

const bySubscriberId = ({ subscriberId }: Names) => ({ subscriberId })
const byIdentifier = async (_names: Names, client: Client) => {
  const { environment } = await client.ask('{ environment { identifier } }')
  return { identifier: environment.identifier }
}
const nouns = {
  Subscriber: { own: ['subscriberId'], named: bySubscriberId },
  Topic: { own: ['key'], named: ({ topic }: Names) => ({ key: topic }) },
  Category: { own: ['key'], named: ({ category }: Names) => ({ key: category }) },
  Workflow: { own: ['identifier'], named: ({ workflow }: Names) => ({ identifier: workflow }) },
  Integration: { own: ['identifier'], named: ({ integration }: Names) => ({ identifier: integration }) },
  ChannelEndpoint: { own: ['identifier'], named: ({ endpoint }: Names) => ({ identifier: endpoint }) },
  Context: { own: ['key'], named: ({ tenant }: Names) => ({ key: `tenant:${tenant}` }) },
  Event: { own: ['transactionId'], named: ({ transaction }: Names) => ({ transactionId: transaction }) },
  TopicSubscription: {
    own: ['topicKey', 'identifier'],
    named: ({ topic, subscription }: Names) => ({ topicKey: topic, identifier: subscription }),
  },
  WebhookSubscription: { own: ['identifier'], named: ({ webhook }: Names) => ({ identifier: webhook }) },
  Environment: { own: ['identifier'], named: byIdentifier },
} as const satisfies Readonly<Record<string, Pick<Address, 'own' | 'named'>>>
type Noun = keyof typeof nouns

/** The mutations of each noun, with the fields that they require. */
const mutations: Readonly<Record<Noun, Readonly<Record<string, Input>>>> = {
  Subscriber: {
    updateSubscriber: { firstName: 'Named' },
    setSubscriberOnline: { isOnline: true },
    setSubscriberCredentials: { providerId: 'FCM', credentials: { deviceTokens: ['another'] } },
    appendSubscriberCredentials: { providerId: 'FCM', credentials: { deviceTokens: ['another'] } },
    deleteSubscriberCredentials: { providerId: 'FCM' },
    updateSubscriberPreferences: { enabled: true },
    deleteSubscriber: {},
    eraseSubscriber: {},
  },
  Topic: { updateTopic: { name: 'Named' }, deleteTopic: {} },
  Category: { updateCategory: { name: 'Named' }, deleteCategory: {} },
  Workflow: { updateWorkflow: { name: 'Named' }, pauseWorkflow: {}, resumeWorkflow: {}, deleteWorkflow: {} },
  Integration: { pauseIntegration: {}, resumeIntegration: {}, deleteIntegration: {} },
  ChannelEndpoint: {
    updateChannelEndpoint: { endpoint: { workspaceChatUser: { userId: 'U-named' } } },
    deleteChannelEndpoint: {},
  },
  Context: { updateContext: { data: { plan: 'named' } }, deleteContext: {} },
  Event: { retryEvent: {}, cancelEvent: {}, deleteNotificationsOfEvent: {} },
  TopicSubscription: { updateTopicSubscription: { name: 'Named' } },
  WebhookSubscription: {
    updateWebhookSubscription: { description: 'Named' },
    rotateWebhookSecret: {},
    sendTestWebhook: {},
    replayWebhooks: { from: '2030-01-01T00:00:00.000Z', to: '2030-01-02T00:00:00.000Z' },
    deleteWebhookSubscription: {},
  },
  Environment: {
    updateEnvironment: { color: '#123456' },
    pauseEnvironment: {},
    resumeEnvironment: {},
    deleteEnvironment: {},
  },
}

/** A channel connection, whose type has another name. */
const connection = {
  ...{ type: 'ConnectedWorkspace', own: ['identifier'] },
  named: ({ workspace }: Names) => ({ identifier: workspace }),
} as const

const fieldOf = (type: string) => `${type.charAt(0).toLowerCase()}${type.slice(1)}`

/** To test another operation on one object, add it here. */
export const addresses: readonly Address[] = [
  ...Object.entries(nouns).flatMap(([type, noun]): Address[] => [
    ...Object.entries(mutations[type as Noun]).map(([operation, others]): Address => ({
      ...noun,
      kind: 'Mutation',
      operation,
      type,
      others,
    })),
    // A caller reads its own environment only, without an address.
    ...(type === 'Environment'
      ? []
      : [{ ...noun, kind: 'Query', operation: fieldOf(type), type, selected: '{ id }' } as const]),
  ]),
  { ...nouns.Subscriber, kind: 'Query', operation: 'subscriberExport', type: 'Subscriber' },
  { ...connection, kind: 'Query', operation: 'channelConnection', selected: '{ id }' },
  {
    ...{ ...connection, kind: 'Mutation', operation: 'updateChannelConnection' },
    others: { workspace: { externalId: 'T-named' } },
  },
  { ...connection, kind: 'Mutation', operation: 'deleteChannelConnection' },
  {
    ...{ kind: 'Mutation', operation: 'updateIntegration', type: 'Integration', others: { name: 'Named' } },
    own: ['currentIdentifier'],
    named: ({ integration }) => ({ currentIdentifier: integration }),
  },
  {
    ...{ kind: 'Mutation', operation: 'sendTestMessage', type: 'Integration', idField: 'integrationId' },
    own: ['integrationIdentifier'],
    named: ({ integration }) => ({ integrationIdentifier: integration }),
    others: { to: { webhookUrl: 'http://127.0.0.1:9' } },
  },
  {
    ...{ kind: 'Mutation', operation: 'setTextReplies', type: 'Integration', idField: 'integrationId' },
    own: ['integrationIdentifier'],
    named: ({ integration }) => ({ integrationIdentifier: integration }),
  },
  {
    ...{ kind: 'Mutation', operation: 'rotateInboundWebhookToken', type: 'Integration', idField: 'integrationId' },
    own: ['integrationIdentifier'],
    named: ({ integration }) => ({ integrationIdentifier: integration }),
  },
  {
    ...{ kind: 'Mutation', operation: 'deleteTopicSubscriptions', type: 'Topic', idField: 'topicId' },
    own: ['topicKey'],
    named: ({ topic }) => ({ topicKey: topic }),
    others: { subscriptions: [{ identifier: 'none' }] },
  },
]

/** The field of the node id. */
export const idFieldOf = ({ idField = 'id' }: Address): string => idField

/** The node id of the object in a furnished environment. */
export const nodeIdIn = (address: Address, { ids }: Pick<Furnished, 'ids'>): Input => ({
  [idFieldOf(address)]: ids[address.type],
})

/** The text of a query with an address as its arguments. */
export const queryOf = ({ operation, selected = '' }: Address, input: Input): string => {
  const args = Object.entries(input).map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
  return `{ ${operation}${args.length > 0 ? `(${args.join(', ')})` : ''} ${selected} }`
}
