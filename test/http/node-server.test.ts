// The HTTP server on its port.
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { Server } from 'node:http'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { startHttpServer } from '../../src/http/node-server.ts'

/** What Node.js publishes when a request begins. */
const REQUEST = 'http.server.request.start'

/** The server that answers at an address. */
async function serverAt(address: string): Promise<Server> {
  let found: unknown
  const note = (message: unknown) => {
    if (typeof message === 'object' && message !== null && 'server' in message) found = message.server
  }
  subscribe(REQUEST, note)
  await fetch(address)
  unsubscribe(REQUEST, note)
  if (!(found instanceof Server)) throw new Error('no server has answered')
  return found
}

test('connections that the operating system refuses are logged at once, and then together', async () => {
  const lines: unknown[] = []
  const logger = pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) })
  const { address, close } = await startHttpServer(() => new Response(), '127.0.0.1', 0, undefined, { logger })
  const server = await serverAt(address)
  const errors = [1, 2, 3, 4].map((number) => new Error(`no file descriptor ${number}`))
  for (const error of errors) server.emit('error', error)
  const first = { msg: 'connection not accepted', count: 1, err: { message: 'no file descriptor 1' } }
  expect(lines).toMatchObject([first])
  await close()
  expect(lines).toMatchObject([first, { ...first, count: 3, err: { message: 'no file descriptor 4' } }])
})
