// The GraphQL client of one session: a normalized cache over HTTP, and subscriptions over server-sent events.
import { cacheExchange } from '@urql/exchange-graphcache'
import { Client, fetchExchange, mapExchange } from 'urql'
import { freshExchange } from './fresh-exchange.ts'

/**
 * Creates the client.
 *
 * @param authorization the value of the `Authorization` header. Undefined before the sign-in
 * @param onUnauthenticated is called when the gateway rejects it: the session expired, or its key was revoked
 */
export function createGraphClient(authorization: string | undefined, onUnauthenticated: () => void): Client {
  return new Client({
    // The URL is relative, because a proxy may serve the gateway under a path.
    url: new URL('graphql', document.baseURI).href,
    preferGetMethod: false,
    fetchSubscriptions: true,
    // A page first shows the cached data, then updates it from the network.
    requestPolicy: 'cache-and-network',
    fetchOptions: { headers: authorization === undefined ? {} : { Authorization: authorization } },
    exchanges: [
      mapExchange({
        onError(error) {
          const isEnded = error.graphQLErrors.some(({ extensions }) => extensions['code'] === 'UNAUTHENTICATED')
          if (isEnded) onUnauthenticated()
        },
      }),
      cacheExchange(),
      freshExchange,
      fetchExchange,
    ],
  })
}
