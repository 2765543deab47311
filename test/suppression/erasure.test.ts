// Suppressions and texts of persons who are erased or exported, and those that end.
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { done } from '../support/delivery/story.ts'
import { environmentIdOf } from '../support/environment-id.ts'
import { housekeepingOf } from '../support/housekeeping.ts'
import { type Client, useWorld } from '../support/world.ts'

const world = useWorld()
let acme: Client

const EMAIL = 'ada@example.com'
const PHONE = '+4915123456789'

async function addText(from: string) {
  const { db, newId, now } = world.gateway
  const [id, createdAt] = [newId(), now()]
  await db.inboundText.create({
    data: {
      ...{ environmentId: await environmentIdOf(acme), id, integrationId: newId(), integrationIdentifier: 'text' },
      ...{ key: id, fromNumber: from, toNumber: '+15550001', text: 'Hello', createdAt, updatedAt: createdAt },
    },
  })
}

beforeEach(async () => {
  acme = await world.environment()
  await done(acme, 'createSubscriber', { subscriberId: 'ada', email: EMAIL, phone: PHONE })
  await done(acme, 'createSuppression', { channel: 'EMAIL', address: EMAIL, detail: 'Asked.' })
  await done(acme, 'createSuppression', { channel: 'SMS', address: PHONE })
  await addText(PHONE)
})
afterEach(() => world.setClock(undefined))

const erase = async () => {
  await done(acme, 'eraseSubscriber', { subscriberId: 'ada' })
  await world.work()
}

async function found() {
  const { suppressions, inboundTexts } = await acme.ask(
    '{ suppressions { nodes { address detail } } inboundTexts { nodes { from } } }',
  )
  return { suppressions: suppressions.nodes, texts: inboundTexts.nodes }
}

describe('the erasure of a person', () => {
  test('deletes the suppressions of its addresses, and the texts from its number', async () => {
    await erase()
    expect(await found()).toEqual({ suppressions: [], texts: [] })
  })

  test('keeps what belongs to another subscriber with the same number', async () => {
    await done(acme, 'createSubscriber', { subscriberId: 'ben', phone: PHONE })
    await erase()
    expect((await found()).suppressions).toEqual([{ address: PHONE, detail: null }])
  })
})

describe('an operator who keeps hashes', () => {
  const keeping = useWorld({ keepsAddressHashes: true })

  test('stops messages to a person who is created again, and cannot read the address', async () => {
    const client = await keeping.environment()
    await done(client, 'createSubscriber', { subscriberId: 'ada', email: EMAIL })
    await done(client, 'createSuppression', { channel: 'EMAIL', address: EMAIL, detail: 'Asked by Ada.' })
    await done(client, 'eraseSubscriber', { subscriberId: 'ada' })
    await keeping.work()
    const { suppressions } = await client.ask('{ suppressions { nodes { address detail } } }')
    expect(suppressions.nodes).toEqual([{ address: null, detail: null }])
    await done(client, 'createSubscriber', { subscriberId: 'ada', email: EMAIL })
    const { subscriber } = await client.ask('{ subscriber(subscriberId: "ada") { suppressions { reason } } }')
    expect(subscriber.suppressions).toEqual([{ reason: 'MANUAL' }])
  })
})

describe('an export', () => {
  test('has the suppressions and the texts of the person', async () => {
    const { subscriberExport } = await acme.ask('{ subscriberExport(subscriberId: "ada") }')
    expect(subscriberExport).toMatchObject({
      suppressions: [
        { channel: 'email', address: EMAIL },
        { channel: 'sms', address: PHONE },
      ],
      inboundTexts: [{ fromNumber: PHONE, text: 'Hello' }],
    })
    expect(JSON.stringify(subscriberExport)).not.toContain('addressHash')
  })
})

describe('housekeeping', () => {
  test('deletes suppressions that have ended, and texts after 30 days', async () => {
    const expiresAt = new Date(Date.now() + 3600_000).toISOString()
    await done(acme, 'createSuppression', { channel: 'EMAIL', address: 'short@example.com', expiresAt })
    world.setClock(new Date(Date.now() + 31 * 24 * 3600_000))
    await world.database.pool.query('DELETE FROM sweeps')
    await housekeepingOf(world).perform('suppressions')
    const { suppressions, texts } = await found()
    expect(suppressions.map(({ address }) => address).toSorted()).toEqual([PHONE, EMAIL])
    expect(texts).toEqual([])
  })
})
