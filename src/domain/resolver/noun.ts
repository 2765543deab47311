// The nouns of GraphQL and REST, oldest first: the stem of each noun's permissions, and its group in OpenAPI.

export const nouns = [
  { name: 'environment', plural: 'Environments', description: 'Stages of an application, each with its own API keys.' },
  { name: 'apiKey', plural: 'API keys', description: 'Credentials of an environment.' },
  {
    name: 'dashboardSession',
    plural: 'Dashboard sessions',
    description: 'Short-lived access for the dashboard, with the access of an API key.',
  },
  { name: 'context', plural: 'Contexts', description: 'Tenants, apps and other scopes inside an environment.' },
  { name: 'subscriber', plural: 'Subscribers', description: 'Recipients of notifications.' },
  {
    name: 'session',
    plural: 'Sessions',
    description: 'Short-lived access for browsers, which must not have an API key.',
  },
  { name: 'integration', plural: 'Integrations', description: 'Providers with the credentials of an account.' },
  {
    name: 'channelConnection',
    plural: 'Channel connections',
    description: 'Workspaces of chat services with their tokens.',
  },
  { name: 'channelEndpoint', plural: 'Channel endpoints', description: 'Addresses of subscribers on integrations.' },
  { name: 'suppression', plural: 'Suppressions', description: 'Addresses to which nothing is sent.' },
  { name: 'inboundText', plural: 'Inbound texts', description: 'Text messages that people sent.' },
  { name: 'topic', plural: 'Topics', description: 'Groups of subscribers.' },
  {
    name: 'category',
    plural: 'Categories',
    description: 'Groups of workflows that subscribers turn on and off together.',
  },
  { name: 'workflow', plural: 'Workflows', description: 'Sequences of steps that a trigger runs for each recipient.' },
  { name: 'preference', plural: 'Preferences', description: 'Channels that a subscriber wants to receive.' },
  { name: 'topicSubscription', plural: 'Topic subscriptions', description: 'Subscribers of topics.' },
  { name: 'event', plural: 'Events', description: 'Triggers of workflows.' },
  { name: 'deliveryReport', plural: 'Delivery reports', description: 'What providers report about messages.' },
  { name: 'notification', plural: 'Notifications', description: 'In-app feeds of subscribers.' },
  {
    name: 'webhookSubscription',
    plural: 'Webhook subscriptions',
    description: 'Receivers of messages about changes, in the format of Standard Webhooks.',
  },
] as const

export type Noun = (typeof nouns)[number]['name']
