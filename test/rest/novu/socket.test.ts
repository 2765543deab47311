// Live events of the browser inbox: over a plain WebSocket, over socket.io, and to the published client of the page.
import { pino } from 'pino'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { ConnectedSubscribers } from '../../../src/data/online/connected-subscribers.ts'
import { openFeedWatch } from '../../../src/domain/resolver/feed-watch.ts'
import { createRateLimiter } from '../../../src/http/rate-limit.ts'
import { createSocketLimits } from '../../../src/http/socket-limits.ts'
import { defaultStreamLimits, OpenCount } from '../../../src/lib/stream-limits.ts'
import { novuUpgrades } from '../../../src/rest/vocabularies/novu/socket/upgrades.ts'
import type { HttpServer } from '../../../src/http/node-server.ts'
import { browserOf } from '../../support/browser.ts'
import { housekeepingOf } from '../../support/housekeeping.ts'
import { pageOf } from '../../support/novu/inbox.ts'
import { Arrivals, listening, type LiveFrame, RawSocket, socketIoOf, tokenOf } from '../../support/novu/live.ts'
import { type Client, useWorld } from '../../support/world.ts'

const world = useWorld({ requestLog: true })
let acme: Client
let token: string
let server: HttpServer

const welcome = {
  identifier: 'welcome',
  name: 'Welcome',
  severity: 'HIGH',
  steps: [{ inApp: { subject: 'Hi', body: 'Hello', url: '/start' } }],
}

beforeEach(async () => {
  acme = await world.environment()
  await acme.act('createSubscriber', { subscriberId: 'ada', firstName: 'Ada' })
  await acme.act('createWorkflow', welcome)
  token = await tokenOf(world, acme, 'ada')
  server = await listening(world)
})

async function notify(to = 'ada', context?: object) {
  await acme.rest('POST /v1/events/trigger', { body: { name: 'welcome', to, ...(context && { context }) } })
  await world.work()
}

const severity = { high: 0, medium: 0, low: 0, none: 0 }
const counts = (total: number, unseen: number) => [
  { event: 'unread_count_changed', data: { counts: { total, severity: { ...severity, high: total } } } },
  { event: 'unseen_count_changed', data: { unseenCount: unseen } },
]
const received = {
  event: 'notification_received',
  data: {
    message: expect.objectContaining({
      content: 'Hello',
      subject: 'Hi',
      read: false,
      seen: false,
      archived: false,
      channel: 'in_app',
      severity: 'high',
      subscriber: expect.objectContaining({ subscriberId: 'ada', firstName: 'Ada' }),
      cta: { type: 'redirect', data: { url: '/start' } },
      workflow: expect.objectContaining({ identifier: 'welcome' }),
    }),
  },
}

const framesOf = async (socket: RawSocket, count: number) => {
  const all: unknown[] = []
  while (all.length < count) all.push(await socket.frame())
  return all
}

/** A plain connection that follows its feed: it has received the counts. */
async function plainOf(of = token) {
  const socket = new RawSocket(server, `/novu/socket?token=${encodeURIComponent(of)}`)
  expect(await framesOf(socket, 2)).toMatchObject([
    { event: 'unread_count_changed' },
    { event: 'unseen_count_changed' },
  ])
  return socket
}

