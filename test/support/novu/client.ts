// The published back-end client, unmodified, which calls an application without a network.
import { Novu } from '@novu/api'
import { HTTPClient } from '@novu/api/lib/http.js'
import type { App } from '../../../src/app.ts'

/**
 * Returns a client of an application.
 *
 * @param repeats true for the client's own retries. By default, it gives up after its first request, so that a test
 *   sees what it would repeat.
 */
export function novuClient({ app }: { readonly app: Pick<App, 'fetch'> }, key: string, { repeats = false } = {}): Novu {
  const httpClient = new HTTPClient({
    fetcher: (input, init) => app.fetch(input instanceof Request ? input : new Request(input, init)),
  })
  return new Novu({
    serverURL: 'http://gateway.test/novu',
    secretKey: key,
    httpClient,
    ...(!repeats && { retryConfig: { strategy: 'none' } }),
  })
}
