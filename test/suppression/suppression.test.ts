// Suppressions through both doors: created, listed, imported and deleted.
import { beforeEach, describe, expect, test } from 'vitest'
import { createIntegration, done } from '../support/delivery/story.ts'
import { type Client, useWorld } from '../support/world.ts'

const world = useWorld()
let acme: Client

beforeEach(async () => {
  acme = await world.environment()
})

const fields =
  'suppression { id channel address reason detail contextKeys expiresAt explanation integration { identifier } }'
const ada = { channel: 'EMAIL', address: 'ada@example.com' }

const suppress = (input: object, client = acme) => client.act('createSuppression', { ...ada, ...input }, fields)

async function addresses(filter: object, client = acme) {
  const { suppressions } = await client.ask(
    'query ($filter: SuppressionFilter) { suppressions(filter: $filter) { nodes { address } totalCount } }',
    { filter },
  )
  return suppressions.nodes.map(({ address }) => address)
}

describe('an address', () => {
  test('is suppressed in one spelling, and says since when and why', async () => {
    const { suppression } = await suppress({ address: ' Ada.Lovelace@EXAMPLE.com ', detail: 'Asked by letter.' })
    expect(suppression).toMatchObject({
      ...{ channel: 'EMAIL', address: 'ada.lovelace@example.com', reason: 'MANUAL', detail: 'Asked by letter.' },
      ...{ contextKeys: [], expiresAt: null, integration: null },
      explanation: expect.stringMatching(
        /^ada\.lovelace@example\.com is suppressed since 20\d\d-.*Z: it was suppressed by hand \(Asked by letter\)\.$/,
      ),
    })
    const phone = await suppress({ channel: 'SMS', address: '+49 (151) 234-56789' })
    expect(phone.suppression).toMatchObject({ channel: 'SMS', address: '+4915123456789' })
    const idn = await suppress({ address: 'ada@bücher.example' })
    expect(idn.suppression).toMatchObject({ address: 'ada@xn--bcher-kva.example' })
  })

  test.each([
    [{ address: 'ada' }, 'address must be an email address'],
    [{ address: 'ada@example.com\u0000' }, 'address must'],
    [{ address: '' }, 'address must'],
    [{ channel: 'SMS', address: '030 1234' }, 'address must be a phone number in E.164 format, such as +4915123456789'],
    [{ channel: 'SMS', address: 'ada@example.com' }, 'address must be a phone number'],
    [{ expiresAt: '2020-01-01T00:00:00Z' }, 'expiresAt must be in the future'],
    [{ detail: 'x'.repeat(501) }, 'detail must'],
    [{ integrationIdentifier: 'none' }, 'Integration "none" not found'],
    [
      {
        contexts: [
          { type: 'tenant', identifier: 'a' },
          { type: 'tenant', identifier: 'b' },
        ],
      },
      'contexts[1].type must not repeat',
    ],
  ])('is rejected: %j', async (input, message) => {
    const { userErrors } = await suppress(input)
    expect(userErrors[0]).toMatchObject({ message: expect.stringContaining(message) })
  })

  test('of a channel without addresses is rejected', async () => {
    const { errors } = await acme.send(
      'mutation { createSuppression(input: { channel: PUSH, address: "a" }) { suppression { id } } }',
    )
    expect(errors).toMatchObject([{ message: expect.stringContaining('AddressChannel') }])
  })

  test('cannot be suppressed on the sender of an integration of another channel', async () => {
    await createIntegration(acme, 'SENDGRID', '', { identifier: 'mail' })
    const { userErrors } = await suppress({ channel: 'SMS', address: '+4915123456789', integrationIdentifier: 'mail' })
    expect(userErrors).toMatchObject([{ message: 'integrationIdentifier must be an integration of the channel sms' }])
    const { suppression } = await suppress({ integrationIdentifier: 'mail' })
    expect(suppression).toMatchObject({ integration: { identifier: 'mail' } })
  })

  test('is suppressed once, and a weaker reason or an earlier end is replaced', async () => {
    const soon = new Date(Date.now() + 3600_000).toISOString()
    expect((await suppress({ reason: 'SOFT_BOUNCES', expiresAt: soon })).userErrors).toEqual([])
    expect((await suppress({ reason: 'COMPLAINT' })).suppression).toMatchObject({
      reason: 'COMPLAINT',
      expiresAt: null,
    })
    expect((await suppress({ reason: 'HARD_BOUNCE' })).suppression).toMatchObject({ reason: 'HARD_BOUNCE' })
    for (const input of [{}, { reason: 'HARD_BOUNCE' }, { reason: 'HARD_BOUNCE', expiresAt: soon }]) {
      const { userErrors } = await suppress({ ...input, address: 'ADA@example.com' })
      expect(userErrors).toMatchObject([{ code: 'CONFLICT', field: ['address'] }])
    }
    expect(await addresses({})).toEqual(['ada@example.com'])
  })

  test('is suppressed separately under contexts and for senders', async () => {
    await createIntegration(acme, 'SENDGRID', '', { identifier: 'mail' })
    const contexts = [{ type: 'tenant', identifier: 'acme' }]
    for (const input of [
      {},
      { contexts },
      { integrationIdentifier: 'mail' },
      { contexts, integrationIdentifier: 'mail' },
    ])
      expect((await suppress(input)).userErrors).toEqual([])
    expect((await suppress({ contexts })).userErrors).toMatchObject([{ code: 'CONFLICT' }])
    expect(await addresses({})).toHaveLength(4)
    expect(await addresses({ contextKeys: ['tenant:acme'] })).toHaveLength(2)
  })

  test('receives messages again once its suppression is deleted', async () => {
    const { suppression } = await suppress({})
    const { deletedId } = await done(acme, 'deleteSuppression', { id: suppression.id }, 'deletedId')
    expect(deletedId).toBe(suppression.id)
    expect(await addresses({})).toEqual([])
    const again = await acme.act('deleteSuppression', { id: suppression.id })
    expect(again.userErrors).toMatchObject([{ code: 'NOT_FOUND', field: ['id'] }])
  })
})

