// Devices that are no longer registered: their tokens are tried once and removed.
import { generateKeyPairSync } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { createOutbound } from '../../src/delivery/network/outbound.ts'
import type { SubscriberCredential } from '../../src/data/prisma/client.ts'
import { createWorker } from '../../src/delivery/worker/worker.ts'
import { tokensOf as storedTokensOf } from '../../src/domain/credential.ts'
import type { Gateway } from '../../src/domain/resolver/scope.ts'
import { useReceiver } from '../support/delivery/receiver.ts'
import { adasRun, createIntegration, createWorkflow, done, outcomes, trigger } from '../support/delivery/story.ts'
import { until } from '../support/process/gateway-process.ts'
import { type Client, useWorld } from '../support/world.ts'

const world = useWorld()
const receiver = useReceiver()
let acme: Client

/** A thousand take a minute. */
const RECIPIENTS = 60

const push = { push: { stepId: 'alert', subject: 'Shipped', body: 'On its way' } }

/** Answers as Expo does, for which tokens that begin with `dead` are not registered. */
function answerTo(response: ServerResponse, token: string): void {
  const ticket = token.startsWith('dead')
    ? { status: 'error', message: `"${token}" is not registered`, details: { error: 'DeviceNotRegistered' } }
    : { status: 'ok', id: '1' }
  response.end(JSON.stringify({ data: ticket }))
}

beforeEach(async () => {
  acme = await world.environment()
  await done(acme, 'createSubscriber', { subscriberId: 'ada' })
  await createIntegration(acme, 'EXPO', '', { identifier: 'push', credentials: { baseUrl: receiver.url } })
  await createWorkflow(acme, [push])
  receiver.respond((response) => answerTo(response, String(Object(receiver.last.json).to)))
})
afterEach(() => world.setClock(undefined))

const setTokens = (deviceTokens: readonly string[], more: object = {}) =>
  done(acme, 'setSubscriberCredentials', {
    ...{ subscriberId: 'ada', providerId: 'EXPO', credentials: { deviceTokens }, ...more },
  })

async function tokensOf(subscriberId = 'ada') {
  const { subscriber } = await acme.ask(
    'query ($id: String!) { subscriber(subscriberId: $id) { channels { deviceTokens } } }',
    { id: subscriberId },
  )
  return subscriber.channels.map(({ deviceTokens }) => deviceTokens)
}
const tokensOfRow = (row: SubscriberCredential): readonly string[] =>
  storedTokensOf({ cipher: world.gateway.cipher, environmentId: row.environmentId }, row)
const tried = () => receiver.received.map(({ json }) => Object(json).to)
const removals = () => world.logged.filter(({ msg }) => msg === 'device token removed')

async function send() {
  const transactionId = await trigger(acme)
  await world.work()
  return transactionId
}

