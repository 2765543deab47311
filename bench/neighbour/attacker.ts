// The attacking process of the neighbor benchmark: sends the requests of attacks until it is stopped.
import type { EventEmitter } from 'node:events'
import { connect } from 'node:net'
import { Pool } from 'undici'
import { WebSocket } from 'ws'
import { type AttackRequest, attacksOf } from './attacks.ts'

/** Concurrent requests of each attack. */
const CONNECTIONS = 4
/** Milliseconds after which a request is abandoned. A stopped attacker does not wait for its requests. */
const TIMEOUT = 60_000

export interface Assignment {
  readonly address: string
  readonly key: string
  readonly publicIdentifier: string
  /** The names of the attacks. */
  readonly attacks: readonly string[]
  /** True to send the preparations instead of the attacks. */
  readonly preparing: boolean
}

/** The number of responses by status. */
export type Answers = Readonly<Record<string, number>>

/** The messages of the process: that it begins and, when it ends, the numbers of responses. */
export type Report = 'begins' | Answers

/** Resolves with the arguments of the `close` event when a connection is closed, even after an error. */
const closed = (connection: EventEmitter) => new Promise<unknown>((resolve) => connection.once('close', resolve))

/** Sends a request without the last byte of its body. @returns the status, or `closed`. */
async function stall(address: string, { path, body }: AttackRequest, authorization: string): Promise<string> {
  const { hostname, port } = new URL(address)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => {})
  let received = ''
  socket.setEncoding('latin1').on('data', (text: string) => {
    received += text
  })
  const head = [
    ...[`POST ${path} HTTP/1.1`, 'Host: gateway', `Authorization: ${authorization}`, 'Content-Type: application/json'],
    ...[`Content-Length: ${body.length}`, 'Connection: close', '', ''],
  ]
  socket.write(head.join('\r\n') + body.slice(1))
  await closed(socket)
  return /^HTTP\/1\.1 (\d+)/.exec(received)?.[1] ?? 'closed'
}

/** Opens a WebSocket and sends a message. @returns the code with which it was closed. */
async function openSocket(address: string, { path, body }: AttackRequest): Promise<string> {
  const socket = new WebSocket(`${address.replace('http', 'ws')}${path}`, 'graphql-transport-ws')
  socket.on('error', () => {})
  socket.on('open', () => socket.send(body))
  return String(await closed(socket))
}

/** Sends one request. @returns the status, or the code of the error. */
async function send(target: Target, key: string, request: AttackRequest): Promise<string> {
  const { address, pool } = target
  const { path, body, instead, authorization = `ApiKey ${key}` } = request
  if (instead === 'stalledBody') return stall(address, request, authorization)
  if (instead === 'webSocket') return openSocket(address, request)
  try {
    const response = await pool.request({
      method: 'POST',
      path,
      headers: { 'content-type': 'application/json', authorization },
      body,
    })
    await response.body.dump()
    return String(response.statusCode)
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : 'failed'
  }
}

interface Target {
  readonly address: string
  readonly pool: Pool
}

async function work({ address, key, publicIdentifier, attacks, preparing }: Assignment): Promise<void> {
  const answers: Record<string, number> = {}
  const stopping = new AbortController()
  process.on('message', () => {
    stopping.abort()
    process.send?.(answers, () => process.exit(0))
  })
  const chosen = attacksOf(publicIdentifier).filter(({ name }) => attacks.includes(name))
  const note = (answer: string) => {
    answers[answer] = (answers[answer] ?? 0) + 1
  }
  process.send?.('begins' satisfies Report)
  await Promise.all(
    chosen.flatMap(({ preparation, requests, connections = CONNECTIONS }) => {
      const target = {
        address,
        pool: new Pool(address, { connections, headersTimeout: TIMEOUT, bodyTimeout: TIMEOUT }),
      }
      if (preparing) {
        return [
          (async () => {
            for (const request of preparation) note(await send(target, key, request))
          })(),
        ]
      }
      return Array.from({ length: connections }, async (_, connection) => {
        for (let turn = connection; !stopping.signal.aborted; turn += 1) {
          const request = requests[turn % requests.length]
          if (request !== undefined) note(await send(target, key, request))
        }
      })
    }),
  )
  if (!stopping.signal.aborted) process.send?.(answers, () => process.exit(0))
}

// A benchmark that was interrupted leaves no attacker behind.
process.once('disconnect', () => process.exit(1))
process.once('message', (assignment: Assignment) => void work(assignment))