describe('the list', () => {
  beforeEach(async () => {
    await suppress({})
    await suppress({ address: 'grace@example.com', reason: 'HARD_BOUNCE' })
    await suppress({ channel: 'SMS', address: '+4915123456789', reason: 'SMS_KEYWORD' })
  })

  test.each([
    [{ channel: 'SMS' }, ['+4915123456789']],
    [{ reasons: ['HARD_BOUNCE', 'MANUAL'] }, ['grace@example.com', 'ada@example.com']],
    [{ address: 'GRACE@example.com' }, ['grace@example.com']],
    [{ address: '0049 151 23456789' }, ['+4915123456789']],
    [{ address: 'grace@example' }, []],
    [{ contextKeys: ['tenant:a'] }, []],
    [{ createdAfter: '2100-01-01T00:00:00Z' }, []],
  ])('is filtered by %j', async (filter, found) => {
    expect(await addresses(filter)).toEqual(found)
  })

  test('has no address of another environment, whose hashes differ', async () => {
    const other = await world.environment()
    expect(await addresses({ address: 'ada@example.com' }, other)).toEqual([])
    await suppress({}, other)
    expect(await addresses({}, other)).toEqual(['ada@example.com'])
    const { rows } = await world.database.pool.query<{ hash: string; address_cipher: string }>(
      'SELECT address_hash AS hash, address_cipher FROM suppressions ORDER BY created_at DESC',
    )
    // The newest is that of the other environment.
    expect(rows.filter(({ hash }) => hash === rows[0]?.hash)).toHaveLength(1)
    expect(JSON.stringify(rows)).not.toContain('example.com')
  })

  test('is read with a read-only key, which cannot change it', async () => {
    const { newApiKey } = await acme.act('createApiKey', { name: 'Reader', access: 'READ_ONLY' }, 'newApiKey { key }')
    const reader = world.client(newApiKey.key)
    expect(await addresses({}, reader)).toHaveLength(3)
    await expect(suppress({}, reader)).rejects.toThrow('lacks the permission suppression:write')
  })
})

