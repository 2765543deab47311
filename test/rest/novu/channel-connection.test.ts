// Channel connections through the published client.
import type { Novu } from '@novu/api'
import type { ChannelConnectionsControllerListChannelConnectionsRequest } from '@novu/api/models/operations/index.js'
import { beforeEach, describe, expect, test } from 'vitest'
import { novuClient } from '../../support/novu/client.ts'
import { useReceiver } from '../../support/delivery/receiver.ts'
import { createWorkflow, trigger } from '../../support/delivery/story.ts'
import { type Client, useWorld } from '../../support/world.ts'

const receiver = useReceiver()
const world = useWorld({ allowPrivateAddresses: true })
let acme: Client
let client: Novu

beforeEach(async () => {
  acme = await world.environment()
  client = novuClient(world, acme.key)
  await acme.act('createSubscriber', { subscriberId: 'ada' })
  await client.integrations.create({
    ...{ providerId: 'slack', channel: 'chat', identifier: 'slack', active: true },
    credentials: {
      ...{ applicationId: 'A1', clientId: '1.2', secretKey: 'secret', signingSecret: 'signing' },
      redirectUrl: 'https://acme.example/slack',
    },
  })
})

const workspace = { id: 'T1', name: 'Acme', botUserId: 'B1' }
const create = (more: object = {}) =>
  client.channelConnections.create({
    ...{ identifier: 'acme', integrationIdentifier: 'slack', workspace, auth: { accessToken: 'xoxb-1' } },
    ...more,
  })

describe('a channel connection', () => {
  test('is created, read, listed, changed and deleted, and its token is masked', async () => {
    const { result } = await create({ subscriberId: 'ada', context: { tenant: 'acme' } })
    expect(result).toMatchObject({
      ...{ identifier: 'acme', channel: 'chat', providerId: 'slack', integrationIdentifier: 'slack' },
      ...{ subscriberId: 'ada', contextKeys: ['tenant:acme'], workspace, auth: { accessToken: '********' } },
    })
    expect((await client.channelConnections.retrieve('acme')).result).toEqual(result)
    expect((await client.channelConnections.list({ subscriberId: 'ada' })).result.data).toEqual([result])
    const changed = await client.channelConnections.update(
      { workspace: { id: 'T2' }, auth: { accessToken: 'xoxb-2', expiresAt: '2100-01-01T00:00:00.000Z' } },
      'acme',
    )
    expect(changed.result).toMatchObject({
      workspace: { id: 'T2' },
      auth: { accessToken: '********', expiresAt: '2100-01-01T00:00:00.000Z' },
    })
    await client.channelConnections.delete('acme')
    expect((await client.channelConnections.list({})).result.data).toEqual([])
  })

  test.each<readonly [ChannelConnectionsControllerListChannelConnectionsRequest, string]>([
    [{ connectionMode: 'shared' }, 'shared'],
    [{ connectionMode: 'subscriber' }, 'own'],
    [{ contextKeys: ['tenant:acme'] }, 'own'],
    [{ providerId: 'webex-messaging' }, ''],
    [{ channel: 'chat', integrationIdentifier: 'slack' }, 'shared own'],
  ])('is listed with the filter %o', async (filter, expected) => {
    await create({ identifier: 'own', subscriberId: 'ada', context: { tenant: 'acme' } })
    await create({ identifier: 'shared' })
    const { data } = (await client.channelConnections.list(filter)).result
    expect(data.map(({ identifier }) => identifier).join(' ')).toBe(expected)
  })

  test('that is shared has no subscriber, as the client says', async () => {
    const { result } = await create({ connectionMode: 'shared', subscriberId: 'ada' })
    expect(result.subscriberId).toBeNull()
  })

  test('of a subscriber requires one', async () => {
    await expect(create({ connectionMode: 'subscriber' })).rejects.toMatchObject({
      statusCode: 422,
      data$: { errors: { subscriberId: {} } },
    })
  })

  test('with an identifier that exists is a 400, because the client repeats a 409', async () => {
    await create()
    await expect(create()).rejects.toMatchObject({ statusCode: 400 })
  })

  test('that does not exist is a 404', async () => {
    await expect(client.channelConnections.retrieve('none')).rejects.toMatchObject({ statusCode: 404 })
  })

  test('keeps its token if an update sends back what was read', async () => {
    await acme.act('updateIntegration', { currentIdentifier: 'slack', credentialChanges: { baseUrl: receiver.url } })
    await create({ connectionMode: 'shared' })
    const { result } = await client.channelConnections.retrieve('acme')
    await client.channelConnections.update({ workspace: { id: 'T2' }, auth: result.auth }, 'acme')
    await client.channelEndpoints.create({
      ...{ subscriberId: 'ada', integrationIdentifier: 'slack', connectionIdentifier: 'acme' },
      ...{ type: 'slack_channel', endpoint: { channelId: 'C1' } },
    })
    receiver.answer(200, { ok: true })
    await createWorkflow(acme, [{ chat: { body: 'Hello' } }])
    await trigger(acme)
    await world.work()
    expect(receiver.last).toMatchObject({
      path: '/api/chat.postMessage',
      headers: { authorization: 'Bearer xoxb-1' },
      json: { channel: 'C1', text: 'Hello' },
    })
  })
})

describe('an integration whose tokens are in connections', () => {
  test.each([
    [
      'slack',
      { applicationId: 'A1', clientId: '1.2', secretKey: 's', signingSecret: 's', redirectUrl: 'https://a.example' },
    ],
    ['webex-messaging', { clientId: 'C1', secretKey: 's', redirectUrl: 'https://a.example' }],
    ['msteams', { clientId: 'C1', secretKey: 's', tenantId: 't', redirectUrl: 'https://a.example' }],
  ] as const)('of %s keeps the settings of its application', async (providerId, credentials) => {
    const { result } = await client.integrations.create({
      ...{ providerId, channel: 'chat', identifier: 'app', active: true, credentials },
    })
    expect(result).toMatchObject({ active: true })
    const { integration } = await acme.ask(
      '{ integration(identifier: "app") { settings { name isSet } problems { code blocking } } }',
    )
    expect(integration.settings).toEqual(
      expect.arrayContaining(Object.keys(credentials).map((name) => ({ name, isSet: true }))),
    )
    expect(integration.problems.filter(({ blocking }) => blocking)).toEqual([])
  })

  test.each(['token', 'user'])('of rocket-chat with %s is a 422 that names the setting', async (name) => {
    await expect(
      client.integrations.create({ providerId: 'rocket-chat', channel: 'chat', credentials: { [name]: 'x' } }),
    ).rejects.toMatchObject({ statusCode: 422, data$: { errors: { [`credentials.${name}`]: {} } } })
  })
})
