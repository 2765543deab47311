// The addresses of the pages, so that every id can be a link.
const segment = encodeURIComponent

export const paths = {
  topics: '/topics',
  topic: (key: string) => `/topics/${segment(key)}`,
  topicSubscription: (key: string, identifier: string) =>
    `/topics/${segment(key)}/subscriptions/${segment(identifier)}`,
  categories: '/categories',
  category: (key: string) => `/categories/${segment(key)}`,
  /** The list of workflows that shows only those of a category. */
  workflowsOfCategory: (key: string) => `/workflows?category=${segment(key)}`,
  contexts: '/contexts',
  subscribers: '/subscribers',
  /** The list of subscribers that shows only those that a search finds. */
  subscribersFound: (text: string) => `/subscribers?search=${segment(text)}`,
  importSubscribers: '/import/subscribers',
  subscriber: (subscriberId: string) => `/subscribers/${segment(subscriberId)}`,
  /** The path of a tab on a subscriber's page. */
  subscriberTab: (subscriberId: string, tab: string) => `/subscribers/${segment(subscriberId)}/${tab}`,
  erasure: (id: string) => `/erasures/${segment(id)}`,
  context: (key: string) => `/contexts/${segment(key)}`,
  suppressions: '/suppressions',
  importSuppressions: '/import/suppressions',
  channelEndpoints: '/channel-endpoints',
  channelEndpoint: (identifier: string) => `/channel-endpoints/${segment(identifier)}`,
  integrations: '/integrations',
  integration: (identifier: string) => `/integrations/${segment(identifier)}`,
  webhooks: '/webhooks',
  webhook: (identifier: string) => `/webhooks/${segment(identifier)}`,
  webhookDelivery: (identifier: string, id: string) => `/webhooks/${segment(identifier)}/deliveries/${segment(id)}`,
  workflows: '/workflows',
  workflow: (identifier: string) => `/workflows/${segment(identifier)}`,
  failedRuns: (workflow: string) => `/workflows/${segment(workflow)}?tab=runs&status=FAILED`,
  events: '/events',
  event: (transactionId: string) => `/events/${segment(transactionId)}`,
  /** The page of an event that shows only one of its recipients. */
  recipient: (transactionId: string, subscriberId: string) =>
    `/events/${segment(transactionId)}?subscriber=${segment(subscriberId)}`,
  /** The page of an event that shows only recipients with an outcome, and with a reason if there is one. */
  recipients: (transactionId: string, outcome: string, reason: string | null) =>
    `/events/${segment(transactionId)}?outcome=${outcome}${reason === null ? '' : `&reason=${segment(reason)}`}`,
  unprocessedTriggers: '/unprocessed-triggers',
  /** The triggers that repeated a transaction id. */
  repeats: (transactionId: string) => `/unprocessed-triggers?kind=REPEATED&transaction=${segment(transactionId)}`,
  deliveries: '/deliveries',
  captured: '/captured',
  capturedMessage: (id: string) => `/captured/${segment(id)}`,
  environments: '/environments',
  environment: (id: string) => `/environments/${segment(id)}`,
  /** Leaves for a page of another environment. */
  otherEnvironment: (slug: string, path: string) => `/switch-to/${slug}${path}`,
} as const

const lists: readonly unknown[] = Object.values(paths)

/** Returns the path of the list that a page belongs to. Empty for a page without one. */
export function listOf(path: string): string {
  const [, first = ''] = path.split('/')
  return lists.includes(`/${first}`) ? `/${first}` : ''
}
