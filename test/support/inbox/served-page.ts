// Pages of an application on an origin of its own.
import { createServer } from 'node:http'
import { onTestFinished } from 'vitest'
import { portOf } from '../process/port.ts'

export interface Served {
  /** HTML by path. `/` is the page for every other path. */
  readonly pages: Map<string, string>
  /** The Content-Security-Policy of all pages. Empty if there is none. */
  policy: string
}

/** Serves pages until the test ends. What they are can change in the meantime. */
export async function servePages(): Promise<{ readonly origin: string; readonly served: Served }> {
  const served: Served = { pages: new Map(), policy: '' }
  const server = createServer(({ url = '/' }, response) => {
    if (served.policy !== '') response.setHeader('Content-Security-Policy', served.policy)
    response.setHeader('Content-Type', 'text/html; charset=utf-8')
    response.end(served.pages.get(url) ?? served.pages.get('/'))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { origin: `http://127.0.0.1:${portOf(server)}`, served }
}
