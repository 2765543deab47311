// Subscriber credentials for push and chat providers.
import { beforeEach, describe, expect, test } from 'vitest'
import { type Client, useWorld } from '../support/world.ts'

const world = useWorld()
let gateway: Client
beforeEach(async () => {
  gateway = await world.environment()
  await gateway.act('createSubscriber', { subscriberId: 'ada' })
})

const CHANNEL = 'channels { providerId integrationIdentifier webhookUrl deviceTokens }'
const CHANNELS = `subscriber { ${CHANNEL} }` as const
const WEBHOOK = 'https://hooks.example.com/services/T1/very-secret'

/** Runs one of the three mutations, by default on Ada's FCM credentials. */
function act(verb: 'set' | 'append' | 'delete', input: object) {
  return gateway.act(
    `${verb}SubscriberCredentials`,
    { subscriberId: 'ada', providerId: 'FCM', ...(verb === 'delete' ? {} : { credentials: {} }), ...input },
    CHANNELS,
  )
}
const set = (input: object) => act('set', input)
const append = (input: object) => act('append', input)
const tokens = (size: number) => Array.from({ length: size }, (_, index) => `token-${index}`)

async function channels() {
  const { subscriber } = await gateway.ask(`{ subscriber(subscriberId: "ada") { ${CHANNEL} } }`)
  return subscriber.channels
}

const fcm = (deviceTokens: string[], integrationIdentifier: string | null = null) => ({
  providerId: 'FCM',
  integrationIdentifier,
  webhookUrl: null,
  deviceTokens,
})

describe('setting credentials', () => {
  test('replaces all stored values and keeps tokens in the order given, duplicates removed', async () => {
    await set({ credentials: { deviceTokens: ['phone', 'tablet'], webhookUrl: WEBHOOK } })
    const replaced = await set({ credentials: { deviceTokens: ['watch', 'phone', 'watch'] } })
    expect(replaced).toEqual({ subscriber: { channels: [fcm(['watch', 'phone'])] }, userErrors: [] })
  })

  test('stores each integration of a provider separately', async () => {
    await set({ credentials: { deviceTokens: ['any'] } })
    await set({ integrationIdentifier: 'fcm-eu', credentials: { deviceTokens: ['eu'] } })
    expect(await channels()).toEqual([fcm(['any']), fcm(['eu'], 'fcm-eu')])
  })

  test('does not change updatedAt of the subscriber', async () => {
    const updatedAt = async () => (await gateway.ask('{ subscriber(subscriberId: "ada") { updatedAt } }')).subscriber
    const before = await updatedAt()
    await set({ credentials: { deviceTokens: ['phone'] } })
    expect(await updatedAt()).toEqual(before)
  })
})

describe('appending credentials', () => {
  test('creates a missing channel, and merges device tokens into an existing one', async () => {
    await append({ credentials: { deviceTokens: ['phone'] } })
    const merged = await append({ credentials: { deviceTokens: ['tablet', 'phone'] } })
    expect(merged).toEqual({ subscriber: { channels: [fcm(['phone', 'tablet'])] }, userErrors: [] })
  })

  test('replaces the webhook URL only when one is given', async () => {
    await set({ providerId: 'SLACK', credentials: { webhookUrl: 'https://hooks.example.com/old' } })
    await append({ providerId: 'SLACK', credentials: { webhookUrl: WEBHOOK } })
    await append({ providerId: 'SLACK', credentials: { webhookUrl: null, deviceTokens: [] } })
    expect(await channels()).toMatchObject([{ providerId: 'SLACK', webhookUrl: WEBHOOK }])
  })

  test('loses no token when twenty requests run at once', async () => {
    await Promise.all(tokens(20).map((token) => append({ credentials: { deviceTokens: [token] } })))
    const [channel] = await channels()
    expect(channel.deviceTokens.toSorted()).toEqual(tokens(20).toSorted())
  })
})

describe('more than 100 device tokens in a channel', () => {
  const refusal = (count: number, field: string[]) => ({
    code: 'BAD_USER_INPUT',
    message: `deviceTokens must have at most 100 items per subscriber and provider, and would have ${count}`,
    field,
  })

  test('are rejected when set, with the count and the limit, and nothing is written', async () => {
    const refused = await set({ credentials: { deviceTokens: tokens(101) } })
    expect(refused).toEqual({ subscriber: null, userErrors: [refusal(101, ['credentials', 'deviceTokens'])] })
    expect(await channels()).toEqual([])
  })

  test('are rejected when appended and change nothing, while exactly 100 are accepted', async () => {
    await set({ credentials: { deviceTokens: tokens(99) } })
    const refused = await append({ credentials: { deviceTokens: ['one', 'two'] } })
    expect(refused.userErrors).toEqual([refusal(101, ['credentials', 'deviceTokens'])])
    expect((await append({ credentials: { deviceTokens: ['one', 'token-0'] } })).userErrors).toEqual([])
    expect(await channels()).toEqual([fcm([...tokens(99), 'one'])])
  })

  test('are rejected in a new subscriber, with the full field path', async () => {
    const channels = [
      { providerId: 'APNS', credentials: { deviceTokens: ['phone'] } },
      { providerId: 'FCM', credentials: { deviceTokens: tokens(102) } },
    ]
    const refused = await gateway.act('createSubscriber', { subscriberId: 'grace', channels }, 'subscriber { id }')
    const field = ['channels', '1', 'credentials', 'deviceTokens']
    expect(refused).toEqual({ subscriber: null, userErrors: [refusal(102, field)] })
    expect(await gateway.ask('{ subscriber(subscriberId: "grace") { id } }')).toEqual({ subscriber: null })
  })
})

