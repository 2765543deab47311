// Live connections under attack: limits, origins, malformed packets, tokens that end, and clients that do not read.
import { pino } from 'pino'
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { type HttpServer, startHttpServer } from '../../../src/http/node-server.ts'
import { createRateLimiter } from '../../../src/http/rate-limit.ts'
import { RateMeter } from '../../../src/http/rate-meter.ts'
import { RequestRecord } from '../../../src/http/request-record.ts'
import { createSocketLimits } from '../../../src/http/socket-limits.ts'
import type { Refusal } from '../../../src/lib/errors.ts'
import { createLiveConnections } from '../../../src/rest/vocabularies/novu/socket/live-connection.ts'
import { CONNECT_TIMEOUT, HEARTBEAT } from '../../../src/rest/vocabularies/novu/socket/socket-io.ts'
import { notify } from '../../support/feed.ts'
import { Arrivals, listening, RawSocket, socketIoOf, tokenOf } from '../../support/novu/live.ts'
import { statementsOf } from '../../support/statements.ts'
import { type Client, useWorld } from '../../support/world.ts'

const ORIGIN = 'https://app.example.com'
const world = useWorld({ corsOrigins: [ORIGIN], streamLimits: { environment: 300, process: 400 } })
let acme: Client
let token: string
let server: HttpServer

beforeEach(async () => {
  acme = await world.environment()
  await acme.act('createSubscriber', { subscriberId: 'ada' })
  token = await tokenOf(world, acme, 'ada')
  server = await listening(world)
})

const plain = (of = token, options = {}) => new RawSocket(server, `/novu/socket?token=${of}`, options)

async function plainOf(of = token) {
  const socket = plain(of)
  // The counts: it follows its feed.
  await socket.texts.take(2)
  return socket
}

/** A connection in the protocol of socket.io, without a client of it. */
async function bare(query = `token=${token}&`) {
  const socket = new RawSocket(server, `/socket.io/?${query}EIO=4&transport=websocket`)
  expect(await socket.texts.next()).toMatch(
    /^0\{"sid":"[^"]+","upgrades":\[\],"pingInterval":25000,"pingTimeout":20000/,
  )
  return socket
}

