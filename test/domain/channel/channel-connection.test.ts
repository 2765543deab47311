// Channel connections: workspaces of chat services with their tokens, for one subscriber or shared.
import { beforeEach, describe, expect, test } from 'vitest'
import { statementsOf } from '../../support/statements.ts'
import { type Client, useWorld } from '../../support/world.ts'

const world = useWorld()
let acme: Client

beforeEach(async () => {
  acme = await world.environment()
  await acme.act('createSubscriber', { subscriberId: 'ada' })
  await acme.act('createIntegration', { identifier: 'slack', providerId: 'SLACK' })
})

const workspace = { externalId: 'T1', name: 'Acme', botUserId: 'B1' }
const auth = { accessToken: 'xoxb-SECRET-MARK', refreshToken: 'xoxe-SECRET-MARK' }
const fields = `channelConnection {
  identifier channel providerId integrationIdentifier subscriberId contextKeys workspace { externalId name botUserId }
  expiresAt refreshTokenExpiresAt version
}`

async function create(more: object = {}) {
  const input = { identifier: 'acme', integrationIdentifier: 'slack', workspace, auth, ...more }
  return acme.act('createChannelConnection', input, fields)
}

describe('a channel connection', () => {
  test('of a subscriber has its workspace, contexts and times, and never shows a token', async () => {
    const { channelConnection } = await create({
      subscriberId: 'ada',
      contexts: [
        { type: 'tenant', identifier: 'acme' },
        { type: 'app', identifier: 'shop' },
      ],
      auth: { ...auth, expiresAt: '2100-01-01T00:00:00.000Z', refreshTokenExpiresAt: '2100-02-01T00:00:00.000Z' },
    })
    expect(channelConnection).toEqual({
      ...{ identifier: 'acme', channel: 'CHAT', providerId: 'SLACK', integrationIdentifier: 'slack' },
      ...{ subscriberId: 'ada', contextKeys: ['app:shop', 'tenant:acme'], workspace },
      ...{ expiresAt: '2100-01-01T00:00:00.000Z', refreshTokenExpiresAt: '2100-02-01T00:00:00.000Z', version: 1 },
    })
    const { rows } = await world.database.pool.query(`SELECT * FROM channel_connections WHERE identifier = 'acme'`)
    expect(JSON.stringify(rows)).not.toContain('SECRET-MARK')
  })

  test('without a subscriber is shared, and gets an identifier if it has none', async () => {
    const { channelConnection } = await create({ identifier: null })
    expect(channelConnection).toMatchObject({ subscriberId: null, contextKeys: [] })
    expect(channelConnection.identifier).toMatch(/^conn_[\da-f]{32}$/)
  })

  test('is found by its identifier with its subscriber, integration and contexts', async () => {
    await create({ subscriberId: 'ada', contexts: [{ type: 'tenant', identifier: 'acme' }] })
    const { channelConnection } = await acme.ask(
      '{ channelConnection(identifier: "acme") { subscriber { subscriberId } integration { identifier } contexts { key } } }',
    )
    expect(channelConnection).toEqual({
      subscriber: { subscriberId: 'ada' },
      integration: { identifier: 'slack' },
      contexts: [{ key: 'tenant:acme' }],
    })
  })

  test.each([
    ['an identifier that exists', {}, 'CONFLICT', ['identifier']],
    ['a subscriber that does not exist', { subscriberId: 'grace' }, 'NOT_FOUND', ['subscriberId']],
    ['no subscriber in mode SUBSCRIBER', { connectionMode: 'SUBSCRIBER' }, 'BAD_USER_INPUT', ['subscriberId']],
    [
      'a subscriber in mode SHARED',
      { connectionMode: 'SHARED', subscriberId: 'ada' },
      'BAD_USER_INPUT',
      ['subscriberId'],
    ],
    ['an integration that does not exist', { integrationIdentifier: 'none' }, 'NOT_FOUND', ['integrationIdentifier']],
    [
      'an integration of another channel',
      { integrationIdentifier: 'texts' },
      'BAD_USER_INPUT',
      ['integrationIdentifier'],
    ],
    ['an empty workspace id', { workspace: { externalId: '' } }, 'BAD_USER_INPUT', ['workspace', 'externalId']],
    ['a token with a space', { auth: { accessToken: 'xoxb 1' } }, 'BAD_USER_INPUT', ['auth', 'accessToken']],
    ['the placeholder of a token', { auth: { accessToken: '********' } }, 'BAD_USER_INPUT', ['auth', 'accessToken']],
  ])('is not created with %s', async (_what, more, code, field) => {
    await acme.act('createIntegration', { identifier: 'texts', providerId: 'TWILIO' })
    await create()
    const { userErrors } = await create(more)
    expect(userErrors).toMatchObject([{ code, field }])
    expect(JSON.stringify(userErrors)).not.toContain('xoxb')
  })

  test('is changed in parts, in the version that the caller expects', async () => {
    await create()
    const update = (more: object) => acme.act('updateChannelConnection', { identifier: 'acme', ...more }, fields)
    const { channelConnection } = await update({ workspace: { externalId: 'T2' }, expectedVersion: 1 })
    expect(channelConnection).toMatchObject({
      workspace: { externalId: 'T2', name: null, botUserId: null },
      version: 2,
    })
    expect((await update({ auth: { accessToken: 'xoxb-2' }, expectedVersion: 1 })).userErrors).toMatchObject([
      { code: 'CONFLICT', field: ['expectedVersion'] },
    ])
    expect((await update({ auth: { accessToken: 'xoxb-2' } })).channelConnection).toMatchObject({
      workspace: { externalId: 'T2' },
    })
  })

  test('is deleted, and is gone with its subscriber or its integration', async () => {
    await create({ subscriberId: 'ada' })
    await create({ identifier: 'shared' })
    await create({ identifier: 'other' })
    const left = async () => {
      const { channelConnections } = await acme.ask('{ channelConnections { nodes { identifier } } }')
      return channelConnections.nodes.map(({ identifier }) => identifier)
    }
    await acme.act('deleteChannelConnection', { identifier: 'other' })
    expect(await left()).toEqual(['shared', 'acme'])
    await acme.act('deleteSubscriber', { subscriberId: 'ada' })
    expect(await left()).toEqual(['shared'])
    await acme.act('deleteIntegration', { identifier: 'slack' })
    expect(await left()).toEqual([])
    expect((await acme.act('deleteChannelConnection', { identifier: 'other' })).userErrors).toMatchObject([
      { code: 'NOT_FOUND', field: ['identifier'] },
    ])
  })

  test('is part of the export of its subscriber, without its tokens', async () => {
    await create({ subscriberId: 'ada' })
    const { subscriberExport } = await acme.ask('{ subscriberExport(subscriberId: "ada") }')
    expect(subscriberExport).toMatchObject({ channelConnections: [{ identifier: 'acme', workspaceName: 'Acme' }] })
    expect(JSON.stringify(subscriberExport)).not.toContain('secret')
  })
})

