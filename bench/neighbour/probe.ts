// The other environment of the neighbor benchmark: ordinary requests, each with its response time.
import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { startWebhook } from './webhook.ts'

/** Response times in milliseconds. */
export interface Samples {
  /** `/health`, which needs neither a key nor the database. */
  readonly health: number[]
  /** Reads and writes of a dashboard and a back end. */
  readonly request: number[]
  /** From a trigger to its notification in an open stream. */
  readonly feed: number[]
  /** From a trigger to the arrival of its message at a webhook whose name must be resolved. */
  readonly message: number[]
}

export interface Probe {
  /** Measures for a number of milliseconds. */
  run(milliseconds: number): Promise<Samples>
  close(): void
}

/** Milliseconds between two requests of one kind. */
const INTERVAL = 20
/** Milliseconds after which a request is abandoned. A failed request counts as that slow. */
const TIMEOUT = 30_000

const SUBSCRIBER = 'neighbour'

/** Opens the stream of the feed, and prepares a workflow with one in-app step and one with an email. */
export async function openProbe(address: string, key: string): Promise<Probe> {
  const closing = new AbortController()
  const authorized = { authorization: `ApiKey ${key}`, 'content-type': 'application/json' }

  async function send(path: string, body?: object): Promise<Response> {
    const signal = AbortSignal.any([closing.signal, AbortSignal.timeout(TIMEOUT)])
    const method = body === undefined ? 'GET' : 'POST'
    const response = await fetch(`${address}${path}`, {
      method,
      headers: authorized,
      signal,
      ...(body && { body: JSON.stringify(body) }),
    })
    await response.arrayBuffer()
    return response
  }

  /** @throws Error if the response is not a success. */
  async function ask(path: string, body?: object): Promise<void> {
    const { ok, status } = await send(path, body)
    if (!ok) throw new Error(`${path}: ${status}`)
  }

  /** By the text of the awaited notification or message. */
  const awaited = new Map<string, () => void>()
  const arrive = (text: string) => awaited.get(text)?.()

  async function follow(): Promise<void> {
    const query = `subscription { notificationReceived(subscriberId: "${SUBSCRIBER}") { body } }`
    const response = await fetch(`${address}/graphql`, {
      method: 'POST',
      headers: { ...authorized, accept: 'text/event-stream' },
      body: JSON.stringify({ query }),
      signal: closing.signal,
    })
    let text = ''
    void (async () => {
      for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
        text += chunk
        for (const [, body = ''] of text.matchAll(/"body":"([^"]*)"/g)) arrive(body)
        text = text.slice(text.lastIndexOf('\n') + 1)
      }
    })().catch(() => {})
  }

  const webhook = await startWebhook((body) => {
    const { payload } = JSON.parse(body) as { payload: { at: string } }
    arrive(payload.at)
  })
  const body = '{{ payload.at }}'
  await send('/v2/workflows', { identifier: 'feed', name: 'Feed', steps: [{ type: 'in_app', body }] })
  await send('/v2/workflows', {
    identifier: 'message',
    name: 'Message',
    steps: [{ type: 'email', subject: body, body }],
  })
  // Create one for each probed process, because the receiver has another port then.
  await send('/v1/integrations', {
    providerId: 'email-webhook',
    channel: 'email',
    primary: true,
    credentials: { webhookUrl: webhook.url },
  })
  await send('/v2/subscribers', { subscriberId: SUBSCRIBER, email: 'neighbour@example.com' })
  await follow()

  const requests = [
    () => ask('/graphql', { query: '{ environment { name } }' }),
    () => ask('/graphql', { query: '{ subscribers(first: 20) { nodes { id subscriberId email } } }' }),
    () => ask(`/v2/subscribers/${SUBSCRIBER}`),
    () => ask('/v2/subscribers', { subscriberId: SUBSCRIBER, firstName: 'Ada' }),
  ]

  async function notify(name: 'feed' | 'message'): Promise<void> {
    const at = randomUUID()
    const arrived = new Promise<void>((resolve) => awaited.set(at, resolve))
    await ask('/v1/events/trigger', { name, to: SUBSCRIBER, payload: { at } })
    await Promise.race([arrived, pause(TIMEOUT, undefined, { ref: false })])
    awaited.delete(at)
  }

  return {
    async run(milliseconds) {
      const end = performance.now() + milliseconds
      const repeat = async (work: (turn: number) => Promise<void> | undefined): Promise<number[]> => {
        const times: number[] = []
        for (let turn = 0; performance.now() < end; turn += 1) {
          const start = performance.now()
          const failed = await work(turn)?.catch(() => true)
          times.push(failed ? TIMEOUT : performance.now() - start)
          await pause(INTERVAL)
        }
        return times
      }
      const [health, request, feed, message] = await Promise.all([
        repeat(() => ask('/health')),
        repeat((turn) => requests[turn % requests.length]?.()),
        repeat(() => notify('feed')),
        repeat(() => notify('message')),
      ])
      return { health, request, feed, message }
    },
    close() {
      closing.abort()
      webhook.close()
    },
  }
}
