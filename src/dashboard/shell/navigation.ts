// The main navigation.
import {
  IconApi,
  IconBrandGraphql,
  IconBroadcast,
  IconBuilding,
  IconCategory,
  IconHash,
  IconHome,
  IconInbox,
  IconKey,
  IconMailOff,
  IconPlugConnected,
  IconRoute,
  IconWebhook,
  IconSend,
  IconTimelineEvent,
  IconUsers,
  type TablerIcon,
} from '@tabler/icons-react'
import { hasGraphiql } from './served.ts'

export interface Destination {
  readonly label: string
  readonly path: string
  readonly icon: TablerIcon
  /** True for pages that the gateway serves next to the dashboard. Their paths are relative. */
  readonly isOutside?: boolean
}

const graphiql: Destination = { label: 'GraphiQL', path: 'graphql', icon: IconBrandGraphql, isOutside: true }

/** The destinations in groups, in display order. */
export const navigation: readonly { readonly group: string; readonly destinations: readonly Destination[] }[] = [
  {
    group: 'Overview',
    destinations: [{ label: 'Home', path: '/', icon: IconHome }],
  },
  {
    group: 'Activity',
    destinations: [
      { label: 'Events', path: '/events', icon: IconTimelineEvent },
      { label: 'Messages', path: '/deliveries', icon: IconSend },
      { label: 'Captured messages', path: '/captured', icon: IconInbox },
    ],
  },
  {
    group: 'Delivery',
    destinations: [
      { label: 'Workflows', path: '/workflows', icon: IconRoute },
      { label: 'Categories', path: '/categories', icon: IconCategory },
      { label: 'Integrations', path: '/integrations', icon: IconPlugConnected },
    ],
  },
  {
    group: 'Audience',
    destinations: [
      { label: 'Subscribers', path: '/subscribers', icon: IconUsers },
      { label: 'Topics', path: '/topics', icon: IconHash },
      { label: 'Contexts', path: '/contexts', icon: IconBuilding },
      { label: 'Channel endpoints', path: '/channel-endpoints', icon: IconWebhook },
      { label: 'Suppressions', path: '/suppressions', icon: IconMailOff },
    ],
  },
  {
    group: 'Developers',
    destinations: [
      { label: 'Environments and keys', path: '/environments', icon: IconKey },
      { label: 'Webhooks', path: '/webhooks', icon: IconBroadcast },
      ...(hasGraphiql ? [graphiql] : []),
      { label: 'REST API', path: 'docs', icon: IconApi, isOutside: true },
    ],
  },
]
