// Every operation of the REST door, a row each.
import { channelEndpointRows } from './channel-endpoint.ts'
import { contextRows } from './context.ts'
import { environmentRows } from './environment.ts'
import { eventRows } from './event.ts'
import { integrationRows } from './integration.ts'
import { notificationRows } from './notification.ts'
import { preferenceRows } from './preference.ts'
import type { Row } from './route.ts'
import { sessionRows } from './session.ts'
import { subscriberRows } from './subscriber.ts'
import { topicRows } from './topic.ts'
import { topicSubscriptionRows } from './topic-subscription.ts'
import { workflowRows } from './workflow.ts'

export const table: readonly Row[] = [
  ...environmentRows,
  ...contextRows,
  ...subscriberRows,
  ...sessionRows,
  ...integrationRows,
  ...channelEndpointRows,
  ...topicRows,
  ...workflowRows,
  ...preferenceRows,
  ...topicSubscriptionRows,
  ...eventRows,
  ...notificationRows,
]
