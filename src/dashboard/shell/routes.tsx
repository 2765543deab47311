// The pages of an environment by path. Each is loaded when it is first opened.
import { createHashRouter, type RouteObject } from 'react-router'
import { currentRouter, type Router } from './current-router.ts'
import { noteEntry, prepareEntries } from './history-entries.ts'
import { NotFound } from './not-found.tsx'
import { PageFailed } from './page-failed.tsx'
import { Shell } from './shell.tsx'
import { SwitchEnvironment } from './switch-environment.tsx'
import { Loading } from '../parts/loading.tsx'

const routes: RouteObject[] = [
  {
    path: '/',
    Component: Shell,
    HydrateFallback: Loading,
    ErrorBoundary: PageFailed,
    children: [
      {
        ErrorBoundary: PageFailed,
        children: [
          { index: true, lazy: () => import('../pages/home/home.tsx') },
          { path: 'events', lazy: () => import('../pages/events/event-list.tsx') },
          { path: 'unprocessed-triggers', lazy: () => import('../pages/events/unprocessed-list.tsx') },
          { path: 'events/:transactionId', lazy: () => import('../pages/events/event-detail.tsx') },
          { path: 'deliveries', lazy: () => import('../pages/deliveries/delivery-list.tsx') },
          { path: 'captured', lazy: () => import('../pages/captured/captured-list.tsx') },
          { path: 'captured/:id', lazy: () => import('../pages/captured/captured-message.tsx') },
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
              { path: 'consent', lazy: () => import('../pages/subscribers/consent.tsx') },
              { path: 'topics', lazy: () => import('../pages/subscribers/topics.tsx') },
              { path: 'endpoints', lazy: () => import('../pages/subscribers/endpoints.tsx') },
              { path: 'feed', lazy: () => import('../pages/subscribers/feed.tsx') },
              { path: 'activity', lazy: () => import('../pages/subscribers/activity.tsx') },
              { path: 'data', lazy: () => import('../pages/subscribers/privacy.tsx') },
              { path: '*', Component: NotFound },
            ],
          },
          { path: 'import/subscribers', lazy: () => import('../pages/subscribers/import/import-page.tsx') },
          { path: 'erasures/:id', lazy: () => import('../pages/subscribers/erasure.tsx') },
          { path: 'topics', lazy: () => import('../pages/topics/topic-list.tsx') },
          { path: 'topics/:key', lazy: () => import('../pages/topics/topic-detail.tsx') },
          {
            path: 'topics/:key/subscriptions/:identifier',
            lazy: () => import('../pages/topics/subscription-detail.tsx'),
          },
          { path: 'categories', lazy: () => import('../pages/categories/category-list.tsx') },
          { path: 'categories/:key', lazy: () => import('../pages/categories/category-detail.tsx') },
          { path: 'contexts', lazy: () => import('../pages/contexts/context-list.tsx') },
          { path: 'contexts/:key', lazy: () => import('../pages/contexts/context-detail.tsx') },
          { path: 'suppressions', lazy: () => import('../pages/suppressions/suppression-list.tsx') },
          { path: 'import/suppressions', lazy: () => import('../pages/suppressions/import-page.tsx') },
          { path: 'channel-endpoints', lazy: () => import('../pages/channel-endpoints/channel-endpoint-list.tsx') },
          {
            path: 'channel-endpoints/:identifier',
            lazy: () => import('../pages/channel-endpoints/channel-endpoint-detail.tsx'),
          },
          { path: 'integrations', lazy: () => import('../pages/integrations/integration-list.tsx') },
          { path: 'integrations/:identifier', lazy: () => import('../pages/integrations/integration-detail.tsx') },
          { path: 'webhooks', lazy: () => import('../pages/webhooks/webhook-list.tsx') },
          { path: 'webhooks/:identifier', lazy: () => import('../pages/webhooks/webhook-detail.tsx') },
          { path: 'webhooks/:identifier/deliveries/:id', lazy: () => import('../pages/webhooks/delivery-detail.tsx') },
          { path: 'environments', lazy: () => import('../pages/environments/environment-list.tsx') },
          { path: 'environments/:id', lazy: () => import('../pages/environments/environment-detail.tsx') },
          { path: 'switch-to/:slug/*', Component: SwitchEnvironment },
          { path: '*', Component: NotFound },
        ],
      },
    ],
  },
]

prepareEntries()

/**
 * Returns the router of an environment. The path is in the fragment of the address, so that the page works under every
 * prefix of a proxy. It begins with the slug of the environment, which links and pages do not see.
 */
export const routerOf = (slug: string): Router =>
  currentRouter(slug, () => {
    const router = createHashRouter(routes, { basename: `/${slug}` })
    router.subscribe(noteEntry)
    return router
  })
