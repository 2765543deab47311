// The subscriber's session: opened when it is needed, and again when it has ended.
import { print } from '@0no-co/graphql.web'
import type { TadaDocumentNode } from 'gql.tada'
import { createClient } from 'graphql-sse'
import { type Counts, followCounts, openSession } from './documents.ts'

/** The subscriber of the inbox, as the back end of the page signed it. */
export interface Identity {
  /** The address of the gateway, without `/graphql`. */
  readonly gateway: string
  /** The public identifier of the environment. */
  readonly environment: string
  readonly subscriberId: string
  readonly subscriberHash: string
  readonly context: Readonly<Record<string, unknown>> | null
  readonly contextHash: string | null
}

interface Opened {
  readonly token: string
  readonly subscriberId: string
  readonly contextKeys: readonly string[]
}

interface Answer<Data> {
  readonly data?: Data | null
  readonly errors?: readonly { readonly message: string; readonly extensions?: { readonly code?: string } }[]
}

/** The longest time between two attempts to open the stream, in milliseconds. */
const MAX_PAUSE = 60_000

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

/** The gateway rejected the token: it expired, or the key that signed was revoked. */
class SessionEnded extends Error {}

export class Session {
  readonly #identity: Identity
  #opened: Promise<Opened> | undefined

  constructor(identity: Identity) {
    this.#identity = identity
  }

  /** The session, opened once for all who ask at the same time. */
  open(): Promise<Opened> {
    this.#opened ??= this.#openNow().catch((error: unknown) => {
      this.#opened = undefined
      throw error
    })
    return this.#opened
  }

  /** Sends an operation. If the session has ended, it opens another one and tries once more. */
  async send<Data, Variables>(document: TadaDocumentNode<Data, Variables>, variables: Variables): Promise<Data> {
    try {
      return await this.#sendOnce(document, variables)
    } catch (error) {
      if (!(error instanceof SessionEnded)) throw error
      this.#opened = undefined
      return this.#sendOnce(document, variables)
    }
  }

  /** Calls `onCounts` at once and after each change of the feed, across interruptions. @returns what ends it. */
  follow(onCounts: (counts: Counts) => void): () => void {
    const controller = new AbortController()
    const { signal } = controller
    const client = createClient({
      url: this.#address(),
      headers: async () => ({ Authorization: `Session ${(await this.open()).token}` }),
      // The session may be what fails, so each attempt below begins with it.
      retryAttempts: 0,
    })
    const followOnce = async () => {
      const { subscriberId, contextKeys } = await this.open()
      const results = client.iterate<{ notificationCountsChanged: Counts }>({
        query: print(followCounts),
        variables: { subscriberId, contextKeys },
      })
      signal.addEventListener('abort', () => void results.return?.())
      for await (const { data } of results) {
        if (data) onCounts(data.notificationCountsChanged)
      }
    }
    const followForever = async () => {
      for (let failures = 0; !signal.aborted;) {
        try {
          await followOnce()
          failures = 0
        } catch {
          // The requests for the feed report what is wrong. Without the stream, only live updates are missing.
          failures += 1
        }
        // The gateway ends a stream with its session.
        this.#opened = undefined
        await pause(Math.min(MAX_PAUSE, 1_000 * 2 ** failures))
      }
    }
    void followForever()
    return () => {
      controller.abort()
      client.dispose()
    }
  }

  #address(): string {
    return `${this.#identity.gateway.replace(/\/+$/, '')}/graphql`
  }

  async #openNow(): Promise<Opened> {
    const { environment, subscriberId, subscriberHash, context, contextHash } = this.#identity
    const input = { subscriberId, subscriberHash, context, contextHash }
    const data = await this.#post(openSession, { input }, `Environment ${environment}`)
    const { token, session, userErrors } = data.openSession
    if (token === null || session === null) throw new Error(userErrors.map(({ message }) => message).join(' '))
    return { token, ...session }
  }

  async #sendOnce<Data, Variables>(document: TadaDocumentNode<Data, Variables>, variables: Variables): Promise<Data> {
    return this.#post(document, variables, `Session ${(await this.open()).token}`)
  }

  async #post<Data, Variables>(
    document: TadaDocumentNode<Data, Variables>,
    variables: Variables,
    authorization: string,
  ): Promise<Data> {
    const response = await fetch(this.#address(), {
      method: 'POST',
      headers: { Authorization: authorization, 'Content-Type': 'application/json' },
      body: JSON.stringify({ query: print(document), variables }),
    })
    const { data, errors = [] } = (await response.json()) as Answer<Data>
    const message = errors.map((error) => error.message).join(' ')
    if (errors.some(({ extensions }) => extensions?.code === 'UNAUTHENTICATED')) throw new SessionEnded(message)
    if (data === undefined || data === null || errors.length > 0) {
      throw new Error(message === '' ? `the gateway answered with status ${response.status}` : message)
    }
    return data
  }
}