async function joined() {
  const socket = await bare()
  await socket.send('40/novu,')
  expect(await socket.texts.next()).toMatch(/^40\/novu,\{"sid":"[^"]+"\}$/)
  await socket.texts.take(2)
  return socket
}

const received = (count: number) =>
  notify(world, acme, ...Array.from({ length: count }, () => ({ subscriberId: 'ada', contextKeys: [] })))

describe('many connections of one subscriber', () => {
  test('cost one following, one count and one view for each change, and one more is too many', async () => {
    const sockets = await Promise.all(Array.from({ length: 300 }, () => plainOf()))
    expect(await plain().closed).toEqual([1013, expect.stringContaining('The environment has 300 open WebSockets')])
    const io = await bare()
    await io.send('40/novu,')
    expect(await io.closed).toEqual([1013, expect.stringContaining('The environment has 300 open WebSockets')])
    const sent = await statementsOf(async () => {
      await received(1)
      for (const { texts } of sockets) {
        const events = (await texts.take(3)).map((text) => JSON.parse(text).event as string)
        expect(events).toEqual(['notification_received', 'unread_count_changed', 'unseen_count_changed'])
      }
    })
    expect(sent.filter((text) => text.includes('feed-count.countsOfFeeds'))).toHaveLength(1)
    expect(sent.length).toBeLessThan(20)
    for (const socket of sockets) socket.end()
    await Promise.all(sockets.map(({ closed }) => closed))
  })
})

describe('a page', () => {
  test('of another origin is rejected, and one of a configured origin is accepted', async () => {
    for (const target of [`/novu/socket?token=${token}`, '/socket.io/?EIO=4&transport=websocket']) {
      const foreign = new RawSocket(server, target, { origin: 'https://elsewhere.example.com' })
      expect(await foreign.rejection()).toMatchObject({ status: 403 })
      await new RawSocket(server, target, { origin: ORIGIN }).opened
    }
  })
})

describe('a plain WebSocket', () => {
  test('is closed if it sends a large frame', async () => {
    const socket = await plainOf()
    await socket.send('x'.repeat(300 * 1024))
    expect((await socket.closed)[0]).toBe(1009)
  })

  test('is closed with its server', async () => {
    const other = await startHttpServer(world.app.fetch, '127.0.0.1', 0, world.app.upgrade)
    const socket = new RawSocket(other, `/novu/socket?token=${token}`)
    await socket.opened
    await other.close()
    expect(await socket.closed).toEqual([1001, 'Going away'])
  })
})

describe('a connection of socket.io', () => {
  test.each([
    ['nothing', ''],
    ['another text', 'hello'],
    ['an unknown type', '9'],
    ['a message without a type', '4'],
    ['a message with an unknown type', '48'],
    ['data that is no JSON', '40/novu,{"token"'],
    ['binary data', '451-["x",{"_placeholder":true,"num":0}]'],
    ['an acknowledgement', '43/novu,0[]'],
  ])('is closed if it sends %s', async (_what, text) => {
    const socket = await bare()
    await socket.send(text)
    expect(await socket.closed).toEqual([1007, 'Invalid packet'])
  })

  test.each(['2', '6', '40/novu'])('with the text "%s" as it is sent by other clients stays a client', async (text) => {
    const socket = await bare()
    await socket.send(text)
    const reply = text === '40/novu' ? socket.texts.next() : socket.closed
    expect(await reply).toEqual(text === '40/novu' ? expect.stringMatching(/^40\/novu,/) : [1007, 'Invalid packet'])
  })

  test('is closed if it sends much before it has joined a namespace', async () => {
    const socket = await bare('')
    await socket.send(`40/novu,{"token":"${'x'.repeat(4096)}"}`)
    expect(await socket.closed).toEqual([1009, 'At most 4096 bytes before authentication'])
    const later = await joined()
    await later.send('x'.repeat(300 * 1024))
    expect((await later.closed)[0]).toBe(1009)
  })

  test('has one namespace, and its events mean nothing', async () => {
    const socket = await joined()
    await socket.send('42/novu,["notification_received",{}]')
    await socket.send('40/novu,')
    expect(await socket.texts.next()).toBe('44/novu,{"message":"The connection has a namespace already"}')
    await socket.send('41/novu,')
    expect((await socket.closed)[0]).toBe(1000)
  })

  test('is closed if it joins no namespace in time, and otherwise receives pings', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })
    onTestFinished(() => void vi.useRealTimers())
    const idle = await bare()
    const active = await joined()
    await vi.advanceTimersByTimeAsync(CONNECT_TIMEOUT)
    expect(await idle.closed).toEqual([1000, 'No namespace was joined in time'])
    await vi.advanceTimersByTimeAsync(HEARTBEAT - CONNECT_TIMEOUT)
    expect(await active.texts.next()).toBe('2')
    await active.send('3')
    await received(1)
    expect(await active.texts.next()).toMatch(/^42\/novu,\["notification_received",\{"message":\{/)
  })

  test.each([
    ['EIO=3&transport=websocket', 'EIO must be 4'],
    ['EIO=4&transport=polling', 'transport must be websocket'],
  ])('with the query %s is rejected', async (query, message) => {
    const { status, body } = await new RawSocket(server, `/socket.io/?${query}`).rejection()
    expect({ status, ...JSON.parse(body) }).toMatchObject({ status: 400, message })
  })

  test('without a namespace is closed in favor of later ones', async () => {
    const idle = await bare()
    const others = Array.from({ length: 200 }, () => new RawSocket(server, '/socket.io/?EIO=4&transport=websocket'))
    expect(await idle.closed).toEqual([1006, ''])
    for (const socket of others) socket.end()
  })
})

describe('a token that ends', () => {
  test('with its key closes both kinds of connections, and the client of socket.io stays away', async () => {
    const { newApiKey } = await acme.act('createApiKey', { name: 'Page' }, 'newApiKey { key apiKey { id } }')
    const ofKey = await tokenOf(world, world.client(newApiKey.key), 'ada')
    const socket = await plainOf(ofKey)
    const { connected, left, socket: client } = socketIoOf(server, '/novu', { query: { token: ofKey } })
    await connected
    const other = await plainOf()
    await acme.act('revokeApiKey', { id: newApiKey.apiKey.id })
    expect(await socket.closed).toEqual([4403, 'Session not found'])
    expect(await left).toBe('io server disconnect')
    expect(client.active).toBe(false)
    await other.send('ping')
    expect(await other.texts.next()).toBe('pong')
  })

  test('of another environment opens its own feed only', async () => {
    const other = await world.environment()
    await other.act('createSubscriber', { subscriberId: 'ada' })
    const socket = await plainOf(await tokenOf(world, other, 'ada'))
    const own = await plainOf()
    await received(1)
    expect((await own.texts.take(3)).length).toBe(3)
    await socket.send('ping')
    expect(await socket.texts.next()).toBe('pong')
  })
})

describe('a client that does not read', () => {
  test('is closed with a thousand waiting events, and holds up nobody else', async () => {
    const { gateway } = world
    const logger = pino({ level: 'silent' })
    const rateLimiter = createRateLimiter({ rates: 'off', now: gateway.now, logger })
    const live = createLiveConnections({
      ...{ gateway, logger, rateLimiter, corsOrigins: [] },
      socketLimits: createSocketLimits(),
    })
    /** Opens a connection whose sends wait for `sending`. */
    const open = async (sending: Promise<void>) => {
      const record = new RequestRecord(undefined, new Headers())
      const caller = await live.identify(token, new RateMeter(rateLimiter, undefined))
      const events = new Arrivals<string>()
      const ended = new Promise<Refusal>((resolve) => {
        const send = ({ name }: { readonly name: string }) => {
          events.add(name)
          return sending
        }
        const stop = live.start(caller, token, record, { begun: () => events.add('begun'), send, ended: resolve })
        onTestFinished(stop)
      })
      expect(await events.next()).toBe('begun')
      return { events, ended }
    }
    let release = () => {}
    const stalled = await open(new Promise((resolve) => (release = resolve)))
    const reading = await open(Promise.resolve())
    for (let round = 0; round < 11; round += 1) {
      await received(100)
      for (let rest = 100; rest > 0;) if ((await reading.events.next()) === 'notification_received') rest -= 1
    }
    release()
    expect(await stalled.ended).toMatchObject({ kind: 'UNAVAILABLE', message: 'The connection is too slow' })
    expect(await stalled.events.take(2)).toEqual(['unread_count_changed', 'unseen_count_changed'])
    expect(stalled.events.isEmpty).toBe(true)
  })
})
