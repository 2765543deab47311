// Live connections of the browser inbox over a listening server: plain ones and those of socket.io.
import { once } from 'node:events'
import { io } from 'socket.io-client'
import { onTestFinished } from 'vitest'
import { type ClientOptions, WebSocket } from 'ws'
import type { App } from '../../../src/app.ts'
import { type HttpServer, startHttpServer } from '../../../src/http/node-server.ts'
import { sign } from '../browser.ts'
import type { Client } from '../world.ts'
import { identifierOf } from './inbox.ts'

/** An event as a page receives it. */
export interface LiveFrame {
  readonly event: string
  readonly data: Readonly<Record<string, unknown>>
}

/** Opens a session of a page, and returns its token. */
export async function tokenOf(
  { app }: { readonly app: Pick<App, 'fetch'> },
  client: Client,
  subscriberId: string,
  context?: Readonly<Record<string, string>>,
): Promise<string> {
  const body = {
    applicationIdentifier: await identifierOf(client),
    subscriber: { subscriberId },
    subscriberHash: sign(subscriberId, client),
    ...(context && { context, contextHash: sign(JSON.stringify(context), client) }),
  }
  const request = new Request('http://gateway.test/novu/v1/inbox/session', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const { data } = (await (await app.fetch(request)).json()) as { data: { token: string } }
  return data.token
}

/** Starts a server for a test. */
export async function listening({ app }: { readonly app: App }): Promise<HttpServer> {
  const server = await startHttpServer(app.fetch, '127.0.0.1', 0, app.upgrade)
  onTestFinished(() => server.close())
  return server
}

/** What arrives, one by one. */
export class Arrivals<Item> {
  readonly #waiting: Item[] = []
  #wake = () => {}

  add(item: Item): void {
    this.#waiting.push(item)
    this.#wake()
  }

  async next(): Promise<Item> {
    for (;;) {
      const [item] = this.#waiting.splice(0, 1)
      if (item !== undefined) return item
      await new Promise<void>((resolve) => (this.#wake = resolve))
    }
  }

  /** The next items. */
  async take(count: number): Promise<Item[]> {
    const taken: Item[] = []
    while (taken.length < count) taken.push(await this.next())
    return taken
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0
  }
}

/** A bare WebSocket, whose texts arrive one by one. */
export class RawSocket {
  readonly texts = new Arrivals<string>()
  readonly #socket: WebSocket
  readonly closed: Promise<[code: number, reason: string]>
  readonly opened: Promise<unknown>

  constructor(server: HttpServer, target: string, options: ClientOptions = {}) {
    this.#socket = new WebSocket(`${server.address.replace('http', 'ws')}${target}`, options)
    this.#socket.on('error', () => {})
    this.#socket.on('message', (data: Buffer) => this.texts.add(data.toString()))
    this.opened = new Promise((resolve) => this.#socket.once('open', resolve))
    this.closed = new Promise((resolve) => {
      this.#socket.on('close', (code, reason) => resolve([code, reason.toString()]))
    })
    onTestFinished(() => this.#socket.terminate())
  }

  async send(text: string | Buffer): Promise<void> {
    await this.opened
    this.#socket.send(text)
  }

  async frame(): Promise<LiveFrame> {
    return JSON.parse(await this.texts.next())
  }

  close(): void {
    this.#socket.close()
  }

  /** Closes the connection without a handshake, as a page that dies. */
  end(): void {
    this.#socket.terminate()
  }

  /** The status and body of a rejected handshake. */
  async rejection(): Promise<{ status: number | undefined; body: string }> {
    const [, response] = await once(this.#socket, 'unexpected-response')
    const chunks: Buffer[] = await response.toArray()
    return { status: response.statusCode, body: Buffer.concat(chunks).toString() }
  }
}

const events = ['notification_received', 'unread_count_changed', 'unseen_count_changed'] as const

/** The published client of socket.io. @param target the path of the page's `socketUrl`, which becomes the namespace. */
export function socketIoOf(server: HttpServer, target: string, options: Parameters<typeof io>[1]) {
  const socket = io(`${server.address}${target}`, { transports: ['websocket'], forceNew: true, ...options })
  onTestFinished(() => void socket.disconnect())
  const frames = new Arrivals<LiveFrame>()
  for (const event of events) socket.on(event, (data: LiveFrame['data']) => frames.add({ event, data }))
  const arrived = <Value>(name: 'connect' | 'connect_error' | 'disconnect') =>
    new Promise<Value>((resolve) => socket.once(name, resolve as (value?: unknown) => void))
  return {
    socket,
    frames,
    connected: arrived<undefined>('connect'),
    refused: arrived<Error>('connect_error'),
    left: arrived<string>('disconnect'),
  }
}