describe('deleting subscriber credentials', () => {
  test('removes the credentials of the named integration, otherwise all of the provider', async () => {
    await set({ credentials: { deviceTokens: ['any'] } })
    await set({ integrationIdentifier: 'fcm-eu', credentials: { deviceTokens: ['eu'] } })
    await set({ integrationIdentifier: 'fcm-us', credentials: { deviceTokens: ['us'] } })
    await act('delete', { integrationIdentifier: 'fcm-eu' })
    expect(await channels()).toEqual([fcm(['any']), fcm(['us'], 'fcm-us')])
    expect(await act('delete', {})).toEqual({ subscriber: { channels: [] }, userErrors: [] })
  })

  test('returns NOT_FOUND when the subscriber has none', async () => {
    const refusal = (message: string) => [{ code: 'NOT_FOUND', message, field: ['providerId'] }]
    expect((await act('delete', {})).userErrors).toEqual(refusal('Subscriber "ada" has no credentials for fcm'))
    expect((await act('delete', { integrationIdentifier: 'fcm-eu' })).userErrors).toEqual(
      refusal('Subscriber "ada" has no credentials for fcm for the integration "fcm-eu"'),
    )
  })
})

describe('subscriber credentials', () => {
  test.each(['set', 'append', 'delete'] as const)('return NOT_FOUND on %s for an unknown subscriber', async (verb) => {
    const refused = await act(verb, { subscriberId: 'eve' })
    expect(refused).toEqual({
      subscriber: null,
      userErrors: [{ code: 'NOT_FOUND', message: 'Subscriber "eve" not found', field: ['subscriberId'] }],
    })
  })

  test.each(['SENDGRID', 'TWILIO', 'SERVICE', 'PAGERDUTY', 'ANTHROPIC'])(
    'reject %s, which is neither a chat nor a push provider',
    async (providerId) => {
      const { userErrors } = await set({ providerId })
      expect(userErrors).toEqual([
        {
          code: 'BAD_USER_INPUT',
          message: 'providerId must be a chat or push provider',
          field: ['providerId'],
        },
      ])
    },
  )

  test.each([
    ['webhookUrl must be an absolute http or https URL', { webhookUrl: 'hooks.example.com' }],
    ['webhookUrl must be an absolute http or https URL', { webhookUrl: 'ftp://hooks.example.com' }],
    ['webhookUrl must be an absolute http or https URL', { webhookUrl: '' }],
    ['webhookUrl must be at most 2048 characters long', { webhookUrl: `https://example.com/${'x'.repeat(2048)}` }],
    ['webhookUrl must not contain NUL or unpaired surrogate characters', { webhookUrl: 'https://example.com/\0' }],
    ['deviceTokens[1] must not be empty', { deviceTokens: ['phone', ''] }],
    ['deviceTokens[0] must be at most 4096 characters long', { deviceTokens: ['x'.repeat(4097)] }],
  ])('reject an invalid value: %s', async (message, credentials) => {
    const { userErrors } = await set({ credentials })
    expect(userErrors.map(({ message }: { message: string }) => message)).toEqual([`credentials.${message}`])
    expect(await channels()).toEqual([])
  })

  test('reject a write that names the same channel twice', async () => {
    const channels = [
      { providerId: 'FCM', credentials: { deviceTokens: ['phone'] } },
      { providerId: 'FCM', integrationIdentifier: 'fcm-eu', credentials: { deviceTokens: ['phone'] } },
      { providerId: 'FCM', credentials: { deviceTokens: ['tablet'] } },
    ]
    const { userErrors } = await gateway.act('upsertSubscriber', { subscriberId: 'ada', channels })
    expect(userErrors).toEqual([
      {
        code: 'BAD_USER_INPUT',
        message: 'channels[2] must not repeat the provider and integration of an earlier item',
        field: ['channels', '2'],
      },
    ])
  })

  test('are replaced by an upsert only in the channels that it names', async () => {
    await set({ providerId: 'APNS', credentials: { deviceTokens: ['phone'] } })
    await set({ credentials: { deviceTokens: ['phone'] } })
    const channels = [{ providerId: 'FCM', credentials: { deviceTokens: ['tablet'] } }]
    const upserted = await gateway.act('upsertSubscriber', { subscriberId: 'ada', channels }, CHANNELS)
    expect(upserted.subscriber.channels).toMatchObject([
      { providerId: 'APNS', deviceTokens: ['phone'] },
      { providerId: 'FCM', deviceTokens: ['tablet'] },
    ])
  })

  test('are listed by provider, then by integration, those without an integration first', async () => {
    await set({ providerId: 'SLACK', credentials: { webhookUrl: WEBHOOK } })
    await set({ integrationIdentifier: 'b' })
    await set({ integrationIdentifier: 'a' })
    await set({})
    await set({ providerId: 'APNS' })
    const order = (await channels()).map((channel) => [channel.providerId, channel.integrationIdentifier])
    expect(order).toEqual([
      ['APNS', null],
      ['FCM', null],
      ['FCM', 'a'],
      ['FCM', 'b'],
      ['SLACK', null],
    ])
  })

  test('keep the webhook URL encrypted at rest and out of the log, and return it decrypted', async () => {
    await set({ providerId: 'SLACK', credentials: { webhookUrl: WEBHOOK } })
    expect(await channels()).toMatchObject([{ webhookUrl: WEBHOOK }])
    const { rows } = await world.database.pool.query('SELECT webhook_url FROM subscriber_credentials')
    expect(rows.length).toBeGreaterThan(0)
    expect(JSON.stringify(rows)).not.toContain('very-secret')
    expect(JSON.stringify(world.logged)).not.toContain('very-secret')
  })
})
