// Outbound requests: blocked addresses, responses, timeouts, and errors without secrets.
import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import path from 'node:path'
import { createServer as createTlsServer } from 'node:tls'
import { afterEach, describe, expect, onTestFinished, test } from 'vitest'
import {
  createOutbound,
  type Outbound,
  type OutboundOptions,
  Unreachable,
} from '../../../src/delivery/network/outbound.ts'
import { createObjection, isPublic, lookupOf, type Resolve } from '../../../src/delivery/network/public-address.ts'
import { listening, useReceiver } from '../../support/delivery/receiver.ts'

const receiver = useReceiver()
const open: Outbound[] = []

interface Options extends Partial<OutboundOptions> {
  /** Resolves host names. Default: the gateway's own resolver. */
  readonly resolve?: Resolve
}

function outbound({ resolve, ...options }: Options = {}): Outbound {
  const names = resolve && { resolve, knows: () => true }
  const made = createOutbound({ allowPrivateAddresses: true, ...options, ...(names && { names }) })
  open.push(made)
  return made
}

const post = (by: Outbound, url: string, headers = {}) =>
  by.request({ environmentId: 'acme', method: 'POST', url, headers, body: '{}' })

/** The error of a request or connection that must fail. */
async function failureOf(attempt: Promise<unknown>): Promise<Unreachable> {
  const error = await attempt.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(Unreachable)
  return error as Unreachable
}

afterEach(async () => {
  await Promise.all(open.splice(0).map((made) => made.close()))
})

const unallowed = 'is a private address, which is blocked: set ALLOW_PRIVATE_ADDRESSES=on to allow it'

describe('private addresses', () => {
  test.each([
    ['127.0.0.1', '127.0.0.1'],
    ['127.1', '127.0.0.1'],
    ['2130706433', '127.0.0.1'],
    ['0x7f.1', '127.0.0.1'],
    ['0177.0.0.1', '127.0.0.1'],
    ['%31%32%37.0.0.1', '127.0.0.1'],
    ['127。0。0。1', '127.0.0.1'],
    ['10.0.0.5', '10.0.0.5'],
    ['172.16.0.1', '172.16.0.1'],
    ['192.168.1.1', '192.168.1.1'],
    ['169.254.169.254', '169.254.169.254'],
    ['100.64.0.1', '100.64.0.1'],
    ['0.0.0.0', '0.0.0.0'],
    ['224.0.0.1', '224.0.0.1'],
    ['240.0.0.1', '240.0.0.1'],
    ['255.255.255.255', '255.255.255.255'],
    ['[::]', '::'],
    ['[::1]', '::1'],
    ['[::127.0.0.1]', '::7f00:1'],
    ['[::ffff:127.0.0.1]', '::ffff:7f00:1'],
    ['[fd00::1]', 'fd00::1'],
    ['[fe80::1]', 'fe80::1'],
    ['[ff02::1]', 'ff02::1'],
    ['[64:ff9b::7f00:1]', '64:ff9b::7f00:1'],
    ['[2002:7f00:1::]', '2002:7f00:1::'],
    ['[2001:0:7f00:1::]', '2001:0:7f00:1::'],
    // Services of cloud platforms, also by name and embedded in other addresses.
    ['168.63.129.16', '168.63.129.16'],
    ['[::ffff:168.63.129.16]', '::ffff:a83f:8110'],
    ['[64:ff9b::168.63.129.16]', '64:ff9b::a83f:8110'],
    ['100.100.100.200', '100.100.100.200'],
    ['192.0.0.192', '192.0.0.192'],
    ['[fd00:ec2::254]', 'fd00:ec2::254'],
    ['[fd20:ce::254]', 'fd20:ce::254'],
    ['metadata.google.internal', 'metadata.google.internal'],
    ['METADATA.google.internal.', 'metadata.google.internal.'],
    // ISATAP.
    ['[2606:4700::5efe:10.0.0.5]', '2606:4700::5efe:a00:5'],
    ['[2606:4700::200:5efe:1.1.1.1]', '2606:4700::200:5efe:101:101'],
  ])('are blocked in URLs: %s', async (host, shown) => {
    const failure = await failureOf(
      post(outbound({ allowPrivateAddresses: false }), `http://${host}:${receiver.port}/`),
    )
    expect(failure).toMatchObject({ permanent: true, message: `${shown} ${unallowed}` })
    expect(receiver.received).toEqual([])
  })

  test.each(['127.0.0.1', '::1', '2130706433', 'localhost'])('are blocked in direct connections: %s', async (host) => {
    const failure = await failureOf(outbound({ allowPrivateAddresses: false }).connect(host, receiver.port, 'acme'))
    expect(failure).toMatchObject({ permanent: true, message: `${host} ${unallowed}` })
  })

  test.each(['http', 'https'])('are blocked when a host name resolves to them, over %s', async (scheme) => {
    const resolve = async () => [
      { address: '127.0.0.1', family: 4 },
      { address: 'fd00::1', family: 6 },
    ]
    const by = outbound({ allowPrivateAddresses: false, resolve })
    const failure = await failureOf(post(by, `${scheme}://inside.example.com:${receiver.port}/`))
    expect(failure.message).toBe(`inside.example.com ${unallowed}`)
    expect(await failureOf(post(by, `${scheme}://localhost:${receiver.port}/`))).toMatchObject({ permanent: true })
    expect(receiver.received).toEqual([])
  })

  test('include metadata services when they are resolved by another name', async () => {
    const resolve = async () => [{ address: '168.63.129.16', family: 4 }]
    const failure = await failureOf(post(outbound({ allowPrivateAddresses: false, resolve }), 'http://a.example.com/'))
    expect(failure).toMatchObject({ permanent: true, message: `a.example.com ${unallowed}` })
  })

  test('can be called by host name when they are allowed', async () => {
    const by = outbound({ resolve: async () => [{ address: '127.0.0.1', family: 4 }] })
    expect(await post(by, `http://inside.example.com:${receiver.port}/`)).toMatchObject({ status: 200 })
    expect(receiver.last.headers.host).toBe(`inside.example.com:${receiver.port}`)
  })
})

