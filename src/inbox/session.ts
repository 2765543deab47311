// The subscriber's session: opened when it is first needed, and again after it ends.
import { print } from '@0no-co/graphql.web'
import type { TadaDocumentNode } from 'gql.tada'
import { createClient } from 'graphql-sse'
import { followCounts, type FollowedCounts, openSession } from './documents.ts'
import { asError, GatewayError, SignInError } from './errors.ts'

/** The subscriber of the inbox, as signed by the page's back end. */
interface Identity {
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
  readonly errors?: readonly {
    readonly message: string
    readonly extensions?: { readonly code?: string }
  }[]
}

export class Session {
  readonly #identity: Identity
  readonly #address: string
  #opened: Promise<Opened> | undefined
  #isOtherwiseReachable = false

  constructor(identity: Identity) {
    this.#identity = identity
    this.#address = `${identity.gateway.replace(/\/+$/, '')}/graphql`
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
      // The token has expired, or the key that signed the session was revoked.
      if (!(error instanceof GatewayError && error.code === 'UNAUTHENTICATED')) throw error
      this.#opened = undefined
      return this.#sendOnce(document, variables)
    }
  }

  /** Calls `onCounts` immediately and after each change of the feed, until the stream ends or `signal` aborts. */
  async follow(onCounts: (counts: FollowedCounts) => void, signal: AbortSignal): Promise<void> {
    const { token, subscriberId, contextKeys } = await this.open()
    if (signal.aborted) return
    const client = createClient({
      url: this.#address,
      headers: { Authorization: `Session ${token}` },
      // The inbox has one policy for attempts, in persistence.ts.
      retryAttempts: 0,
    })
    try {
      await new Promise<void>((resolve, reject) => {
        const end = client.subscribe<{ notificationCountsChanged: FollowedCounts }>(
          {
            query: print(followCounts),
            variables: { subscriberId, contextKeys },
          },
          {
            next: ({ data }) => data && !signal.aborted && onCounts(data.notificationCountsChanged),
            error: (error) => reject(asError(error)),
            complete: resolve,
          },
        )
        signal.addEventListener('abort', () => {
          end()
          resolve()
        })
      })
    } finally {
      client.dispose()
      // The gateway ends a stream with its session.
      this.#opened = undefined
    }
  }

  async #openNow(): Promise<Opened> {
    const { environment, subscriberId, subscriberHash, context, contextHash } = this.#identity
    const input = { subscriberId, subscriberHash, context, contextHash }
    const data = await this.#post(openSession, { input }, `Environment ${environment}`).catch(
      async (error: unknown) => {
        if (error instanceof GatewayError && error.code === 'UNAUTHENTICATED') {
          throw new SignInError('environment', error.message)
        }
        if (error instanceof TypeError && (await this.#isForbidden())) throw new SignInError('origin', error.message)
        throw error
      },
    )
    const { token, openedSession, userErrors } = data.openSession
    if (token === null || openedSession === null) {
      throw new SignInError('hash', userErrors.map(({ message }) => message).join(' '))
    }
    return { token, ...openedSession }
  }

  /**
   * True if the gateway responds, but not to this page. A browser does not tell a page whether its origin is the reason
   * for a failed request.
   */
  async #isForbidden(): Promise<boolean> {
    this.#isOtherwiseReachable ||= await fetch(this.#address, {
      mode: 'no-cors',
      credentials: 'omit',
    }).then(
      () => true,
      () => false,
    )
    return this.#isOtherwiseReachable
  }

  async #sendOnce<Data, Variables>(document: TadaDocumentNode<Data, Variables>, variables: Variables): Promise<Data> {
    return this.#post(document, variables, `Session ${(await this.open()).token}`)
  }

  async #post<Data, Variables>(
    document: TadaDocumentNode<Data, Variables>,
    variables: Variables,
    authorization: string,
  ): Promise<Data> {
    const response = await fetch(this.#address, {
      method: 'POST',
      headers: {
        Authorization: authorization,
        'Content-Type': 'application/json',
      },
      body: JSON.stringify({ query: print(document), variables }),
    })
    // A proxy may respond with a page.
    const { data, errors = [] } = (await response.json().catch(() => ({}))) as Answer<Data>
    if (data === undefined || data === null || errors.length > 0) {
      const message = errors.map((error) => error.message).join(' ')
      const code = errors.map(({ extensions }) => extensions?.code).find((each) => each !== undefined)
      throw new GatewayError(message === '' ? `the gateway answered with status ${response.status}` : message, code)
    }
    return data
  }
}
