// Thousands of random requests that no HTTP client sends. None ends the process or causes a fault.
import { connect } from 'node:net'
import { beforeAll, expect, test, vi } from 'vitest'
import { build, freshSettings, started } from '../support/process/gateway-process.ts'
import { freePort } from '../support/process/port.ts'

vi.setConfig({ testTimeout: 300_000 })
beforeAll(build, 120_000)

const COUNT = 2_500
/** Concurrent requests. */
const AT_ONCE = 25
/** Milliseconds to wait for a response. Many requests are never complete. */
const PATIENCE = 150

/** The same sequence in each run, so that a failure can be reproduced. */
function randomNumbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

const random = randomNumbers(7)
const chance = (share: number) => random() < share
const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item

const methods = [
  ...['GET', 'GET', 'GET', 'POST', 'HEAD', 'OPTIONS', 'PUT', 'DELETE'],
  ...['TRACE', 'CONNECT', 'PATCH', 'QUERY', 'PRI', 'M-SEARCH'],
]
const targets = [
  ...['/graphql', '/', '//', '///x', '/graphql?x=%', '/%', '/%zz', '/%ff', '*', 'graphql', '?', '#', '/#x', '/\\..\\'],
  ...['/v2/subscribers/%', '/v2/subscribers/%00', '/v2/subscribers/%ed%a0%80', '/v2/subscribers?limit=%'],
  ...['http://x/graphql', 'http://[::1]/graphql', 'http://[/', 'http:///graphql', 'https://x:99999/', 'http://xn--/'],
  ...['http://a:b@x/graphql', 'ws://x/graphql', 'file:///etc/passwd', 'data:,x', 'x:y', 'http://\xe9/', 'http://a b/'],
  ...[
    '/.',
    '/..',
    '/a/../../..',
    `/${'a'.repeat(9_000)}`,
    `/${'a'.repeat(140_000)}`,
    `/?${'&'.repeat(2_000)}`,
    '/\xff',
  ],
  ...['/docs', '/openapi.json', '/assets/x', '/assets/..%2f', '/inbox.js', '/health', '/ready', '/metrics', '/v1/'],
]
const hosts = [
  ...['x', '', ' ', 'x:99999', 'x:', ':80', '[::1]', '[', ']', '[::1', 'x y', 'x/y', 'x?y', 'x#y', 'x\\y', '%', '%00'],
  ...[
    '\xe9',
    'xn--',
    'xn--a',
    '0',
    '0x7f.1',
    '1.2.3.4.5',
    '999.999.999.999',
    'a'.repeat(300),
    'a..b',
    '.',
    '..',
    'x,y',
  ],
  ...['*', 'localhost:1:2', 'x\ty', '[::ffff:1.2.3.4]:80', 'x^y', 'x|y', 'x<y', '[v1.x]', 'a@x', 'a:b@x', '@', ':@x'],
]

/** Headers, with their probability and possible values. */
const headers: readonly (readonly [name: string, share: number, values: readonly string[]])[] = [
  ['Upgrade', 0.6, ['websocket', 'WebSocket', 'h2c', 'websocket, h2c', 'TLS/1.0', '', 'x'.repeat(500)]],
  [
    'Connection',
    0.6,
    ['Upgrade', 'Upgrade', 'keep-alive, Upgrade', 'close', 'Upgrade, HTTP2-Settings', 'close, upgrade'],
  ],
  ['Sec-WebSocket-Version', 0.5, ['13', '13', '8', 'x', '13, 8']],
  ['Sec-WebSocket-Key', 0.5, ['dGhlIHNhbXBsZSBub25jZQ==', 'dGhlIHNhbXBsZSBub25jZQ==', '', 'x']],
  [
    'Sec-WebSocket-Protocol',
    0.6,
    ['graphql-transport-ws', 'graphql-transport-ws, x', ',', 'x', 'graphql-transport-ws,;'],
  ],
  [
    'Sec-WebSocket-Extensions',
    0.3,
    ['permessage-deflate', 'permessage-deflate; client_max_window_bits=99', ';;', 'x="'],
  ],
  ['Origin', 0.3, ['https://ok.example', 'null', 'x', '', 'https://evil.example']],
  [
    'Authorization',
    0.3,
    ['ApiKey x', '', 'ApiKey', ' ', '\xe9', 'Session x.y', `Session ${'k.'.repeat(2_000)}`, 'Environment \xe9'],
  ],
  ['Content-Type', 0.3, ['application/json', 'text/plain', 'multipart/form-data', '\xe9']],
  ['X-Forwarded-For', 0.3, ['1.1.1.1', ',', 'x', '::1', '1.1.1.1,']],
  ['Idempotency-Key', 0.2, ['a', '\xe9', 'x'.repeat(300), '']],
  ['Accept', 0.2, ['text/html', '*/*', 'text/event-stream', 'x', ';;', 'multipart/mixed;subscriptionSpec=1.0']],
  ['Traceparent', 0.1, [`00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`, 'x', '']],
  ['Expect', 0.1, ['100-continue', 'x']],
]

