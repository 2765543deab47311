// The signed-in dashboard: its pages inside the shell, over the graph of one session.
import { ModalsProvider } from '@mantine/modals'
import { cacheExchange } from '@urql/exchange-graphcache'
import { useMemo } from 'react'
import { RouterProvider } from 'react-router/dom'
import { Provider } from 'urql'
import { createGraphClient } from '../graph/client.ts'
import { freshExchange } from '../graph/fresh-exchange.ts'
import { retryExchange } from '../graph/retry-exchange.ts'
import { ComingPage } from '../parts/list/coming-page.ts'
import { CurrentSession } from '../session/session-context.ts'
import { SessionEnded } from '../session/session-ended.tsx'
import { sessionExchange } from '../session/session-exchange.ts'
import { type Session, sessionOf } from '../session/session.ts'
import { routerOf } from './routes.tsx'

export function Dashboard({ session }: { readonly session: Session }) {
  const { environmentId } = session
  // Each environment has a client of its own, so that the cache has no data of another one.
  const client = useMemo(
    () =>
      createGraphClient(
        () => sessionOf(environmentId)?.authorization,
        [cacheExchange(), retryExchange, freshExchange, sessionExchange(environmentId)],
      ),
    [environmentId],
  )
  return (
    <CurrentSession value={session}>
      <Provider value={client}>
        <Pages slug={session.slug} />
      </Provider>
      {session.hasEnded === true && <SessionEnded session={session} />}
    </CurrentSession>
  )
}

function Pages({ slug }: { readonly slug: string }) {
  const router = routerOf(slug)
  const comingPage = () => router.state.navigation.location?.pathname
  return (
    <ModalsProvider labels={{ confirm: 'Confirm', cancel: 'Cancel' }}>
      <ComingPage value={comingPage}>
        <RouterProvider router={router} />
      </ComingPage>
    </ModalsProvider>
  )
}