describe('a plain WebSocket', () => {
  test('begins with the counts, for the first connection to a feed and for others', async () => {
    await notify()
    for (let connections = 0; connections < 2; connections += 1) {
      const socket = new RawSocket(server, `/novu/socket?token=${token}`)
      expect(await framesOf(socket, 2)).toEqual(counts(1, 1))
    }
  })

  test('receives a notification, then the counts, and counts after each change', async () => {
    const socket = await plainOf()
    await notify()
    expect(await framesOf(socket, 3)).toEqual([received, ...counts(1, 1)])
    const { subscriber } = await acme.ask('{ subscriber(subscriberId: "ada") { notifications { nodes { id } } } }')
    const [{ id }] = subscriber.notifications.nodes
    await acme.act('markNotifications', { subscriberId: 'ada', as: 'SEEN' })
    expect(await framesOf(socket, 2)).toEqual(counts(1, 0))
    await acme.act('markNotification', { id, as: 'READ' })
    expect(await framesOf(socket, 2)).toEqual(counts(0, 0))
  })

  test.each([
    ['without a token', '', 'Missing token'],
    ['with an unknown token', '?token=nobody', 'Session not found'],
    ['with a line break in its token', '?token=a%0Ab', 'Session not found'],
    ['with a token in another script', '?token=%E2%98%83', 'Session not found'],
  ])('%s is rejected with 401', async (_what, query, message) => {
    const { status, body } = await new RawSocket(server, `/novu/socket${query}`).rejection()
    expect(status).toBe(401)
    expect(JSON.parse(body)).toMatchObject({ statusCode: 401, path: '/novu/socket', message })
  })

  test('with an API key, or the token of a session that pages renew, is rejected', async () => {
    const { key } = await browserOf(world, acme, 'ada')
    for (const other of [acme.key, key]) {
      expect(await new RawSocket(server, `/novu/socket?token=${other}`).rejection()).toMatchObject({ status: 401 })
    }
  })

  test('with an expired token is rejected', async () => {
    world.setClock(new Date(Date.now() + 16 * 24 * 3_600_000))
    onTestFinished(() => world.setClock(undefined))
    const rejected = await new RawSocket(server, `/novu/socket?token=${token}`).rejection()
    expect(rejected).toMatchObject({ status: 401, body: expect.stringContaining('Session expired') })
  })

  test('hears nothing of other subscribers, contexts and environments', async () => {
    await acme.act('createSubscriber', { subscriberId: 'bob' })
    const other = await world.environment()
    await other.act('createSubscriber', { subscriberId: 'ada' })
    const ofOther = await plainOf(await tokenOf(world, other, 'ada'))
    const ofBob = await plainOf(await tokenOf(world, acme, 'bob'))
    const inShop = await plainOf(await tokenOf(world, acme, 'ada', { tenant: 'shop' }))
    const ofAda = await plainOf()
    await notify()
    expect(await framesOf(ofAda, 3)).toEqual([received, ...counts(1, 1)])
    await notify('ada', { tenant: 'shop' })
    expect(await framesOf(inShop, 3)).toEqual([received, ...counts(1, 1)])
    // What is sent in order has arrived with the answer.
    for (const socket of [ofOther, ofBob, ofAda]) {
      await socket.send('ping')
      expect(await socket.texts.next()).toBe('pong')
    }
  })

  test('ignores other texts', async () => {
    const socket = await plainOf()
    await socket.send('{"event":"unread_count_changed"}')
    await socket.send('ping')
    expect(await socket.texts.next()).toBe('pong')
  })
})

describe('socket.io', () => {
  test.each(['', '/novu'])('connects the namespace of the address "%s", and receives the same events', async (path) => {
    const { connected, frames } = socketIoOf(server, path, { query: { token: token } })
    await connected
    expect(await frames.take(2)).toEqual(counts(0, 0))
    await notify()
    expect(await frames.take(3)).toEqual([received, ...counts(1, 1)])
  })

  test('accepts the token in its first packet', async () => {
    const { connected, frames } = socketIoOf(server, '/novu', { auth: { token: token } })
    await connected
    expect(await frames.take(2)).toEqual(counts(0, 0))
  })

  test.each([
    ['an unknown token', '/novu', 'nobody', 'Session not found'],
    ['no token', '/novu', '', 'Missing token'],
    ['another namespace', '/other', undefined, 'Invalid namespace'],
  ])('refuses %s, and the client gives up', async (_what, path, token, message) => {
    const { refused, socket } = socketIoOf(server, path, { query: { token: token ?? token } })
    expect((await refused).message).toBe(message)
    expect(socket.active).toBe(false)
  })

  test('connects again by itself after a connection was lost, and receives the counts', async () => {
    const { connected, left, frames, socket } = socketIoOf(server, '/novu', {
      query: { token: token },
      reconnectionDelay: 1,
    })
    await connected
    expect(await frames.take(2)).toEqual(counts(0, 0))
    const again = new Promise((resolve) => socket.once('connect', () => resolve(undefined)))
    socket.io.engine.close()
    expect(await left).toBe('forced close')
    socket.connect()
    await again
    expect(await frames.take(2)).toEqual(counts(0, 0))
    await notify()
    expect(await frames.take(3)).toEqual([received, ...counts(1, 1)])
  })
})

