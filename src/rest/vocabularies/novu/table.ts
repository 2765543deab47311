// The table of routes of the vocabulary.
import type { Route } from '../../route.ts'
import { novuOwnFeedRoutes } from './inbox/notification.ts'
import { novuOwnPreferenceRoutes } from './inbox/preference.ts'
import { novuSessionRoutes } from './inbox/session.ts'
import { novuOwnSubscriptionRoutes } from './inbox/subscription.ts'
import { novuActivityRoutes } from './routes/activity.ts'
import { novuChannelConnectionRoutes } from './routes/channel-connection.ts'
import { novuChannelEndpointRoutes } from './routes/channel-endpoint.ts'
import { novuContextRoutes } from './routes/context.ts'
import { novuEnvironmentRoutes } from './routes/environment.ts'
import { novuEventRoutes } from './routes/event.ts'
import { novuFeedRoutes } from './routes/feed.ts'
import { novuIntegrationRoutes } from './routes/integration.ts'
import { novuMessageRoutes } from './routes/message.ts'
import { novuPreferenceRoutes } from './routes/preference.ts'
import { novuStepPreviewRoutes } from './routes/step-preview.ts'
import { novuSubscriberRoutes } from './routes/subscriber.ts'
import { novuTopicRoutes } from './routes/topic.ts'
import { novuWorkflowRoutes } from './routes/workflow.ts'

export const novuTable: readonly Route[] = [
  ...novuEnvironmentRoutes,
  ...novuContextRoutes,
  ...novuIntegrationRoutes,
  ...novuChannelConnectionRoutes,
  ...novuChannelEndpointRoutes,
  ...novuTopicRoutes,
  ...novuSubscriberRoutes,
  ...novuPreferenceRoutes,
  ...novuEventRoutes,
  ...novuFeedRoutes,
  ...novuSessionRoutes,
  ...novuMessageRoutes,
  ...novuActivityRoutes,
  ...novuWorkflowRoutes,
  ...novuStepPreviewRoutes,
  ...novuOwnFeedRoutes,
  ...novuOwnPreferenceRoutes,
  ...novuOwnSubscriptionRoutes,
]
