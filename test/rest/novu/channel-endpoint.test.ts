// Every type of channel endpoint through the published client.
import type { Novu } from '@novu/api'
import type { UpdateChannelEndpointRequestDto } from '@novu/api/models/components/index.js'
import type { ChannelEndpointsControllerCreateChannelEndpointRequestBody as NewEndpoint } from '@novu/api/models/operations/index.js'
import { beforeEach, describe, expect, test } from 'vitest'
import { novuClient } from '../../support/novu/client.ts'
import { type Client, useWorld } from '../../support/world.ts'

const world = useWorld()
let acme: Client
let client: Novu

beforeEach(async () => {
  acme = await world.environment()
  client = novuClient(world, acme.key)
  await acme.act('createSubscriber', { subscriberId: 'ada' })
  for (const providerId of ['SLACK', 'TWILIO', 'TOOL_WEBHOOK']) {
    await acme.act('createIntegration', { providerId, identifier: providerId.toLowerCase() })
  }
})

const on = (integrationIdentifier: string) => ({ integrationIdentifier, identifier: 'of-ada', subscriberId: 'ada' })
const [slack, tool] = [on('slack'), on('tool_webhook')]

const [url, otherUrl] = ['https://hooks.example.com/ada', 'https://hooks.example.com/king']
const routingKey = 'R0123456789abcdef0123456789abcde'
const apiKey = '0199b0a0-0000-4000-8000-000000000000'

/** An endpoint of each type that the client can change, and what it sends. */
const changeable: readonly (readonly [NewEndpoint, UpdateChannelEndpointRequestDto['endpoint']])[] = [
  [{ ...slack, type: 'slack_channel', endpoint: { channelId: 'C1' } }, { channelId: 'C2' }],
  [{ ...slack, type: 'slack_user', endpoint: { userId: 'U1' } }, { userId: 'U2' }],
  [{ ...slack, type: 'webhook', endpoint: { url, channel: 'general' } }, { url: otherUrl }],
  [{ ...on('twilio'), type: 'phone', endpoint: { phoneNumber: '+4915123456789' } }, { phoneNumber: '+4915111111111' }],
  [{ ...slack, type: 'ms_teams_channel', endpoint: { teamId: 'T1', channelId: 'C1' } }, { channelId: 'C2' }],
  [{ ...slack, type: 'ms_teams_user', endpoint: { userId: 'U1' } }, { userId: 'U2' }],
  [{ ...slack, type: 'webex_room', endpoint: { roomId: 'R1', parentId: 'M1' } }, { roomId: 'R2' }],
  [{ ...slack, type: 'webex_person', endpoint: { personId: 'P1' } }, { personId: 'P2' }],
  [{ ...slack, type: 'line_user', endpoint: { userId: 'U1' } }, { userId: 'U2' }],
  [{ ...tool, type: 'grafana_oncall_integration', endpoint: { url, authToken: 'token' } }, { url: otherUrl }],
  [{ ...tool, type: 'tool_webhook', endpoint: { url, method: 'PUT' } }, { url: otherUrl }],
]

/** An endpoint of each type for which the client sends no fields in an update. */
const fixed: readonly NewEndpoint[] = [
  { ...slack, type: 'telegram_chat', endpoint: { chatId: '1' } },
  { ...tool, type: 'pagerduty_service', endpoint: { routingKey, region: 'eu' } },
  { ...tool, type: 'opsgenie_integration', endpoint: { apiKey, region: 'eu' } },
]

/** The stored fields. The client drops some of them when it reads an endpoint. */
const stored = async () => (await acme.rest('GET /v1/channel-endpoints/of-ada')).body.endpoint

const byType = <Row>(rows: readonly Row[], typeOf: (row: Row) => string) =>
  rows.map((row) => [typeOf(row), row] as const)

test('there are fourteen types', () => {
  const types = new Set([...changeable.map(([{ type }]) => type), ...fixed.map(({ type }) => type)])
  expect(types.size).toBe(14)
})

describe('an endpoint of the type', () => {
  test.each(byType([...changeable.map(([endpoint]) => endpoint), ...fixed], ({ type }) => type))(
    '%s is created, read, listed and deleted',
    async (type, endpoint) => {
      expect((await client.channelEndpoints.create(endpoint)).result).toMatchObject({ type, subscriberId: 'ada' })
      expect(await stored()).toMatchObject(endpoint.endpoint)
      expect((await client.channelEndpoints.retrieve('of-ada')).result).toMatchObject({ type })
      expect((await client.channelEndpoints.list({})).result.data).toMatchObject([{ identifier: 'of-ada', type }])
      await client.channelEndpoints.delete('of-ada')
      expect((await client.channelEndpoints.list({})).result.data).toEqual([])
    },
  )

  test.each(byType(changeable, ([{ type }]) => type))(
    '%s is changed, and keeps what the client does not send',
    async (type, [endpoint, change]) => {
      await client.channelEndpoints.create(endpoint)
      expect((await client.channelEndpoints.update({ endpoint: change }, 'of-ada')).result).toMatchObject({ type })
      expect(await stored()).toMatchObject({ ...endpoint.endpoint, ...change })
    },
  )

  test.each(byType(fixed, ({ type }) => type))(
    '%s is not changed: the client sends no fields, and the error names the endpoint',
    async (_type, endpoint) => {
      await client.channelEndpoints.create(endpoint)
      const before = await stored()
      // The types of the client have no such change.
      const change = { channelId: 'C2', ...endpoint.endpoint }
      await expect(client.channelEndpoints.update({ endpoint: change }, 'of-ada')).rejects.toMatchObject({
        statusCode: 422,
        message: expect.stringMatching(/^endpoint must have at least one of /u),
      })
      expect(await stored()).toEqual(before)
    },
  )
})
