// Environments, integrations and channel endpoints through the published client.
import type { Novu } from '@novu/api'
import type { StepFilterDto } from '@novu/api/models/components/index.js'
import { beforeEach, describe, expect, test } from 'vitest'
import { novuClient } from '../../support/novu/client.ts'
import { type Client, useWorld } from '../../support/world.ts'

const world = useWorld()
let acme: Client
let client: Novu

beforeEach(async () => {
  acme = await world.environment()
  client = novuClient(world, acme.key)
})

const twilio = { providerId: 'twilio', channel: 'sms', identifier: 'texts', active: true } as const
const credentials = { accountSid: 'AC1', token: 'secret', from: '+4915100000000' }

describe('an integration', () => {
  test('is created, listed, made primary, changed and deleted', async () => {
    const { result: texts } = await client.integrations.create({ ...twilio, credentials })
    expect(texts).toMatchObject({ providerId: 'twilio', active: true, primary: false })
    expect((await client.integrations.listActive()).result).toHaveLength(1)
    expect((await client.integrations.setAsPrimary(texts.id ?? '')).result).toMatchObject({ primary: true })
    await client.integrations.update({ name: 'Texts', credentials: { from: '+4915100000001' } }, texts.id ?? '')
    const { integration } = await acme.ask(
      '{ integration(identifier: "texts") { name active settings { name isSet } } }',
    )
    expect(integration).toMatchObject({ name: 'Texts', active: true })
    expect(integration.settings).toContainEqual({ name: 'token', isSet: true })
    expect((await client.integrations.delete(texts.id ?? '')).result).toEqual([])
  })

  test('has settings in the words of the client, and the answer shows none', async () => {
    const { result } = await client.integrations.create({
      ...{ providerId: 'telegram', channel: 'chat', identifier: 'bot', active: true },
      credentials: { apiToken: '123456:ABC-def' },
    })
    expect(result).toMatchObject({ active: true, credentials: {} })
    const { integration } = await acme.ask('{ integration(identifier: "bot") { settings { name isSet } } }')
    expect(integration.settings).toContainEqual({ name: 'botToken', isSet: true })
  })

  test('without a setting that its provider needs is rejected, and the error names it in the words of the client', async () => {
    await expect(
      client.integrations.create({ providerId: 'telegram', channel: 'chat', credentials: { senderName: 'x' } }),
    ).rejects.toMatchObject({ statusCode: 422, data$: { errors: { 'credentials.apiToken': {} } } })
    expect((await client.integrations.list()).result).toEqual([])
  })

  test('names an invalid setting in the words of its provider, at creation and in an update', async () => {
    const push = { providerId: 'push-webhook', channel: 'push', identifier: 'push', active: true } as const
    await expect(
      client.integrations.create({ ...push, credentials: { webhookUrl: 'no url', secretKey: 'secret' } }),
    ).rejects.toMatchObject({ statusCode: 422, data$: { errors: { 'credentials.webhookUrl': {} } } })
    const { result } = await client.integrations.create({
      ...{ providerId: 'telegram', channel: 'chat', identifier: 'bot' },
      credentials: { apiToken: '123456:ABC-def' },
    })
    await expect(
      client.integrations.update({ credentials: { apiToken: 'not a token' } }, result.id ?? ''),
    ).rejects.toMatchObject({ statusCode: 422, data$: { errors: { 'credentials.apiToken': {} } } })
  })

  test('of another environment is rejected, and the error names the field', async () => {
    await expect(
      client.integrations.create({ ...twilio, credentials, environmentId: 'another' }),
    ).rejects.toMatchObject({ statusCode: 422, data$: { errors: { _environmentId: {} } } })
  })

  test('of the feed has the name of the client', async () => {
    const { result } = await client.integrations.create({ providerId: 'novu', channel: 'in_app', active: true })
    expect(result).toMatchObject({ providerId: 'novu', channel: 'in_app' })
  })

  test('is limited by filters, which come back as they were sent', async () => {
    const conditions = [
      {
        isNegated: false,
        type: 'GROUP',
        value: 'OR',
        children: [
          { field: 'plan', value: 'pro', operator: 'EQUAL', on: 'payload' },
          { field: 'locale', value: 'de,fr', operator: 'NOT_IN', on: 'subscriber' },
        ],
      },
    ] satisfies StepFilterDto[]
    await client.integrations.create({ ...twilio, credentials, conditions })
    expect((await client.integrations.list()).result).toMatchObject([{ conditions }])
  })

  test('with another JSON Logic rule is listed without conditions, because the client would refuse the list', async () => {
    await acme.act('createIntegration', {
      providerId: 'TWILIO',
      conditions: { '==': [{ var: 'payload.plan' }, 'pro'] },
    })
    const { result } = await client.integrations.list()
    expect(result).toHaveLength(1)
    expect(result[0]?.conditions).toBeUndefined()
  })
})