test.each([
  '169.254.169.254',
  '169.254.170.2',
  '100.100.100.200',
  '192.0.0.192',
  '168.63.129.16',
  '[::ffff:169.254.169.254]',
  '[2002:a9fe:a9fe::]',
  '[fd00:ec2::254]',
  '[fd20:ce::254]',
])('a metadata service is blocked even where private addresses are allowed: %s', async (host) => {
  const failure = await failureOf(post(outbound(), `http://${host}:9/`))
  expect(failure).toMatchObject({ permanent: true, message: expect.stringContaining('metadata service') })
  const resolve = async () => [{ address: host.replace(/[[\]]/g, ''), family: host.startsWith('[') ? 6 : 4 }]
  expect((await failureOf(post(outbound({ resolve }), 'http://named.example.com/'))).message).toContain(
    'metadata service',
  )
})

describe('denied addresses', () => {
  const resolve = async () => [{ address: '127.0.0.1', family: 4 }]
  const denied = 'is an address that DENIED_ADDRESSES blocks'

  test.each(['127.0.0.1', '127.0.0.0/8', '127.0.0.1/32'])(
    'are blocked even where private addresses are allowed: %s',
    async (range) => {
      const by = outbound({ deniedAddresses: ['2001:db8::/32', range], resolve })
      expect(await failureOf(post(by, receiver.url))).toMatchObject({ permanent: true, message: `127.0.0.1 ${denied}` })
      const failure = await failureOf(post(by, `http://named.example.com:${receiver.port}/`))
      expect(failure).toMatchObject({ permanent: true, message: `named.example.com ${denied}` })
      expect(await failureOf(by.connect('127.0.0.1', receiver.port, 'acme'))).toMatchObject({ permanent: true })
      expect(receiver.received).toEqual([])
    },
  )

  test.each([
    ['IPv4-compatible', '[::127.0.0.1]'],
    ['IPv4-mapped', '[::ffff:127.0.0.1]'],
    ['translated', '[::ffff:0:127.0.0.1]'],
    ['NAT64', '[64:ff9b::127.0.0.1]'],
    ['local NAT64', '[64:ff9b:1::127.0.0.1]'],
    ['6to4', '[2002:7f00:1::]'],
    ['Teredo', '[2001:0:4136:e378:8000:63bf:80ff:fffe]'],
    ['ISATAP', '[fe80::5efe:127.0.0.1]'],
  ])('are blocked in an IPv6 address that embeds them: %s', async (_, host) => {
    const failure = await failureOf(post(outbound({ deniedAddresses: ['127.0.0.1'] }), `http://${host}:9/`))
    expect(failure).toMatchObject({ permanent: true, message: expect.stringContaining(denied) })
  })

  test('leave other addresses callable', async () => {
    expect(await post(outbound({ deniedAddresses: ['127.0.0.2', '::/0'] }), receiver.url)).toMatchObject({
      status: 200,
    })
  })
})

