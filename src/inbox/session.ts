// The subscriber's session: opened when it is first needed, and again after it ends.
import { print } from '@0no-co/graphql.web'
import type { TadaDocumentNode } from 'gql.tada'
import { createClient } from 'graphql-sse'
import { type Counts, followCounts, openSession } from './documents.ts'

/** The subscriber of the inbox, as signed by the page's back end. */
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

/** The gateway rejected the token: it has expired, or the key that signed the session was revoked. */
class SessionEnded extends Error {}

export class Session {
  readonly #identity: Identity
  #opened: Promise<Opened> | undefined

  constructor(identity: Identity) {
    this.#identity = identity
  }

  /** The session. Concurrent callers share one attempt to open it. */
  open(): Promise<Opened> {
    this.#opened ??= this.#openNow().catch((error: unknown) => {
      this.#opened = undefined
      throw error
    })
    return this.#opened
  }

  /** Sends an operation. If the session has ended, opens another one and tries again once. */
  async send<Data, Variables>(document: TadaDocumentNode<Data, Variables>, variables: Variables): Promise<Data> {
    try {
      return await this.#sendOnce(document, variables)
    } catch (error) {
      if (!(error instanceof SessionEnded)) throw error
      this.#opened = undefined
      return this.#sendOnce(document, variables)
    }
  }

  /**
   * Calls `onCounts` immediately and after each change of the feed, and reconnects after interruptions. @returns a
   * function that stops it.
   */
  follow(onCounts: (counts: Counts) => void): () => void {
    const controller = new AbortController()
    const { signal } = controller
    const client = createClient({
      url: this.#address(),
      headers: async () => ({ Authorization: `Session ${(await this.open()).token}` }),
      // Opening the session may fail, so each attempt below starts with it.
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
        if (data && !signal.aborted) onCounts(data.notificationCountsChanged)
      }
    }
    const followForever = async () => {
      for (let failures = 0; !signal.aborted;) {
        try {
          await followOnce()
          failures = 0
        } catch {
          // Errors are reported by the requests for the feed. Without the stream, only live updates are missing.
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
