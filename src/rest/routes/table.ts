// The table of routes: every operation of the REST API.
import type { Route } from '../route.ts'
import { channelConnectionRoutes } from './channel-connection.ts'
import { channelEndpointRoutes } from './channel-endpoint.ts'
import { attachmentRoutes } from './attachment.ts'
import { categoryRoutes } from './category.ts'
import { contextRoutes } from './context.ts'
import { environmentRoutes } from './environment.ts'
import { erasureRoutes } from './erasure.ts'
import { eventRoutes } from './event.ts'
import { inboundTextRoutes } from './inbound-text.ts'
import { integrationRoutes } from './integration.ts'
import { notificationRoutes } from './notification.ts'
import { notificationStateRoutes } from './notification-state.ts'
import { pauseRoutes } from './pause.ts'
import { preferenceChangeRoutes } from './preference-change.ts'
import { preferenceLinkRoutes } from './preference-link.ts'
import { preferenceRoutes } from './preference.ts'
import { cancelAllRoutes } from './cancel-all.ts'
import { cancelRunRoutes } from './cancel-run.ts'
import { retryAllRoutes } from './retry-all.ts'
import { retryRunRoutes } from './retry-run.ts'
import { sessionRoutes } from './open-session.ts'
import { subscriberRoutes } from './subscriber.ts'
import { suppressionRoutes } from './suppression.ts'
import { topicSubscriptionRoutes } from './topic-subscription.ts'
import { topicRoutes } from './topic.ts'
import { unprocessedTriggerRoutes } from './unprocessed-trigger.ts'
import { webhookSubscriptionRoutes } from './webhook-subscription.ts'
import { workflowRoutes } from './workflow.ts'

export const table: readonly Route[] = [
  ...environmentRoutes,
  ...contextRoutes,
  ...subscriberRoutes,
  ...sessionRoutes,
  ...integrationRoutes,
  ...channelConnectionRoutes,
  ...channelEndpointRoutes,
  ...suppressionRoutes,
  ...inboundTextRoutes,
  ...topicRoutes,
  ...categoryRoutes,
  ...workflowRoutes,
  ...preferenceRoutes,
  ...preferenceLinkRoutes,
  ...preferenceChangeRoutes,
  ...topicSubscriptionRoutes,
  ...attachmentRoutes,
  ...eventRoutes,
  ...unprocessedTriggerRoutes,
  ...notificationRoutes,
  ...notificationStateRoutes,
  ...erasureRoutes,
  ...pauseRoutes,
  ...cancelAllRoutes,
  ...cancelRunRoutes,
  ...retryAllRoutes,
  ...retryRunRoutes,
  ...webhookSubscriptionRoutes,
]
