// The GraphQL client of one session: a normalized cache over HTTP, and subscriptions over server-sent events.
import { cacheExchange } from '@urql/exchange-graphcache'
import { Client, fetchExchange, mapExchange } from 'urql'
import { cacheOptions } from './cache.ts'

/** True if the gateway no longer accepts the session: it expired, or its key was revoked. */
const isUnauthenticated = (code: unknown) => code === 'UNAUTHENTICATED'

/**
 * Creates the client.
 *
 * @param authorization the value of the `Authorization` header
 * @param onUnauthenticated is called when the gateway rejects it
 */
export function createGraphClient(authorization: string, onUnauthenticated: () => void): Client {
  return new Client({
    // Relative, because a proxy may serve the gateway under a path.
    url: new URL('graphql', document.baseURI).href,
    preferGetMethod: false,
    fetchSubscriptions: true,
    fetchOptions: { headers: { Authorization: authorization } },
    exchanges: [
      mapExchange({
        onError(error) {
          if (error.graphQLErrors.some(({ extensions }) => isUnauthenticated(extensions['code']))) onUnauthenticated()
        },
      }),
      cacheExchange(cacheOptions),
      fetchExchange,
    ],
  })
}
