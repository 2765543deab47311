// The main navigation.
import {
  IconBuilding,
  IconHash,
  IconPlugConnected,
  IconTimelineEvent,
  IconWebhook,
  type TablerIcon,
} from '@tabler/icons-react'

export interface Destination {
  readonly label: string
  readonly path: string
  readonly icon: TablerIcon
}

/** The destinations in groups, in the order in which the navigation shows them. */
export const navigation: readonly { readonly group: string; readonly destinations: readonly Destination[] }[] = [
  {
    group: 'Activity',
    destinations: [{ label: 'Events', path: '/events', icon: IconTimelineEvent }],
  },
  {
    group: 'Delivery',
    destinations: [{ label: 'Integrations', path: '/integrations', icon: IconPlugConnected }],
  },
  {
    group: 'Audience',
    destinations: [
      { label: 'Topics', path: '/topics', icon: IconHash },
      { label: 'Contexts', path: '/contexts', icon: IconBuilding },
      { label: 'Channel endpoints', path: '/channel-endpoints', icon: IconWebhook },
    ],
  },
]
