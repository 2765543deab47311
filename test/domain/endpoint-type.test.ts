// Channel endpoint types: which values each accepts and rejects, and which of them are stored encrypted.
import { describe, expect, test } from 'vitest'
import { adasEndpoint, adasEnvironment, endpointFields } from '../support/ada.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()

const payload = `channelEndpoint { identifier type ${endpointFields} }`

const byIdentifier = `query ($identifier: String!) { channelEndpoint(identifier: $identifier) { type ${endpointFields} } }`

const routingKey = 'R0utingKeyOfTheIncidentService32'
const apiKey = '7f0c1b9a-3d52-4e8f-9a41-0c5b6d7e8f90'
const oncallUrl = 'https://oncall.example.com/integrations/v1/webhook/path-secret-of-ada/'
const toolUrl = 'https://tools.example.com/hooks/path-secret-of-grace?wait=true'

interface Case {
  readonly type: string
  readonly member: string
  readonly integration: Parameters<typeof adasEndpoint>[0]
  readonly endpoint: Record<string, unknown>
  /** Fields that are returned in addition to the given ones. */
  readonly absent?: Record<string, null>
  /** Text that must not appear in the stored row. */
  readonly secrets?: readonly string[]
  readonly refused: readonly (readonly [field: string, endpoint: Record<string, unknown>, message: string])[]
}

const empty = 'must not be empty'
const long = 'must be at most 255 characters long'
const noUrl = 'must be an absolute http or https URL'
const x256 = 'x'.repeat(256)

const cases: readonly Case[] = [
  {
    type: 'WORKSPACE_CHAT_CHANNEL',
    member: 'workspaceChatChannel',
    integration: 'chat',
    endpoint: { channelId: 'C0123' },
    refused: [
      ['channelId', { channelId: '' }, empty],
      ['channelId', { channelId: x256 }, long],
      ['channelId', { channelId: 'C\u0000' }, 'must not contain NUL or unpaired surrogate characters'],
    ],
  },
  {
    type: 'WORKSPACE_CHAT_USER',
    member: 'workspaceChatUser',
    integration: 'chat',
    endpoint: { userId: 'U0123' },
    refused: [['userId', { userId: '' }, empty]],
  },
  {
    type: 'WEBHOOK',
    member: 'webhook',
    integration: 'chat',
    endpoint: { url: 'https://chat.example.com/hooks/path-secret', channel: 'general' },
    secrets: ['chat.example.com', 'path-secret'],
    refused: [
      ['url', { url: '/hooks/1' }, noUrl],
      ['url', { url: 'ftp://chat.example.com/hooks' }, noUrl],
      ['url', { url: 'https:chat.example.com' }, noUrl],
      ['url', { url: 'https://chat.example.com/a b' }, noUrl],
      ['url', { url: `https://chat.example.com/${'x'.repeat(2048)}` }, 'must be at most 2048 characters long'],
      ['channel', { url: 'https://chat.example.com/hooks/1', channel: '' }, empty],
    ],
  },
  {
    type: 'PHONE',
    member: 'phone',
    integration: 'sms',
    endpoint: { phoneNumber: '+4915123456789' },
    refused: ['015123456789', '+49 151 23456789', '+0123456789', '+1234567890123456', ''].map((phoneNumber) => [
      'phoneNumber',
      { phoneNumber },
      'must be a phone number in E.164 format, such as +4915123456789',
    ]),
  },
  {
    type: 'OFFICE_CHAT_CHANNEL',
    member: 'officeChatChannel',
    integration: 'chat',
    endpoint: { teamId: 'T1', channelId: '19:abc@thread.tacv2' },
    refused: [
      ['teamId', { teamId: '', channelId: 'C' }, empty],
      ['channelId', { teamId: 'T', channelId: '' }, empty],
    ],
  },
  {
    type: 'OFFICE_CHAT_USER',
    member: 'officeChatUser',
    integration: 'chat',
    endpoint: { userId: '29:1bc' },
    refused: [['userId', { userId: '' }, empty]],
  },
  {
    type: 'MESSENGER_CHAT',
    member: 'messengerChat',
    integration: 'chat',
    endpoint: { chatId: '-1001234' },
    refused: [['chatId', { chatId: '' }, empty]],
  },
  {
    type: 'MEETING_ROOM',
    member: 'meetingRoom',
    integration: 'chat',
    endpoint: { roomId: 'room-1' },
    absent: { parentId: null },
    refused: [
      ['roomId', { roomId: '' }, empty],
      ['parentId', { roomId: 'room-1', parentId: '' }, empty],
    ],
  },
  {
    type: 'MEETING_PERSON',
    member: 'meetingPerson',
    integration: 'chat',
    endpoint: { personEmail: 'ada@example.com' },
    absent: { personId: null },
    refused: [
      ['', {}, 'must have exactly one of personId and personEmail'],
      ['', { personId: 'p', personEmail: 'ada@example.com' }, 'must have exactly one of personId and personEmail'],
      ['personEmail', { personEmail: 'ada' }, 'must be an email address'],
      ['personId', { personId: '' }, empty],
    ],
  },
  {
    type: 'MESSAGING_APP_USER',
    member: 'messagingAppUser',
    integration: 'chat',
    endpoint: { userId: 'Uab12' },
    refused: [['userId', { userId: '' }, empty]],
  },
  {
    type: 'INCIDENT_SERVICE',
    member: 'incidentService',
    integration: 'tool',
    endpoint: { routingKey, region: 'EU' },
    secrets: [routingKey],
    refused: [routingKey.slice(1), `${routingKey}0`, routingKey.replace('R', '-'), `${routingKey}\n`].map((key) => [
      'routingKey',
      { routingKey: key, region: 'US' },
      'must be exactly 32 letters and digits',
    ]),
  },
  {
    type: 'ALERTING_INTEGRATION',
    member: 'alertingIntegration',
    integration: 'tool',
    endpoint: { apiKey, region: 'US' },
    secrets: [apiKey],
    refused: [apiKey.slice(1), apiKey.replaceAll('-', ''), ''].map((key) => [
      'apiKey',
      { apiKey: key, region: 'US' },
      'must be a UUID',
    ]),
  },
  {
    type: 'ONCALL_INTEGRATION',
    member: 'oncallIntegration',
    integration: 'tool',
    endpoint: { url: oncallUrl, authToken: 'bearer-of-ada' },
    secrets: ['path-secret-of-ada', 'bearer-of-ada'],
    refused: [
      ['url', { url: 'oncall.example.com' }, noUrl],
      ['authToken', { url: oncallUrl, authToken: 'a b' }, 'must be 1 to 4096 visible ASCII characters without spaces'],
    ],
  },
  {
    type: 'TOOL_WEBHOOK',
    member: 'toolWebhook',
    integration: 'tool',
    endpoint: {
      url: toolUrl,
      headers: [
        { name: 'X-Signature', value: 'value-secret-of-grace' },
        { name: 'Content-Type', value: 'application/json' },
      ],
      method: 'PUT',
    },
    secrets: ['path-secret-of-grace', 'tools.example.com', 'value-secret-of-grace', 'X-Signature'],
    refused: (
      [
        [[{ name: 'X Y', value: '' }], 'must have names of letters, digits and !#$%&\'*+.^_`|~- only, unlike "X Y"'],
        [[{ name: '', value: '' }], 'must have names of letters, digits and !#$%&\'*+.^_`|~- only, unlike ""'],
        [[{ name: 'Host', value: 'a' }], 'must not have the header "Host", which the gateway sets itself'],
        [
          [{ name: 'content-length', value: '0' }],
          'must not have the header "content-length", which the gateway sets itself',
        ],
        [[{ name: 'Upgrade', value: 'h2c' }], 'must not have the header "Upgrade", which the gateway sets itself'],
        [
          [{ name: 'X-A', value: 'a\r\nHost: b' }],
          'must have values of visible ASCII characters and spaces, unlike "X-A"',
        ],
        [[{ name: 'X-A', value: 'ä' }], 'must have values of visible ASCII characters and spaces, unlike "X-A"'],
        [
          [
            { name: 'X-A', value: '1' },
            { name: 'X-A', value: '2' },
          ],
          'must have each header once',
        ],
        [
          [
            { name: 'X-A', value: '1' },
            { name: 'x-a', value: '2' },
          ],
          'must have each header once, case-insensitive, unlike "x-a"',
        ],
        [[{ name: 'X-A', value: 'a'.repeat(16_384) }], 'must be at most 16384 bytes, names and values together'],
        [Array.from({ length: 51 }, (_, index) => ({ name: `X-${index}`, value: '' })), 'must be at most 50 headers'],
      ] as const
    ).map(([headers, message]) => ['headers', { url: toolUrl, headers }, message]),
  },
]