describe('a host name', () => {
  test('is resolved once per connection, to the address that was checked', async () => {
    const answers = ['127.0.0.1', '127.0.0.2']
    let asked = 0
    const resolve = async () => [{ address: answers[asked++] ?? '', family: 4 }]
    // The first address stands for a public one.
    const lookup = lookupOf(resolve, (address) => (address === '127.0.0.1' ? undefined : 'blocked'))
    const look = () =>
      new Promise((taken) => {
        lookup('rebinding.example.com', { all: true }, (error, found) => taken(error?.message ?? found))
      })
    expect(await look()).toEqual([{ address: '127.0.0.1', family: 4 }])
    expect(asked).toBe(1)
    expect(await look()).toBe('rebinding.example.com is blocked')
  })

  test('is resolved again for a new connection', async () => {
    let asked = 0
    const resolve = async () => {
      asked += 1
      return asked === 1 ? [{ address: '127.0.0.1', family: 4 }] : []
    }
    const by = outbound({ resolve })
    receiver.answer(200, {}, { connection: 'close' })
    const url = `http://rebinding.example.com:${receiver.port}/`
    await post(by, url)
    await failureOf(post(by, url))
    expect(asked).toBe(2)
    expect(receiver.received).toHaveLength(1)
  })

  test('is sent as the TLS server name', async () => {
    const asked: string[] = []
    const server = createTlsServer({
      // There is no certificate, so the connection fails after the client has sent the name.
      SNICallback(name, callback) {
        asked.push(name)
        callback(null)
      },
    })
    server.on('tlsClientError', () => {})
    const port = await listening(server)
    onTestFinished(() => new Promise<void>((closed) => server.close(() => closed())))
    const by = outbound({ resolve: async () => [{ address: '127.0.0.1', family: 4 }] })
    await failureOf(post(by, `https://secure.example.com:${port}/`))
    expect(asked).toEqual(['secure.example.com'])
  })

  test('resolves only to its public addresses', async () => {
    const resolve = async () => [
      { address: '10.0.0.5', family: 4 },
      { address: '1.1.1.1', family: 4 },
    ]
    const found = await new Promise((taken) => {
      lookupOf(resolve, createObjection(false, []))('mixed.example.com', { all: true }, (_error, addresses) =>
        taken(addresses),
      )
    })
    expect(found).toEqual([{ address: '1.1.1.1', family: 4 }])
  })
})

test.each(['1.1.1.1', '2606:4700:4700::1111', '64:ff9b::101:101', '::ffff:1.1.1.1'])('%s is public', (address) => {
  expect(isPublic(address)).toBe(true)
})

test.each(['', 'example.com', '1.1.1.1.1', '64:ff9b:1::101:101', 'fe80::1%eth0'])('%j is not public', (address) => {
  expect(isPublic(address)).toBe(false)
})

