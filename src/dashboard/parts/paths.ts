// The addresses of the pages, so that every id can be a link.
const segment = encodeURIComponent

export const paths = {
  topics: '/topics',
  topic: (key: string) => `/topics/${segment(key)}`,
  subscriber: (subscriberId: string) => `/subscribers/${segment(subscriberId)}`,
  context: (key: string) => `/contexts/${segment(key)}`,
  channelEndpoint: (identifier: string) => `/channel-endpoints/${segment(identifier)}`,
  integrations: '/integrations',
  integration: (identifier: string) => `/integrations/${segment(identifier)}`,
  workflow: (identifier: string) => `/workflows/${segment(identifier)}`,
  events: '/events',
  event: (transactionId: string) => `/events/${segment(transactionId)}`,
} as const