/** A body, and a header with its length, which may be wrong. */
function randomBody(): { readonly header: string[]; readonly body: string } {
  if (chance(0.2)) {
    const body = pick(['{"query":"{__typename}"}', '{', '', '[]', '\xff\xfe'])
    return {
      header: [`Content-Length: ${pick([body.length, body.length, body.length + 5, 0, -1, 'x', 4_194_305])}`],
      body,
    }
  }
  if (!chance(0.15)) return { header: [], body: '' }
  const encoding = pick(['chunked', 'chunked', 'gzip, chunked', 'x', 'chunked, chunked'])
  const body = pick(['0\r\n\r\n', '5\r\nhello\r\n0\r\n\r\n', '5\r\nhel', 'zz\r\n', 'ffffffffffffffff\r\n'])
  return { header: [`Transfer-Encoding: ${encoding}`], body }
}

function randomRequest(): string {
  const given = headers.flatMap(([name, share, values]) => (chance(share) ? [`${name}: ${pick(values)}`] : []))
  const named = Array.from({ length: pick([1, 1, 1, 1, 0, 2]) }, () => `Host: ${pick(hosts)}`)
  const { header, body } = randomBody()
  const start = `${pick(methods)} ${pick(targets)} HTTP/${pick(['1.1', '1.1', '1.1', '1.1', '1.0', '2.0', '0.9'])}`
  return `${[start, ...named, ...given, ...header].join('\r\n')}\r\n\r\n${body}`
}

/** A valid handshake, so that frames are read. */
const handshake = [
  ...['GET /graphql HTTP/1.1', 'Host: x', 'Upgrade: websocket', 'Connection: Upgrade', 'Sec-WebSocket-Version: 13'],
  ...['Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==', 'Sec-WebSocket-Protocol: graphql-transport-ws', '', ''],
].join('\r\n')

/** A WebSocket frame, sometimes of a kind or length that no client sends. */
function randomFrame(): string {
  const text = pick(['{"type":"connection_init"}', '{', '', 'x'.repeat(125)])
  const first = pick([0x81, 0x81, 0x82, 0x88, 0x89, 0x8a, 0x01, 0x00, 0xff])
  const length = pick([text.length, text.length, 127, 126]) | pick([0x80, 0x80, 0])
  return Buffer.concat([Buffer.from([first, length, 0, 0, 0, 0]), Buffer.from(text)]).toString('latin1')
}

/** Sends a text, sometimes ends the sending half, and closes the connection once there is a response. */
function exchange(port: number, text: string, isHalfOpen: boolean): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    let received = ''
    const finish = () => {
      clearTimeout(timer)
      socket.destroy()
      resolve(received)
    }
    const timer = setTimeout(finish, PATIENCE)
    socket.on('data', (data) => {
      received += data.toString('latin1')
      if (received.includes('\r\n\r\n')) setTimeout(finish, 2)
    })
    socket.on('close', finish).on('error', finish)
    socket.write(Buffer.from(text, 'latin1'))
    if (isHalfOpen) socket.end()
  })
}

test(`${COUNT} random requests to both ports do not end the process, and none is a fault`, async () => {
  const metricsPort = Number(await freePort())
  const settings = { METRICS_PORT: String(metricsPort), CORS_ORIGINS: 'https://ok.example' }
  const { gateway, address } = await started({ ...(await freshSettings()), ...settings })
  const port = Number(new URL(address).port)
  const faults: string[] = []
  let upgraded = 0
  let sent = 0
  async function repeat(): Promise<void> {
    while (sent < COUNT && gateway.child.exitCode === null) {
      sent += 1
      const count = pick([1, 1, 1, 2, 3])
      const requests = chance(0.1) ? handshake : Array.from({ length: count }, randomRequest).join('')
      const text = requests + Array.from({ length: pick([0, 0, 1, 2]) }, randomFrame).join('')
      const response = await exchange(chance(0.8) ? port : metricsPort, text, chance(0.2))
      if (response.startsWith('HTTP/1.1 101')) upgraded += 1
      if (response.startsWith('HTTP/1.1 500')) faults.push(text.slice(0, 500))
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, repeat))
  expect(gateway.child.exitCode, gateway.output()).toBeNull()
  expect(faults).toEqual([])
  expect(gateway.output()).not.toMatch(/"level":(50|60)/)
  expect(upgraded).toBeGreaterThan(10)
  expect((await fetch(`${address}/health`)).status).toBe(200)
  expect((await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).status).toBe(200)
})
