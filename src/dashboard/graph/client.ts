// The GraphQL client of one session, over HTTP. Subscriptions are server-sent events.
import { Client, type Exchange, fetchExchange } from 'urql'
import { fetchOrTake } from './ahead.ts'

/**
 * Creates the client.
 *
 * @param authorizationNow returns the value of the `Authorization` header for a request. Undefined before the sign-in
 * @param beforeNetwork what each request passes before it is sent, such as the cache of the pages
 */
export function createGraphClient(
  authorizationNow: () => string | undefined,
  beforeNetwork: readonly Exchange[] = [],
): Client {
  return new Client({
    // The URL is relative, because a proxy may serve the gateway under a path.
    url: new URL('graphql', document.baseURI).href,
    preferGetMethod: false,
    fetch: fetchOrTake,
    fetchSubscriptions: true,
    // A page with a cache first shows the cached data, then updates it from the network.
    requestPolicy: 'cache-and-network',
    fetchOptions(): RequestInit {
      const authorization = authorizationNow()
      return { headers: authorization === undefined ? {} : { Authorization: authorization } }
    },
    exchanges: [...beforeNetwork, fetchExchange],
  })
}