describe('a device that is no longer registered', () => {
  test('is tried once, and its token is gone', async () => {
    await setTokens(['dead-phone'])
    const first = await send()
    expect(await adasRun(acme, first)).toMatchObject({
      steps: [
        {
          ...{ status: 'FAILED', reason: 'refused', cause: 'DEVICE_UNREGISTERED' },
          deliveries: [{ status: 'FAILED', cause: 'DEVICE_UNREGISTERED', attempts: [{ number: 1, status: 200 }] }],
        },
      ],
    })
    expect(await tokensOf()).toEqual([[]])
    expect(await outcomes(acme, await send())).toEqual({ alert: 'SKIPPED no_destination' })
    expect(tried()).toEqual(['dead-phone'])
  })

  test('leaves the other devices of the subscriber, and the step is sent', async () => {
    await setTokens(['dead-phone', 'tablet', 'dead-watch'])
    expect(await outcomes(acme, await send())).toEqual({ alert: 'SENT' })
    expect(await tokensOf()).toEqual([['tablet']])
    await send()
    expect(tried().toSorted()).toEqual(['dead-phone', 'dead-watch', 'tablet', 'tablet'])
  })

  test('keeps the webhook of the same credentials, and the profile as it was', async () => {
    const read = () => acme.ask('{ subscriber(subscriberId: "ada") { updatedAt version } }')
    const before = await read()
    const webhookUrl = 'https://hooks.example.com/secret'
    await setTokens([], { credentials: { deviceTokens: ['dead-phone'], webhookUrl } })
    await send()
    const { subscriber } = await acme.ask(
      '{ subscriber(subscriberId: "ada") { channels { webhookUrl deviceTokens } } }',
    )
    expect(subscriber.channels).toEqual([{ webhookUrl, deviceTokens: [] }])
    expect(await read()).toEqual(before)
  })

  test('is logged without its token, and counted', async () => {
    await setTokens(['dead-phone'])
    const transactionId = await send()
    const [step] = (await adasRun(acme, transactionId)).steps
    const id = step.deliveries[0].id
    expect(removals().at(-1)).toMatchObject({ level: 30, subscriberId: 'ada', provider: 'expo', integration: 'push' })
    expect(Buffer.from(id, 'base64url').toString()).toContain(String(removals().at(-1)?.['deliveryId']))
    expect(JSON.stringify(world.logged)).not.toContain('dead-phone')
    const printed = await world.metrics.print()
    for (const metric of ['attempts', 'messages']) {
      expect(printed).toMatch(
        new RegExp(`${metric}_total\\{channel="push",provider="expo",outcome="unregistered"\\} [1-9]`),
      )
    }
  })

  test('does not count against its provider', async () => {
    await setTokens(Array.from({ length: 20 }, (_, index) => `dead-${index}`))
    await send()
    expect(tried()).toHaveLength(20)
    expect(world.logged.filter(({ msg }) => msg === 'provider failing')).toEqual([])
  })

  test('is removed by FCM, too', async () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const serviceAccount = {
      project_id: 'shop-1',
      client_email: 'gateway@shop-1.example.com',
      private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      token_uri: `${receiver.url}/token`,
    }
    await createIntegration(acme, 'FCM', '', { credentials: { serviceAccount, baseUrl: receiver.url } })
    await setTokens(['phone', 'tablet'], { providerId: 'FCM' })
    const details = [{ '@type': 'type.googleapis.com/google.firebase.fcm.v1.FcmError', errorCode: 'UNREGISTERED' }]
    receiver.respond((response, { url }) => {
      if (url === '/token') response.end(JSON.stringify({ access_token: 'ya29', expires_in: 3599 }))
      else if (receiver.last.body.includes('"tablet"')) response.end('{}')
      else response.writeHead(404).end(JSON.stringify({ error: { code: 404, status: 'NOT_FOUND', details } }))
    })
    expect(await outcomes(acme, await send())).toEqual({ alert: 'SENT' })
    expect(await tokensOf()).toEqual([['tablet']])
  })

  test('is removed by Apple, too, but not a token of another app', async () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const secretKey = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
    const account = { secretKey, apiKey: 'KEY1234567', projectName: 'TEAM123456', applicationId: 'com.example.shop' }
    await createIntegration(acme, 'APNS', '', { credentials: { ...account, baseUrl: receiver.url } })
    await setTokens(['phone', 'foreign', 'tablet'], { providerId: 'APNS' })
    const answers: Readonly<Record<string, readonly [status: number, reason: string]>> = {
      '/3/device/phone': [410, 'Unregistered'],
      '/3/device/foreign': [400, 'DeviceTokenNotForTopic'],
    }
    receiver.respond((response, { url = '' }) => {
      const [status = 200, reason] = answers[url] ?? []
      response.writeHead(status).end(reason && JSON.stringify({ reason }))
    })
    expect(await outcomes(acme, await send())).toEqual({ alert: 'SENT' })
    expect(await tokensOf()).toEqual([['foreign', 'tablet']])
  })

  test('is removed by OneSignal, too, but not one that does not want notifications', async () => {
    const account = { applicationId: 'app-1', apiKey: 'os_v2_app_key' }
    await createIntegration(acme, 'ONE_SIGNAL', '', { credentials: { ...account, baseUrl: receiver.url } })
    await setTokens(['phone', 'silent', 'tablet'], { providerId: 'ONE_SIGNAL' })
    const answers: Readonly<Record<string, object>> = {
      phone: { id: '', errors: { invalid_player_ids: ['phone'] } },
      silent: { id: '', errors: ['All included players are not subscribed'] },
    }
    receiver.respond((response) => {
      const [token] = Object(receiver.last.json).include_subscription_ids
      response.end(JSON.stringify(answers[token] ?? { id: '1' }))
    })
    expect(await outcomes(acme, await send())).toEqual({ alert: 'SENT' })
    expect(await tokensOf()).toEqual([['silent', 'tablet']])
  })
})

