// The table of routes: every operation of the REST API.
import type { Route } from './route.ts'
import { channelEndpointRoutes } from './routes/channel-endpoint.ts'
import { contextRoutes } from './routes/context.ts'
import { environmentRoutes } from './routes/environment.ts'
import { erasureRoutes } from './routes/erasure.ts'
import { eventRoutes } from './routes/event.ts'
import { integrationRoutes } from './routes/integration.ts'
import { notificationRoutes } from './routes/notification.ts'
import { pauseRoutes } from './routes/pause.ts'
import { preferenceRoutes } from './routes/preference.ts'
import { retryAllRoutes } from './routes/retry-all.ts'
import { sessionRoutes } from './routes/session.ts'
import { subscriberRoutes } from './routes/subscriber.ts'
import { topicSubscriptionRoutes } from './routes/topic-subscription.ts'
import { topicRoutes } from './routes/topic.ts'
import { workflowRoutes } from './routes/workflow.ts'

export const table: readonly Route[] = [
  ...environmentRoutes,
  ...contextRoutes,
  ...subscriberRoutes,
  ...sessionRoutes,
  ...integrationRoutes,
  ...channelEndpointRoutes,
  ...topicRoutes,
  ...workflowRoutes,
  ...preferenceRoutes,
  ...topicSubscriptionRoutes,
  ...eventRoutes,
  ...notificationRoutes,
  ...erasureRoutes,
  ...pauseRoutes,
  ...retryAllRoutes,
]