describe('a subscriber', () => {
  test('says whether its addresses receive messages', async () => {
    const id = { subscriberId: 'ada', email: 'Ada@Example.com', phone: '+49 151 23456789' }
    await done(acme, 'createSubscriber', id)
    const read = () =>
      acme.ask('{ subscriber(subscriberId: "ada") { suppressions { reason address expiresAt createdAt } } }')
    expect(await read()).toEqual({ subscriber: { suppressions: [] } })
    await suppress({ reason: 'COMPLAINT' })
    await suppress({ channel: 'SMS', address: '+4915123456789', reason: 'SMS_KEYWORD' })
    await suppress({ address: 'grace@example.com' })
    expect(await read()).toMatchObject({
      subscriber: { suppressions: [{ reason: 'COMPLAINT', address: 'ada@example.com' }, { reason: 'SMS_KEYWORD' }] },
    })
  })
})

describe('an import', () => {
  const write = (suppressions: readonly object[]) =>
    acme.act(
      'createSuppressions',
      { suppressions },
      'suppressions { address reason } existing failed { index address message }',
    )

  test('writes valid items, and invalid ones fail alone', async () => {
    await suppress({})
    expect(
      await write([
        { ...ada },
        { channel: 'EMAIL', address: 'grace@example.com', reason: 'COMPLAINT' },
        { channel: 'EMAIL', address: 'GRACE@example.com' },
        { channel: 'EMAIL', address: 'nobody' },
        { channel: 'SMS', address: '+4915123456789', integrationIdentifier: 'none' },
      ]),
    ).toMatchObject({
      suppressions: [{ address: 'grace@example.com', reason: 'IMPORT' }],
      failed: [
        { index: 3, address: 'nobody', message: 'address must be an email address' },
        { index: 4, address: '+4915123456789', message: 'Integration "none" not found' },
      ],
      userErrors: [],
    })
  })

  test('again changes nothing', async () => {
    await write([ada])
    expect(await write([ada])).toMatchObject({ suppressions: [], existing: 1, failed: [] })
  })

  test('has at most 100 items', async () => {
    const items = Array.from({ length: 101 }, (_, index) => ({ channel: 'EMAIL', address: `a${index}@example.com` }))
    expect((await write(items)).userErrors).toMatchObject([{ field: ['suppressions'] }])
    expect((await write(items.slice(1))).suppressions).toHaveLength(100)
  })
})

describe('REST', () => {
  test('creates, reads, lists and deletes', async () => {
    const body = {
      channel: 'sms',
      address: '+4915123456789',
      context: { tenant: 'acme' },
      expiresAt: '2100-01-01T00:00:00Z',
    }
    const created = await acme.rest<{ _id: string }>('POST /v2/suppressions', { body })
    expect(created).toMatchObject({
      status: 201,
      body: { channel: 'sms', reason: 'manual', contextKeys: ['tenant:acme'], expiresAt: '2100-01-01T00:00:00.000Z' },
    })
    const path = `/v2/suppressions/${created.body._id}` as const
    expect(await acme.rest(`GET ${path}`)).toMatchObject({ status: 200, body: { address: '+4915123456789' } })
    const list = await acme.rest('GET /v2/suppressions?channel=sms&contextKeys=tenant:acme&address=%2B4915123456789')
    expect(list.body.data).toHaveLength(1)
    expect(await acme.rest('POST /v2/suppressions', { body })).toMatchObject({ status: 409 })
    expect(await acme.rest(`DELETE ${path}`)).toMatchObject({ status: 204 })
    expect(await acme.rest(`GET ${path}`)).toMatchObject({ status: 404 })
  })

  test('imports items that fail alone', async () => {
    const suppressions = [
      { channel: 'email', address: 'a@example.com', expiresAt: 'tomorrow' },
      { channel: 'email', address: 'b@example.com' },
      5,
    ]
    const { status, body } = await acme.rest<object>('POST /v2/suppressions/bulk', { body: { suppressions } })
    expect(status).toBe(201)
    expect(body).toMatchObject({
      suppressions: [{ address: 'b@example.com', reason: 'import' }],
      failed: [{ index: 0, address: 'a@example.com', message: expect.stringContaining('expiresAt') }, { index: 2 }],
    })
  })
})