describe('a token', () => {
  /** Sends to `dead-phone`, and does `act` when the provider has the request. */
  async function sendMeanwhile(act: () => Promise<unknown>) {
    receiver.respond((response) => {
      void act().then(() => answerTo(response, 'dead-phone'))
    })
    await setTokens(['dead-phone'])
    return send()
  }

  test('that has taken the place of the rejected one meanwhile stays', async () => {
    await sendMeanwhile(() => setTokens(['new-phone']))
    expect(await tokensOf()).toEqual([['new-phone']])
  })

  test('in credentials that were created again meanwhile stays', async () => {
    const before = removals().length
    await sendMeanwhile(async () => {
      await done(acme, 'deleteSubscriberCredentials', { subscriberId: 'ada', providerId: 'EXPO' })
      await setTokens(['dead-phone'])
    })
    expect(await tokensOf()).toEqual([['dead-phone']])
    expect(removals()).toHaveLength(before)
  })

  test('of a subscriber that was deleted meanwhile needs no removal', async () => {
    const transactionId = await sendMeanwhile(() => done(acme, 'deleteSubscriber', { subscriberId: 'ada' }))
    const { event } = await acme.ask('query ($id: String!) { event(transactionId: $id) { status } }', {
      id: transactionId,
    })
    expect(event).toEqual({ status: 'COMPLETED' })
    expect(await acme.ask('{ subscriber(subscriberId: "ada") { id } }')).toEqual({ subscriber: null })
  })

  test('is removed once if two messages to it are rejected at the same time', async () => {
    const before = removals().length
    await setTokens(['dead-phone', 'tablet'])
    const waiting: ServerResponse[] = []
    receiver.respond((response) => {
      if (Object(receiver.last.json).to === 'tablet') answerTo(response, 'tablet')
      else if (waiting.push(response) === 2) for (const one of waiting) answerTo(one, 'dead-phone')
    })
    const transactionIds = [await trigger(acme), await trigger(acme)]
    await world.work()
    expect(tried().toSorted()).toEqual(['dead-phone', 'dead-phone', 'tablet', 'tablet'])
    for (const id of transactionIds) expect(await outcomes(acme, id)).toEqual({ alert: 'SENT' })
    expect(await tokensOf()).toEqual([['tablet']])
    expect(removals()).toHaveLength(before + 1)
  })

  test('is tried again and then removed if the process is killed before it has recorded the answer', async () => {
    const start = Date.UTC(2030, 0, 1)
    world.setClock(new Date(start))
    await setTokens(['dead-phone'])
    const transactionId = await trigger(acme)
    const { database, gateway } = world
    /** The worker of a process with a gateway of its own. */
    const openWorker = (own: Gateway) => {
      const outbound = createOutbound({ allowPrivateAddresses: true })
      onTestFinished(() => outbound.close())
      const clock = { now: gateway.now, measure: <Result>(read: () => Promise<Result>) => read() }
      const logger = pino({ level: 'silent' })
      const stopwatch = () => gateway.now().getTime()
      return createWorker({ gateway: own, database, clock, outbound, logger, stopwatch, embedded: true })
    }
    // From its first transaction after the answer on, the database does not hear from the killed process.
    let isKilled = false
    const killed = new Proxy(gateway.db, {
      get(db, name) {
        isKilled ||= name === '$transaction' && receiver.received.length > 0
        const value: unknown = Reflect.get(db, name, db)
        return isKilled && typeof value === 'function' ? () => new Promise(() => {}) : value
      },
    })
    void openWorker({ ...gateway, db: killed }).drain()
    await until(() => Promise.resolve(isKilled || undefined))
    expect(await tokensOf()).toEqual([['dead-phone']])
    world.setClock(new Date(start + 11_000))
    await openWorker(gateway).drain()
    expect(tried()).toEqual(['dead-phone', 'dead-phone'])
    expect(await tokensOf()).toEqual([[]])
    expect(await adasRun(acme, transactionId)).toMatchObject({
      steps: [{ cause: 'DEVICE_UNREGISTERED', deliveries: [{ attempts: [{ number: 1 }] }] }],
    })
  })
})

test('of many subscribers with a dead and a live token each, all are reached and the dead tokens are gone', async () => {
  const names = Array.from({ length: RECIPIENTS }, (_, index) => `subscriber-${index}`)
  for (let from = 0; from < RECIPIENTS; from += 100) {
    const some = names.slice(from, from + 100)
    const subscribers = some.map((subscriberId) => ({
      subscriberId,
      channels: [
        { providerId: 'expo', credentials: { deviceTokens: [`dead-${subscriberId}`, `live-${subscriberId}`] } },
      ],
    }))
    expect(await acme.rest('POST /v1/subscribers/bulk', { body: { subscribers } })).toMatchObject({ status: 201 })
    await trigger(acme, { to: some })
  }
  const before = removals().length
  await world.work()
  expect(new Set(tried())).toEqual(new Set(names.flatMap((name) => [`dead-${name}`, `live-${name}`])))
  expect(tried()).toHaveLength(2 * RECIPIENTS)
  expect(removals()).toHaveLength(before + RECIPIENTS)
  const { reached, dead } = await acme.ask(
    `{
      reached: workflowRuns(filter: { outcome: DELIVERED }) { totalCount }
      dead: deliveries(filter: { causes: [DEVICE_UNREGISTERED] }) { totalCount }
    }`,
  )
  expect([reached.totalCount, dead.totalCount]).toEqual([RECIPIENTS, RECIPIENTS])
  const rows = await world.gateway.db.subscriberCredential.findMany({ where: { subscriberId: { in: names } } })
  expect(rows).toHaveLength(RECIPIENTS)
  for (const row of rows) {
    expect(tokensOfRow(row)).toEqual([`live-${row.subscriberId}`])
  }
})