describe.each(cases)(
  'an endpoint of type $type',
  ({ type, member, integration, endpoint, absent, secrets, refused }) => {
    test('is returned as it was given, and its secrets are stored encrypted', async () => {
      const client = await adasEnvironment(world)
      const given = adasEndpoint(integration, { [member]: endpoint })
      const created = await client.act('createChannelEndpoint', given, payload)
      expect(created.userErrors).toEqual([])
      const typename = member.charAt(0).toUpperCase() + member.slice(1)
      expect(created.channelEndpoint).toEqual({
        identifier: expect.stringMatching(/^ep_[0-9a-f]{32}$/),
        type,
        endpoint: { __typename: typename, ...absent, ...endpoint },
      })
      const { identifier, ...read } = created.channelEndpoint
      expect(await client.ask(byIdentifier, { identifier })).toEqual({ channelEndpoint: read })

      const { rows } = await world.database.pool.query('SELECT * FROM channel_endpoints WHERE identifier = $1', [
        identifier,
      ])
      expect(rows).toHaveLength(1)
      expect(rows[0].secret === null).toBe(secrets === undefined)
      for (const secret of secrets ?? []) expect(JSON.stringify(rows)).not.toContain(secret)
    })

    test('is rejected for each invalid value, and nothing is written', async () => {
      const client = await adasEnvironment(world)
      for (const [field, bad, reason] of refused) {
        const answer = await client.act(
          'createChannelEndpoint',
          adasEndpoint(integration, { [member]: bad }, { contexts: [{ type: 'tenant', identifier: 'acme' }] }),
          'channelEndpoint { id }',
        )
        expect(answer).toEqual({
          channelEndpoint: null,
          userErrors: [
            {
              code: 'BAD_USER_INPUT',
              message: `endpoint${field && `.${field}`} ${reason}`,
              field: ['endpoint', member, ...(field === '' ? [] : [field])],
            },
          ],
        })
      }
      expect(await client.ask('{ channelEndpoints { totalCount } contexts { totalCount } }')).toEqual({
        channelEndpoints: { totalCount: 0 },
        contexts: { totalCount: 0 },
      })
    })
  },
)
