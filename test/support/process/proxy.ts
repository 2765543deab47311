// A proxy between the application and PostgreSQL that tests can cut, freeze and restore.
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

type State = 'whole' | 'cut' | 'frozen'

export interface Proxy {
  /** URL of the same database through the proxy. */
  readonly url: string
  /** Breaks all connections, and closes new ones immediately. */
  cut(): void
  /** Keeps connections open but forwards nothing, as when the other machine loses power. */
  freeze(): void
  /** Freezes one connection only. @param port the port that PostgreSQL sees. */
  freezeOne(port: number): void
  /** Lets new connections through. */
  mend(): void
  /** Leads new connections to another server. Those that are open stay where they are. */
  lead(target: string): void
  close(): Promise<void>
}

export async function openProxy(target: string): Promise<Proxy> {
  let { hostname, port } = new URL(target)
  const sockets = new Set<Socket>()
  const freeze = (socket: Socket) => socket.unpipe().pause()
  let state: State = 'whole'

  const track = (socket: Socket) => {
    sockets.add(socket)
    return socket.on('error', () => {}).on('close', () => sockets.delete(socket))
  }
  const server = createServer((client) => {
    track(client)
    if (state === 'cut') client.destroy()
    if (state !== 'whole') return
    const database = track(connect(Number(port === '' ? '5432' : port), hostname))
    client.pipe(database).pipe(client)
    client.on('close', () => database.destroy())
    database.on('close', () => client.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port')
  const url = new URL(target)
  url.host = `127.0.0.1:${address.port}`

  const breakAll = () => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    url: url.href,
    cut() {
      state = 'cut'
      breakAll()
    },
    freeze() {
      state = 'frozen'
      for (const socket of sockets) freeze(socket)
    },
    freezeOne(port) {
      for (const socket of sockets) {
        if (socket.localPort === port) freeze(socket)
      }
    },
    mend() {
      state = 'whole'
    },
    lead(other) {
      ;({ hostname, port } = new URL(other))
    },
    async close() {
      breakAll()
      server.close()
      await once(server, 'close')
    },
  }
}