describe('the list of channel connections', () => {
  beforeEach(async () => {
    await acme.act('createIntegration', { identifier: 'webex', providerId: 'WEBEX_MESSAGING' })
    await create({ identifier: 'a', subscriberId: 'ada' })
    await create({ identifier: 'b', contexts: [{ type: 'tenant', identifier: 'acme' }] })
    await create({ identifier: 'c', integrationIdentifier: 'webex' })
  })

  test.each([
    [{ subscriberId: 'ada' }, 'a'],
    [{ subscriberIds: ['ada', 'grace'] }, 'a'],
    [{ connectionMode: 'SUBSCRIBER' }, 'a'],
    [{ connectionMode: 'SHARED' }, 'cb'],
    [{ contextKeys: ['tenant:acme'] }, 'b'],
    [{ contextKeys: [] }, 'ca'],
    [{ providerId: 'WEBEX_MESSAGING' }, 'c'],
    [{ providerIds: ['WEBEX_MESSAGING', 'SLACK'] }, 'cba'],
    [{ integrationIdentifier: 'slack' }, 'ba'],
    [{ channel: 'SMS' }, ''],
  ])('with the filter %o has %s', async (filter, expected) => {
    const { channelConnections } = await acme.ask(
      'query ($filter: ChannelConnectionFilter) { channelConnections(filter: $filter) { nodes { identifier } totalCount } }',
      { filter },
    )
    expect(channelConnections.nodes.map(({ identifier }) => identifier).join('')).toBe(expected)
    expect(channelConnections.totalCount).toBe(expected.length)
  })
})

describe('an endpoint that names a connection', () => {
  const endpoint = (identifier: string, more: object = {}) =>
    acme.act('createChannelEndpoint', {
      ...{ identifier, subscriberId: 'ada', integrationIdentifier: 'slack', connectionIdentifier: 'acme' },
      ...{ endpoint: { workspaceChatChannel: { channelId: 'C1' } }, ...more },
    })
  const obstacleOf = async (identifier: string) => {
    const { channelEndpoint } = await acme.ask(
      'query ($identifier: String!) { channelEndpoint(identifier: $identifier) { obstacle connection { identifier } } }',
      { identifier },
    )
    return channelEndpoint
  }

  test('may exist before the connection, and says that it is missing', async () => {
    await endpoint('general')
    expect(await obstacleOf('general')).toEqual({
      obstacle: 'The channel connection "acme" does not exist.',
      connection: null,
    })
    await create()
    expect(await obstacleOf('general')).toEqual({ obstacle: null, connection: { identifier: 'acme' } })
  })

  test('does not use a connection of another integration, subscriber or context', async () => {
    await acme.act('createSubscriber', { subscriberId: 'grace' })
    await acme.act('createIntegration', { identifier: 'other', providerId: 'SLACK' })
    const contexts = [{ type: 'tenant', identifier: 'acme' }]
    await create({ identifier: 'other', integrationIdentifier: 'other' })
    await create({ identifier: 'of-grace', subscriberId: 'grace' })
    await create({ identifier: 'of-acme', contexts })
    await endpoint('one', { connectionIdentifier: 'other' })
    await endpoint('two', { connectionIdentifier: 'of-grace' })
    await endpoint('three', { connectionIdentifier: 'of-acme' })
    await endpoint('four', { connectionIdentifier: 'of-acme', contexts })
    expect((await obstacleOf('one')).obstacle).toContain('belongs to the integration "other"')
    expect((await obstacleOf('two')).obstacle).toContain('belongs to another subscriber')
    expect((await obstacleOf('three')).obstacle).toContain('is for the contexts tenant:acme')
    expect((await obstacleOf('four')).obstacle).toBeNull()
  })

  test('is listed with others and their connections in as many statements as one', async () => {
    await create()
    const statementsOfPage = () =>
      statementsOf(() =>
        acme.ask(
          '{ channelEndpoints(first: 100) { nodes { obstacle connection { identifier integration { name } } } } }',
        ),
      )
    await endpoint('first')
    const one = await statementsOfPage()
    for (let index = 0; index < 5; index += 1) {
      await create({ identifier: `acme-${index}` })
      await endpoint(`more-${index}`, { connectionIdentifier: `acme-${index}` })
    }
    expect((await statementsOfPage()).length).toBe(one.length)
  })
})
