// The limits on open streams of one environment and of the process.
import { beforeEach, expect, test } from 'vitest'
import { type Stream, subscribing } from '../support/stream.ts'
import { type Client, useWorld } from '../support/world.ts'

const world = useWorld({ streamLimits: { environment: 2, process: 3 } })
let acme: Client
let other: Client

const counted = 'subscription { notificationCountsChanged(subscriberId: "ada") { unread } }'

beforeEach(async () => {
  acme = await world.environment()
  other = await world.environment()
  for (const client of [acme, other]) await client.act('createSubscriber', { subscriberId: 'ada' })
})

/** Opens a stream and waits for its first result. */
async function open(client: Client): Promise<Stream> {
  const stream = await client.follow(counted)
  expect(await stream.next()).toEqual({ data: { notificationCountsChanged: { unread: 0 } } })
  return stream
}

async function refused(client: Client) {
  const request = subscribing('http://gateway.test', `ApiKey ${client.key}`, counted)
  const response = await world.app.fetch(request)
  const text = await response.text()
  return { status: response.status, retryAfter: response.headers.get('retry-after'), text }
}

test('an environment with the maximum number of streams can open another one after it closed one', async () => {
  const first = await open(acme)
  await open(acme)
  const { status, retryAfter, text } = await refused(acme)
  expect({ status, retryAfter }).toEqual({ status: 429, retryAfter: '10' })
  expect(text).toContain('"code":"TOO_MANY_STREAMS"')
  expect(text).toContain('The environment has 2 open streams, which is the maximum.')
  await (await open(other)).leave()
  await first.leave()
  await open(acme)
})

test('a process with the maximum number of streams rejects another one of any environment', async () => {
  await Promise.all([open(acme), open(acme), open(other)])
  expect((await refused(other)).text).toContain('The gateway has 3 open streams, which is the maximum.')
})

test('a stream without a caller takes no place', async () => {
  const query = 'subscription { notificationReceived(subscriberId: "nobody") { id } }'
  for (let attempt = 0; attempt < 3; attempt += 1) {
    const request = subscribing('http://gateway.test', `ApiKey ${acme.key}`, query)
    expect(await (await world.app.fetch(request)).text()).toContain('"code":"NOT_FOUND"')
  }
  await Promise.all([open(acme), open(acme)])
})