describe('the page', () => {
  test.each([
    ['socket.io', '/novu', undefined],
    ['a plain WebSocket', '/novu/socket', 'cloud' as const],
  ])('shows what arrives over %s', async (_what, path, socketType) => {
    const { address } = server
    const page = await pageOf(acme, {
      subscriber: { subscriberId: 'ada' },
      apiUrl: `${address}/novu`,
      socketUrl: `${socketType === 'cloud' ? address.replace('http', 'ws') : address}${path}`,
      ...(socketType && { socketOptions: { socketType, WebSocket } }),
    })
    onTestFinished(async () => {
      await page.socket.disconnect()
    })
    const frames = new Arrivals<LiveFrame>()
    page.on('notifications.notification_received', ({ result: { body, isRead, redirect } }) =>
      frames.add({ event: 'received', data: { body, isRead, redirect } }),
    )
    page.on('notifications.unread_count_changed', ({ result }) => frames.add({ event: 'unread', data: { ...result } }))
    page.on('notifications.unseen_count_changed', ({ result }) => frames.add({ event: 'unseen', data: { result } }))
    await page.socket.connect()
    const counted = (count: number) => [
      { event: 'unread', data: { total: count, severity: { ...severity, high: count } } },
      { event: 'unseen', data: { result: count } },
    ]
    expect(await frames.take(2)).toEqual(counted(0))
    await notify()
    expect(await frames.take(3)).toEqual([
      { event: 'received', data: { body: 'Hello', isRead: false, redirect: { url: '/start' } } },
      ...counted(1),
    ])
  })
})

describe('a live connection', () => {
  test('makes its subscriber online until the last one closes', async () => {
    const state = async () => {
      await housekeepingOf(world).perform('connected_subscribers')
      return (await acme.ask('{ subscriber(subscriberId: "ada") { isOnline } }')).subscriber.isOnline
    }
    expect(await state()).toBe(false)
    const plain = await plainOf()
    const { connected, socket } = socketIoOf(server, '/novu', { query: { token: token } })
    await connected
    expect(await state()).toBe(true)
    plain.close()
    await plain.closed
    expect(await state()).toBe(true)
    socket.disconnect()
    await expect.poll(state).toBe(false)
  })

  test('leaves its token in no line of the log', async () => {
    const before = world.logged.length
    await plainOf()
    const { connected } = socketIoOf(server, '/novu', { query: { token: token } })
    await connected
    await new RawSocket(server, `/novu/socket?token=${token}x`).rejection()
    await new RawSocket(server, `/socket.io/?token=${token}&EIO=3&transport=websocket`).rejection()
    await fetch(`${server.address}/novu/socket?token=${token}`)
    await fetch(`${server.address}/socket.io/?token=${token}&EIO=4&transport=polling`)
    const lines = world.logged.slice(before)
    expect(lines).toContainEqual(
      expect.objectContaining({ path: '/novu/socket', operation: 'GET /novu/socket', status: 101 }),
    )
    expect(lines).toContainEqual(expect.objectContaining({ path: '/socket.io/', operation: 'GET /socket.io/' }))
    expect(JSON.stringify(lines)).not.toContain(token)
    expect(await world.metrics.print()).not.toContain(token)
  })
})

describe('another process', () => {
  test('follows the feed too, and makes its subscribers online', async () => {
    const { gateway, database } = world
    const logger = pino({ level: 'silent' })
    const feeds = await openFeedWatch(database, logger, new OpenCount(defaultStreamLimits, 'streams'))
    onTestFinished(() => feeds.close())
    const connected = new ConnectedSubscribers(gateway.newId(), gateway.now)
    const upgrades = novuUpgrades({
      gateway: { ...gateway, feeds, connected },
      ...{ logger, corsOrigins: [], socketLimits: createSocketLimits() },
      rateLimiter: createRateLimiter({ rates: 'off', now: gateway.now, logger }),
    })
    const other = await listening({
      app: {
        ...world.app,
        upgrade: (request, address) => upgrades.get(new URL(request.url).pathname)?.(request, address),
      },
    })
    const here = await plainOf()
    const there = new RawSocket(other, `/novu/socket?token=${token}`)
    expect(await framesOf(there, 2)).toEqual(counts(0, 0))
    await notify()
    expect(await framesOf(there, 3)).toEqual([received, ...counts(1, 1)])
    expect(await framesOf(here, 3)).toEqual([received, ...counts(1, 1)])
    here.close()
    await here.closed
    await gateway.connected.write(gateway.db)
    await connected.write(gateway.db)
    expect(await acme.ask('{ subscriber(subscriberId: "ada") { isOnline } }')).toEqual({
      subscriber: { isOnline: true },
    })
  })
})
