// Connections to mail servers: how many there are, whose they are, and when they end.
import type { Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { createOutbound } from '../../src/delivery/network/outbound.ts'
import { nodemailer } from '../../src/delivery/providers/nodemailer.ts'
import type { JsonObject } from '../../src/lib/validation.ts'
import { ada, failureOf } from '../support/delivery/message.ts'
import { listening } from '../support/delivery/receiver.ts'
import { createWorkflow, done, trigger } from '../support/delivery/story.ts'
import { until } from '../support/process/gateway-process.ts'
import { type Client, useWorld } from '../support/world.ts'

const MESSAGES = 1_000

const world = useWorld()
let acme: Client
beforeEach(async () => {
  acme = await world.environment()
})

interface Mail {
  readonly to: string | undefined
  readonly user: unknown
  /** The number of its connection. */
  readonly connection: number
}

/** A mail server that accepts every password, and counts connections. */
async function mailServer(options: SMTPServerOptions = {}) {
  const mails: Mail[] = []
  const sockets: Socket[] = []
  let most = 0
  const server = new SMTPServer({
    ...{ authOptional: true, disabledCommands: ['STARTTLS'], logger: false, allowInsecureAuth: true },
    onAuth: ({ username }, _session, callback) => callback(null, { user: username }),
    onData(stream, { envelope, user, remotePort }, callback) {
      void text(stream).then(() => {
        const connection = sockets.findIndex((socket) => socket.remotePort === remotePort)
        mails.push({ to: envelope.rcptTo[0]?.address, user, connection })
        callback(null, 'queued')
      })
    },
    ...options,
  })
  server.on('error', () => {})
  server.server.on('connection', (socket: Socket) => {
    sockets.push(socket)
    most = Math.max(most, sockets.filter(({ destroyed }) => !destroyed).length)
  })
  const port = await listening(server.server)
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise<void>((resolve) => server.close(resolve))
  })
  return {
    mails,
    /** All connections that were ever opened. */
    sockets,
    /** The maximum number of connections that were open at the same time. */
    most: () => most,
    settings: { host: '127.0.0.1', port, from: 'shop@example.com', user: 'acme', password: 'secret-of-acme' },
  }
}

const usersOf = (mails: readonly Mail[]) => mails.map(({ to, user }) => [to, user])

const createPost = (credentials: object, more: object = {}) =>
  done(acme, 'createIntegration', { identifier: 'post', providerId: 'NODEMAILER', credentials, ...more })

const recipients = (count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => `r${from + index}`).map((subscriberId) => ({
    ...{ subscriberId, email: `${subscriberId}@example.com` },
  }))

async function sendTo(...to: readonly object[]) {
  for (let from = 0; from < to.length; from += 100) await trigger(acme, { to: to.slice(from, from + 100) })
  await world.work()
}

const attempts = async () => {
  const { deliveries } = await acme.ask('{ deliveries(first: 100) { nodes { status attempts { number error } } } }')
  return deliveries.nodes.map(({ status, attempts: made }) => [status, made.map(({ error }) => error)])
}

const mail = { email: { subject: 'Hi', body: 'Hello' } }

describe('an integration for SMTP', () => {
  beforeEach(() => createWorkflow(acme, [mail]))

  test('sends many messages over at most ten connections', async () => {
    const { mails, sockets, most, settings } = await mailServer()
    await createPost(settings)
    await sendTo(...recipients(MESSAGES))
    expect(new Set(mails.map(({ to }) => to)).size).toBe(MESSAGES)
    expect(mails).toHaveLength(MESSAGES)
    expect(most()).toBeLessThanOrEqual(10)
    // Those that are idle for ten seconds on a slow machine are closed, and others take their places.
    expect(sockets.length).toBeLessThan(MESSAGES / 10)
  }, 120_000)

  test('opens a connection for one message, and uses it for the next', async () => {
    const { mails, sockets, settings } = await mailServer()
    await createPost(settings)
    for (const one of recipients(3)) await sendTo(one)
    expect(mails.map(({ connection }) => connection)).toEqual([0, 0, 0])
    expect(sockets).toHaveLength(1)
  })

  test('keeps the connection if the server rejects a recipient', async () => {
    const { mails, sockets, settings } = await mailServer({
      onRcptTo: ({ address }, _session, callback) =>
        address === 'r0@example.com'
          ? callback(Object.assign(new Error('no such user'), { responseCode: 550 }))
          : callback(),
    })
    await createPost(settings)
    for (const one of recipients(2)) await sendTo(one)
    expect(mails.map(({ to }) => to)).toEqual(['r1@example.com'])
    expect(sockets).toHaveLength(1)
  })

  test.each<[string, (socket: Socket) => unknown]>([
    ['closes', (socket) => socket.end()],
    ['resets', (socket) => socket.resetAndDestroy()],
    ['ends with a message', (socket) => socket.end('421 4.4.2 idle for too long\r\n')],
  ])('loses no attempt if the server %s the idle connection', async (_how, end) => {
    const { mails, sockets, settings } = await mailServer()
    await createPost(settings)
    await sendTo(...recipients(1))
    for (const socket of sockets) end(socket)
    await sendTo(...recipients(1, 1))
    expect(mails.map(({ to }) => to)).toEqual(['r0@example.com', 'r1@example.com'])
    expect(await attempts()).toEqual([
      ['SENT', [null]],
      ['SENT', [null]],
    ])
  })

  test('sends a message only once in an attempt, even if the server leaves after it has received it', async () => {
    let received = 0
    const { sockets, settings } = await mailServer({
      onData(stream, _session, callback) {
        void text(stream).then(() => {
          received += 1
          if (received === 1) callback()
          else for (const socket of sockets) socket.destroy()
        })
      },
    })
    await createPost(settings)
    await sendTo(...recipients(1))
    await sendTo(...recipients(1, 1))
    expect(received).toBe(2)
    const [[status, errors] = []] = (await attempts()).filter(([one]) => one !== 'SENT')
    expect(status).toBe('PENDING')
    expect(errors).toHaveLength(1)
  })

  test('opens a new connection once its settings have changed, and closes what it had', async () => {
    const { mails, sockets, settings } = await mailServer()
    await createPost(settings)
    await sendTo(...recipients(1))
    await done(acme, 'updateIntegration', {
      currentIdentifier: 'post',
      credentialChanges: { user: 'acme-2', password: 'another' },
    })
    await sendTo(...recipients(1, 1))
    expect(usersOf(mails)).toEqual([
      ['r0@example.com', 'acme'],
      ['r1@example.com', 'acme-2'],
    ])
    await until(() => Promise.resolve(sockets[0]?.destroyed || undefined))
    expect(sockets[1]?.destroyed).toBe(false)
  })

  test('keeps its connections if only the sender has changed', async () => {
    const { sockets, settings } = await mailServer()
    await createPost(settings)
    await sendTo(...recipients(1))
    await done(acme, 'updateIntegration', {
      currentIdentifier: 'post',
      credentialChanges: { from: 'support@example.com' },
    })
    await sendTo(...recipients(1, 1))
    expect(sockets).toHaveLength(1)
  })
})