describe('a channel endpoint', () => {
  beforeEach(async () => {
    await client.integrations.create({ ...twilio, credentials })
  })

  const phone = {
    subscriberId: 'ada',
    integrationIdentifier: 'texts',
    identifier: 'phone-of-ada',
    type: 'phone',
    endpoint: { phoneNumber: '+4915123456789' },
  } as const

  test('is created with its subscriber, read, changed, listed and deleted', async () => {
    await client.channelEndpoints.create({ ...phone, createSubscriberIfMissing: true })
    expect((await client.channelEndpoints.retrieve('phone-of-ada')).result).toMatchObject({ type: 'phone' })
    await client.channelEndpoints.update({ endpoint: { phoneNumber: '+4915111111111' } }, 'phone-of-ada')
    expect((await client.channelEndpoints.list({ subscriberId: 'ada' })).result.data).toMatchObject([
      { endpoint: { phoneNumber: '+4915111111111' } },
    ])
    await client.channelEndpoints.delete('phone-of-ada')
    expect((await client.channelEndpoints.list({})).result.data).toEqual([])
  })

  test('keeps the fields of concurrent updates: a 409 says that the client may try again', async () => {
    await client.integrations.create({
      ...{ providerId: 'tool-webhook', channel: 'tool', identifier: 'tool', active: true },
      credentials: { secretKey: 'secret' },
    })
    await acme.act('createSubscriber', { subscriberId: 'ada' })
    await acme.act('createChannelEndpoint', {
      ...{ subscriberId: 'ada', integrationIdentifier: 'tool', identifier: 'tool-of-ada' },
      endpoint: { toolWebhook: { url: 'https://tool.example.com/old' } },
    })
    const update = async (endpoint: object): Promise<void> => {
      const response = await world.app.fetch(
        new Request('http://gateway.test/novu/v1/channel-endpoints/tool-of-ada', {
          method: 'PATCH',
          headers: { authorization: `ApiKey ${acme.key}`, 'content-type': 'application/json' },
          body: JSON.stringify({ endpoint }),
        }),
      )
      if (response.status === 409) {
        expect(response.headers.get('retry-after')).toBe('1')
        await update(endpoint)
      } else {
        expect(response.status).toBe(200)
      }
    }
    await Promise.all([
      update({ url: 'https://tool.example.com/new' }),
      update({ method: 'PUT' }),
      update({ headers: { 'x-team': 'blue' } }),
    ])
    expect((await acme.rest('GET /v1/channel-endpoints/tool-of-ada')).body.endpoint).toEqual({
      url: 'https://tool.example.com/new',
      method: 'PUT',
      headers: { 'x-team': 'blue' },
    })
  })

  test('of a subscriber that does not exist is a 404, unless it may be created', async () => {
    await expect(client.channelEndpoints.create(phone)).rejects.toMatchObject({ statusCode: 404 })
  })
})

describe('an environment', () => {
  test('is created, renamed, listed with all others, and deleted', async () => {
    const { result } = await client.environments.create({ name: 'Staging of the client', color: '#0ea5e9' })
    await client.environments.update({ name: 'Stage of the client' }, result.id)
    const names = (await client.environments.list()).result.map(({ name }) => name)
    expect(names).toContain('Stage of the client')
    await client.environments.delete(result.id)
  })

  test('keeps its identifier: a change of it is rejected', async () => {
    const { result } = await client.environments.create({ name: 'Another stage', color: '#0ea5e9' })
    await expect(client.environments.update({ identifier: 'mine' }, result.id)).rejects.toMatchObject({
      statusCode: 422,
      data$: { errors: { identifier: {} } },
    })
  })
})
