// The published browser inbox, unmodified, which calls an application without a network.
import { Novu, type NovuOptions } from '@novu/js'
import { afterAll, beforeAll, vi } from 'vitest'
import { sign } from '../browser.ts'
import type { Client, World } from '../world.ts'

/** The address of the vocabulary. */
const apiUrl = 'http://gateway.test/novu'

/** Passes the requests of pages to the application, in all tests of a file. */
export function stubFetch(world: Pick<World, 'app'>): void {
  beforeAll(() => {
    vi.stubGlobal('fetch', (input: string | URL, init?: RequestInit) => world.app.fetch(new Request(input, init)))
  })
  // Files share a process.
  afterAll(() => vi.unstubAllGlobals())
}

export const identifierOf = async (client: Client): Promise<string> =>
  (await client.ask('{ environment { identifier } }')).environment.identifier

type PageOptions = Partial<NovuOptions> & { readonly subscriber: { readonly subscriberId: string } & object }

/** Opens a page for a subscriber whom the client's API key signs, unless the options have other hashes. */
export async function pageOf(client: Client, options: PageOptions): Promise<Novu> {
  const { subscriber, context } = options
  return new Novu({
    applicationIdentifier: await identifierOf(client),
    subscriberHash: sign(subscriber.subscriberId, client),
    ...(context && { contextHash: sign(JSON.stringify(context), client) }),
    apiUrl,
    useCache: false,
    ...options,
  })
}

/** The outcome of opening a session, as the page receives it. */
export const sessionOf = (page: Novu): Promise<{ readonly data?: unknown; readonly error?: unknown }> =>
  new Promise((resolve) => page.on('session.initialize.resolved', ({ data, error }) => resolve({ data, error })))

/** Opens a page and its session. @returns the token, too, for requests that the package does not send. */
export async function openedPage(client: Client, options: PageOptions): Promise<{ page: Novu; token: string }> {
  const page = await pageOf(client, options)
  const { data, error } = await sessionOf(page)
  if (error !== undefined) throw error as Error
  return { page, token: (data as { token: string }).token }
}
