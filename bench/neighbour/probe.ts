// The other environment of the neighbor benchmark: ordinary requests, each with its response time.
import { setTimeout as pause } from 'node:timers/promises'

/** Response times in milliseconds. */
export interface Samples {
  /** `/health`, which needs neither a key nor the database. */
  readonly health: number[]
  /** Reads and writes of a dashboard and of a back end. */
  readonly request: number[]
  /** From a trigger to its notification in an open stream. */
  readonly feed: number[]
}

export interface Probe {
  /** Measures for some milliseconds. */
  run(milliseconds: number): Promise<Samples>
  close(): void
}

/** Milliseconds between two requests of one kind. */
const INTERVAL = 20
/** Milliseconds after which a request counts as that slow, and is given up. */
const TIMEOUT = 30_000

const SUBSCRIBER = 'neighbour'

/** Opens the stream of the feed and prepares a workflow with one in-app step. */
export async function openProbe(address: string, key: string): Promise<Probe> {
  const closing = new AbortController()
  const authorized = { authorization: `ApiKey ${key}`, 'content-type': 'application/json' }

  async function send(path: string, body?: object): Promise<void> {
    const signal = AbortSignal.any([closing.signal, AbortSignal.timeout(TIMEOUT)])
    const method = body === undefined ? 'GET' : 'POST'
    const response = await fetch(`${address}${path}`, {
      method,
      headers: authorized,
      signal,
      ...(body && { body: JSON.stringify(body) }),
    })
    await response.arrayBuffer()
  }

  /** Called with the text of each notification. */
  let onNotification: (body: string) => void = () => {}

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
        for (const [, body = ''] of text.matchAll(/"body":"([^"]*)"/g)) onNotification(body)
        text = text.slice(text.lastIndexOf('\n') + 1)
      }
    })().catch(() => {})
  }

  await send('/v2/workflows', {
    identifier: 'probe',
    name: 'Probe',
    steps: [{ type: 'in_app', body: '{{ payload.at }}' }],
  })
  await send('/v2/subscribers', { subscriberId: SUBSCRIBER })
  await follow()

  const requests = [
    () => send('/graphql', { query: '{ environment { name } }' }),
    () => send('/graphql', { query: '{ subscribers(first: 20) { nodes { id subscriberId email } } }' }),
    () => send(`/v2/subscribers/${SUBSCRIBER}`),
    () => send('/v2/subscribers', { subscriberId: SUBSCRIBER, firstName: 'Ada' }),
  ]

  let triggered = 0
  async function notify(): Promise<void> {
    triggered += 1
    const at = `probe-${process.pid}-${triggered}`
    const arrived = new Promise<void>((resolve) => {
      onNotification = (body) => {
        if (body === at) resolve()
      }
    })
    await send('/v1/events/trigger', { name: 'probe', to: SUBSCRIBER, payload: { at } })
    await Promise.race([arrived, pause(TIMEOUT, undefined, { ref: false })])
  }

  return {
    async run(milliseconds) {
      const end = performance.now() + milliseconds
      const repeat = async (work: (turn: number) => Promise<void> | undefined): Promise<number[]> => {
        const times: number[] = []
        for (let turn = 0; performance.now() < end; turn += 1) {
          const start = performance.now()
          // A failed request counts with the time that it took.
          await work(turn)?.catch(() => {})
          times.push(performance.now() - start)
          await pause(INTERVAL)
        }
        return times
      }
      const [health, request, feed] = await Promise.all([
        repeat(() => send('/health')),
        repeat((turn) => requests[turn % requests.length]?.()),
        repeat(notify),
      ])
      return { health, request, feed }
    },
    close: () => closing.abort(),
  }
}
