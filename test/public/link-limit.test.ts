// The limits of public pages: requests of a client address, and requests with a token.
import { afterEach, beforeEach, expect, test } from 'vitest'
import { done } from '../support/delivery/story.ts'
import { type Client, useWorld } from '../support/world.ts'

const world = useWorld({ baseUrl: 'https://gateway.example' })
let acme: Client
let second = Date.now()

/** A moment at which every limit has recovered. */
const later = () => world.setClock(new Date((second += 60_000)))

beforeEach(async () => {
  acme = await world.environment()
  later()
})
afterEach(() => world.setClock(undefined))

async function createLink(subscriberId: string): Promise<string> {
  await done(acme, 'createSubscriber', { subscriberId })
  const { url } = await done(acme, 'createPreferenceLink', { subscriberId }, 'url')
  return url
}

const open = async (url: string, address: string) => {
  const response = await world.app.fetch(new Request(url), { address })
  return { status: response.status, retryAfter: response.headers.get('retry-after') }
}

/** Opens pages one after the other, at the same moment. @returns the status of each. */
async function statusesOf(urls: readonly string[], addressOf: (index: number) => string): Promise<readonly number[]> {
  const statuses: number[] = []
  for (const [index, url] of urls.entries()) statuses.push((await open(url, addressOf(index))).status)
  return statuses
}

const times = <Value>(count: number, value: Value): Value[] => Array.from({ length: count }, () => value)

test('a client address has 20 requests a second, with or without a link that exists', async () => {
  const unknown = times(21, 'https://gateway.example/u/unknown')
  expect(await statusesOf(unknown, () => '192.0.2.1')).toEqual([...times(20, 404), 429])
  expect(await open(unknown[0] ?? '', '192.0.2.1')).toEqual({ status: 429, retryAfter: '1' })
  expect((await open(unknown[0] ?? '', '192.0.2.2')).status).toBe(404)
  later()
  expect((await open(unknown[0] ?? '', '192.0.2.1')).status).toBe(404)
})

test('a token has two requests a second from all addresses and on both pages; others have theirs', async () => {
  const [mine, other] = [await createLink('ada'), await createLink('ben')]
  const addressOf = (index: number) => `192.0.2.${index}`
  expect(await statusesOf(times(3, mine), addressOf)).toEqual([200, 200, 429])
  expect(await open(mine.replace('/p/', '/u/'), '192.0.2.9')).toEqual({ status: 429, retryAfter: '1' })
  expect((await open(other, '192.0.2.1')).status).toBe(200)
  world.setClock(new Date(second + 500))
  expect(await statusesOf(times(2, mine), addressOf)).toEqual([200, 429])
  world.setClock(new Date(second + 1_500))
  expect(await statusesOf(times(3, mine), addressOf)).toEqual([200, 200, 429])
})

test('a link under a tenant has a token of its own, and that of a deleted subscriber has a limit, too', async () => {
  const mine = await createLink('ada')
  const contexts = [{ type: 'tenant', identifier: 'acme' }]
  const { url } = await done(acme, 'createPreferenceLink', { subscriberId: 'ada', contexts }, 'url')
  expect(await statusesOf([mine, mine, mine, url], () => '192.0.2.1')).toEqual([200, 200, 429, 200])
  await done(acme, 'deleteSubscriber', { subscriberId: 'ada' })
  later()
  expect(await statusesOf(times(3, mine), () => '192.0.2.1')).toEqual([200, 200, 429])
})