test('two integrations for one server have connections of their own, each with its account', async () => {
  const { mails, sockets, settings } = await mailServer()
  const forTenant = (id: string) => ({ conditions: { '==': [{ var: 'context.tenant.id' }, id] } })
  await createWorkflow(acme, [mail])
  await createPost(settings, { identifier: 'one', ...forTenant('one') })
  await createPost({ ...settings, user: 'globex', password: 'b' }, { identifier: 'two', ...forTenant('two') })
  const to = recipients(1)
  for (const tenant of ['one', 'two', 'one', 'two']) {
    await trigger(acme, { to, context: { tenant } })
    await world.work()
  }
  expect(mails.map(({ user, connection }) => [user, connection])).toEqual([
    ['acme', 0],
    ['globex', 1],
    ['acme', 0],
    ['globex', 1],
  ])
  expect(sockets).toHaveLength(2)
})

test('an integration of another environment with the same settings has connections of its own', async () => {
  const { mails, settings } = await mailServer()
  for (const client of [acme, await world.environment()]) {
    acme = client
    await createWorkflow(acme, [mail])
    await createPost(settings)
    await sendTo(...recipients(1))
  }
  expect(mails.map(({ connection }) => connection)).toEqual([0, 1])
})

describe('an outbound', () => {
  const messageBy = (credentials: JsonObject) => ({ ...ada, channel: 'email' as const, credentials })

  test('closes the connections when it is closed', async () => {
    const { sockets, settings } = await mailServer()
    const outbound = createOutbound({ allowPrivateAddresses: true })
    await nodemailer.send(messageBy(settings), outbound)
    expect(sockets[0]?.destroyed).toBe(false)
    await outbound.close()
    await until(() => Promise.resolve(sockets[0]?.destroyed || undefined))
  })

  test('closes a connection that is not used any more', async () => {
    const { sockets, settings } = await mailServer()
    const outbound = createOutbound({ allowPrivateAddresses: true })
    onTestFinished(async () => {
      vi.useRealTimers()
      await outbound.close()
    })
    await nodemailer.send(messageBy(settings), outbound)
    // The message was just sent. Its connection becomes idle in the next turn of the event loop.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    await new Promise(setImmediate)
    vi.advanceTimersByTime(10_000)
    vi.useRealTimers()
    await until(() => Promise.resolve(sockets[0]?.destroyed || undefined))
  })

  test('checks the address of each connection, not only of the first', async () => {
    const { sockets, settings } = await mailServer()
    let isMoved = false
    const outbound = createOutbound({
      allowPrivateAddresses: true,
      deniedAddresses: ['127.0.0.2'],
      names: {
        knows: () => true,
        resolve: () => Promise.resolve([{ address: isMoved ? '127.0.0.2' : '127.0.0.1', family: 4 }]),
      },
    })
    onTestFinished(() => outbound.close())
    const message = messageBy({ ...settings, host: 'mail.example.com' })
    await nodemailer.send(message, outbound)
    isMoved = true
    // The open connection was checked.
    await nodemailer.send(message, outbound)
    sockets[0]?.resetAndDestroy()
    await until(() => Promise.resolve(sockets[0]?.destroyed || undefined))
    expect(await failureOf(nodemailer.send(message, outbound))).toMatchObject({
      permanent: true,
      failureCause: 'address_blocked',
    })
    expect(sockets).toHaveLength(1)
  })
})
