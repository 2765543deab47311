// The pages by path. Each is loaded when it is first opened.
import { createHashRouter } from 'react-router'
import { NotFound } from './not-found.tsx'
import { PageFailed } from './page-failed.tsx'
import { Shell } from './shell.tsx'
import { Loading } from '../parts/loading.tsx'

/** The path is in the fragment of the address, so that the page works under every prefix of a proxy. */
export const router = createHashRouter([
  {
    path: '/',
    Component: Shell,
    HydrateFallback: Loading,
    children: [
      {
        ErrorBoundary: PageFailed,
        children: [
          { index: true, lazy: () => import('../pages/home/home.tsx') },
          { path: 'events', lazy: () => import('../pages/events/event-list.tsx') },
          { path: 'events/:transactionId', lazy: () => import('../pages/events/event-detail.tsx') },
          { path: 'deliveries', lazy: () => import('../pages/deliveries/delivery-list.tsx') },
          { path: 'workflows', lazy: () => import('../pages/workflows/workflow-list.tsx') },
          { path: 'workflows/:identifier', lazy: () => import('../pages/workflows/workflow-detail.tsx') },
          { path: 'subscribers', lazy: () => import('../pages/subscribers/subscriber-list.tsx') },
          {
            path: 'subscribers/:subscriberId',
            lazy: () => import('../pages/subscribers/subscriber-page.tsx'),
            children: [
              { index: true, lazy: () => import('../pages/subscribers/profile.tsx') },
              { path: 'credentials', lazy: () => import('../pages/subscribers/credentials.tsx') },
              { path: 'preferences', lazy: () => import('../pages/subscribers/preferences.tsx') },
              { path: 'topics', lazy: () => import('../pages/subscribers/topics.tsx') },
              { path: 'endpoints', lazy: () => import('../pages/subscribers/endpoints.tsx') },
              { path: 'feed', lazy: () => import('../pages/subscribers/feed.tsx') },
              { path: 'activity', lazy: () => import('../pages/subscribers/activity.tsx') },
              { path: 'data', lazy: () => import('../pages/subscribers/privacy.tsx') },
              { path: '*', Component: NotFound },
            ],
          },
          { path: 'import/subscribers', lazy: () => import('../pages/subscribers/import-page.tsx') },
          { path: 'erasures/:id', lazy: () => import('../pages/subscribers/erasure.tsx') },
          { path: 'topics', lazy: () => import('../pages/topics/topic-list.tsx') },
          { path: 'topics/:key', lazy: () => import('../pages/topics/topic-detail.tsx') },
          {
            path: 'topics/:key/subscriptions/:identifier',
            lazy: () => import('../pages/topics/subscription-detail.tsx'),
          },
          { path: 'contexts', lazy: () => import('../pages/contexts/context-list.tsx') },
          { path: 'contexts/:key', lazy: () => import('../pages/contexts/context-detail.tsx') },
          { path: 'channel-endpoints', lazy: () => import('../pages/channel-endpoints/channel-endpoint-list.tsx') },
          {
            path: 'channel-endpoints/:identifier',
            lazy: () => import('../pages/channel-endpoints/channel-endpoint-detail.tsx'),
          },
          { path: 'integrations', lazy: () => import('../pages/integrations/integration-list.tsx') },
          { path: 'integrations/:identifier', lazy: () => import('../pages/integrations/integration-detail.tsx') },
          { path: 'environments', lazy: () => import('../pages/environments/environment-list.tsx') },
          { path: 'environments/:id', lazy: () => import('../pages/environments/environment-detail.tsx') },
          { path: '*', Component: NotFound },
        ],
      },
    ],
  },
])
