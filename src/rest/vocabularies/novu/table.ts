// The table of routes of the vocabulary.
import type { Route } from '../../route.ts'
import { novuChannelEndpointRoutes } from './routes/channel-endpoint.ts'
import { novuContextRoutes } from './routes/context.ts'
import { novuEnvironmentRoutes } from './routes/environment.ts'
import { novuEventRoutes } from './routes/event.ts'
import { novuIntegrationRoutes } from './routes/integration.ts'
import { novuPreferenceRoutes } from './routes/preference.ts'
import { novuSubscriberRoutes } from './routes/subscriber.ts'
import { novuTopicRoutes } from './routes/topic.ts'

export const novuTable: readonly Route[] = [
  ...novuEnvironmentRoutes,
  ...novuContextRoutes,
  ...novuIntegrationRoutes,
  ...novuChannelEndpointRoutes,
  ...novuTopicRoutes,
  ...novuSubscriberRoutes,
  ...novuPreferenceRoutes,
  ...novuEventRoutes,
]
