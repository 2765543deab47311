// Lasting sessions between requests: what the process keeps of them, and streams that are open when one ends.
import { beforeEach, expect, test } from 'vitest'
import { publicCallerOf, sign } from '../support/browser.ts'
import { statementsOf } from '../support/statements.ts'
import { type Client, useWorld } from '../support/world.ts'

const world = useWorld()
let acme: Client
let browser: Client

const lasting = async (subscriberId: string, signer: Pick<Client, 'key'> = acme) => {
  const input = { subscriberId, subscriberHash: sign(subscriberId, signer), kind: 'LASTING' }
  const { token } = await (await publicCallerOf(world, acme)).act('openSession', input, 'token')
  return world.client(token, 'Bearer')
}

beforeEach(async () => {
  acme = await world.environment()
  browser = await lasting('ada')
})

const own = '{ session { subscriberId notificationCounts { unread } } }'
const counts = 'subscription { notificationCountsChanged(subscriberId: "ada") { unread } }'
const ended = { errors: [{ message: 'Session not found', extensions: { code: 'UNAUTHENTICATED' } }] }

test('a further request reads nothing about the session', async () => {
  await browser.ask(own)
  expect(await statementsOf(() => browser.ask(own))).toHaveLength(1)
})

test('a request after the deletion of another subscriber reads nothing about the session either', async () => {
  await lasting('grace')
  await browser.ask(own)
  await acme.act('deleteSubscriber', { subscriberId: 'grace' })
  expect(await statementsOf(() => browser.ask(own))).toHaveLength(1)
})

test('a stream ends when the subscriber of its session is deleted', async () => {
  const stream = await browser.follow(counts)
  await acme.act('deleteSubscriber', { subscriberId: 'ada' })
  expect((await stream.rest()).at(-1)).toMatchObject(ended)
})

test('a stream ends when the API key that signed its session is revoked', async () => {
  const { newApiKey } = await acme.act('createApiKey', { name: 'Page' }, 'newApiKey { key apiKey { id } }')
  const signed = await lasting('ada', newApiKey)
  const stream = await signed.follow(counts)
  await acme.act('revokeApiKey', { id: newApiKey.apiKey.id })
  expect((await stream.rest()).at(-1)).toMatchObject(ended)
})

test('a read-only API key opens one for subscribers that exist', async () => {
  const { newApiKey } = await acme.act('createApiKey', { name: 'Reader', access: 'READ_ONLY' }, 'newApiKey { key }')
  expect((await (await lasting('ada', newApiKey)).send(own)).errors).toEqual([])
  const input = { subscriberId: 'grace', subscriberHash: sign('grace', newApiKey), kind: 'LASTING' }
  const refused = await (await publicCallerOf(world, acme)).act('openSession', input, 'token')
  expect(refused).toMatchObject({ token: null, userErrors: [{ code: 'NOT_FOUND', field: ['subscriberId'] }] })
})