describe('a response', () => {
  test('is returned with its status and text, even for an error status', async () => {
    receiver.answer(418, 'short and stout')
    expect(await post(outbound(), receiver.url)).toMatchObject({
      ...{ status: 418, text: 'short and stout', retryAfter: null, headers: { connection: 'keep-alive' } },
    })
  })

  test('is not followed when it is a redirect', async () => {
    receiver.answer(302, '', { location: `${receiver.url}/elsewhere` })
    expect(await post(outbound(), receiver.url)).toMatchObject({ status: 302 })
    expect(receiver.received).toHaveLength(1)
  })

  test('is truncated at the size limit without waiting for the rest', async () => {
    const dropped = new Promise<void>((resolve) => {
      receiver.respond((response) => {
        response.on('close', resolve)
        response.write('x'.repeat(3000))
        // The response never ends.
      })
    })
    const { text } = await post(outbound({ maxResponseBytes: 1000 }), receiver.url)
    expect(text).toBe('x'.repeat(1000))
    await dropped
  })

  test.each([
    ['120', 120],
    ['Wed, 21 Oct 2026 07:28:30 GMT', 30],
    ['Wed, 21 Oct 2026 07:00:00 GMT', 0],
    ['soon', null],
  ])('reports its Retry-After header in seconds: %s', async (given, seconds) => {
    receiver.answer(429, '', { 'retry-after': given, date: 'Wed, 21 Oct 2026 07:28:00 GMT' })
    expect(await post(outbound(), receiver.url)).toMatchObject({ retryAfter: seconds })
  })
})

describe('an error message', () => {
  const path = '/services/T0SECRET'

  test('names only the host when no response arrives in time', async () => {
    receiver.respond(() => {})
    const by = outbound({ timeout: 50 })
    const failure = await failureOf(post(by, `${receiver.url}${path}`))
    expect(failure).toMatchObject({
      permanent: false,
      message: `127.0.0.1:${receiver.port} did not respond within 50 ms`,
    })
  })

  test('names only the host when the response does not end in time', async () => {
    receiver.respond((response) => response.write('well, '))
    const failure = await failureOf(post(outbound({ timeout: 50 }), `${receiver.url}${path}`))
    expect(failure).toMatchObject({
      permanent: false,
      message: `127.0.0.1:${receiver.port} did not respond within 50 ms`,
    })
  })

  test('names only the host when nothing listens on the port', async () => {
    const server = createServer()
    const port = await listening(server)
    await new Promise((closed) => server.close(closed))
    const message = `127.0.0.1:${port} cannot be reached: ECONNREFUSED`
    expect(await failureOf(post(outbound(), `http://127.0.0.1:${port}${path}`))).toMatchObject({
      permanent: false,
      message,
    })
    expect((await failureOf(outbound().connect('127.0.0.1', port, 'acme'))).message).toContain('ECONNREFUSED')
  })

  test('names only the host when the connection is dropped', async () => {
    receiver.respond((response) => response.destroy())
    const failure = await failureOf(post(outbound(), `${receiver.url}${path}`))
    expect(failure).toMatchObject({
      permanent: false,
      message: `127.0.0.1:${receiver.port} closed the connection before the response was complete`,
    })
  })

  test('reveals no secret when the host does not speak TLS', async () => {
    const failure = await failureOf(post(outbound(), `https://127.0.0.1:${receiver.port}${path}`))
    expect(failure.permanent).toBe(false)
    expect(failure.message).not.toContain('SECRET')
  })

  test('reveals no secret when a header is invalid', async () => {
    const failure = await failureOf(post(outbound(), receiver.url, { authorization: 'Bearer SECRET\r\nx-evil: 1' }))
    expect(failure.permanent).toBe(true)
    expect(failure.message).toContain('authorization')
    expect(failure.message).not.toContain('SECRET')
    expect(receiver.received).toEqual([])
  })
})

test('only src/delivery/network uses the HTTP client', () => {
  const folder = path.join(import.meta.dirname, '../../../src/delivery')
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'))
  const goesOut = /\bfetch\(|from '(?:undici|(?:node:)?(?:https?|http2|net|tls|dgram|dns)(?:\/promises)?)'/
  const found = files.filter((name) => goesOut.test(readFileSync(path.join(folder, name), 'utf8')))
  expect(found.filter((name) => path.dirname(name) !== 'network')).toEqual([])
})
