// Channel endpoints in the dashboard.
import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { buildDashboard, openStory, type Story } from '../../../support/dashboard/dashboard.ts'

beforeAll(buildDashboard, 120_000)

/** The values to enter for a type, by form label, and the result in the graph. */
type Entered = readonly [
  type: string,
  integration: 'chats' | 'tools',
  fields: Readonly<Record<string, string>>,
  stored: Readonly<Record<string, unknown>>,
  choices?: Readonly<Record<string, string>>,
]

const types: readonly Entered[] = [
  [
    'Alerting integration',
    'tools',
    { 'API key': 'f0e1d2c3-b4a5-4687-8899-aabbccddeeff' },
    { apiKey: 'f0e1d2c3-b4a5-4687-8899-aabbccddeeff', region: 'EU' },
    { Region: 'European Union' },
  ],
  [
    'Incident service',
    'tools',
    { 'Routing key': 'a1b2c3d4e5f6a7b8c9d0e1f2a3b4c5d6' },
    { routingKey: 'a1b2c3d4e5f6a7b8c9d0e1f2a3b4c5d6', region: 'US' },
  ],
  [
    'Person in a meeting service',
    'chats',
    { 'Email address': 'ada@example.com' },
    { personId: null, personEmail: 'ada@example.com' },
  ],
  ['Room of a meeting service', 'chats', { 'Room id': 'room-1' }, { roomId: 'room-1', parentId: null }],
  ['User of a messaging app', 'chats', { 'User id': 'line-1' }, { userId: 'line-1' }],
  ['Chat of a messenger', 'chats', { 'Chat id': '4711' }, { chatId: '4711' }],
  [
    'Channel of an office chat',
    'chats',
    { 'Team id': 'team-1', 'Channel id': 'general' },
    { teamId: 'team-1', channelId: 'general' },
  ],
  ['User of an office chat', 'chats', { 'User id': 'office-1' }, { userId: 'office-1' }],
  [
    'On-call integration',
    'tools',
    { 'Webhook URL': 'https://oncall.example.com/hook', 'Bearer token': 'token-1' },
    { url: 'https://oncall.example.com/hook', authToken: 'token-1' },
  ],
  ['Phone number', 'chats', { 'Phone number': '+4915123456789' }, { phoneNumber: '+4915123456789' }],
  [
    'Tool webhook',
    'tools',
    { 'Webhook URL': 'https://tool.example.com/hook' },
    { url: 'https://tool.example.com/hook', method: 'PUT', headers: null },
    { Method: 'PUT' },
  ],
  [
    'Incoming webhook',
    'chats',
    { 'Webhook URL': 'https://chat.example.com/hook', Channel: '#ops' },
    { url: 'https://chat.example.com/hook', channel: '#ops' },
  ],
  ['Channel of a workspace chat', 'chats', { 'Channel id': 'C42' }, { channelId: 'C42' }],
  ['User of a workspace chat', 'chats', { 'User id': 'U42' }, { userId: 'U42' }],
]

const destination = `endpoint {
  ... on AlertingIntegration { apiKey region } ... on IncidentService { routingKey region }
  ... on MeetingPerson { personId personEmail } ... on MeetingRoom { roomId parentId }
  ... on MessagingAppUser { userId } ... on MessengerChat { chatId }
  ... on OfficeChatChannel { teamId channelId } ... on OfficeChatUser { userId }
  ... on OncallIntegration { url authToken } ... on Phone { phoneNumber }
  ... on ToolWebhook { url method headers { name value } } ... on Webhook { url channel }
  ... on WorkspaceChatChannel { channelId } ... on WorkspaceChatUser { userId }
}`

const prepare = ({ ask }: Story) =>
  ask(`mutation {
    createSubscriber(input: { subscriberId: "ada", firstName: "Ada" }) { userErrors { message } }
    chats: createIntegration(input: { providerId: CHAT_WEBHOOK, identifier: "chats" }) { userErrors { message } }
    tools: createIntegration(input: { providerId: TOOL_WEBHOOK, identifier: "tools" }) { userErrors { message } }
  }`)

async function choose(page: Page, label: string, option: string) {
  await page.getByRole('dialog').getByRole('combobox', { name: label, exact: true }).click()
  await page.getByRole('option', { name: option, exact: true }).click()
}

/** One form after the other, each filled by hand. */
const LONG = 300_000

test('someone creates a channel endpoint of each of the 14 types', { timeout: LONG }, async ({ skip }) => {
  const story = await openStory(skip)
  const { page, visit, ask } = story
  await prepare(story)
  await visit('/channel-endpoints')
  await page.getByRole('heading', { name: 'No channel endpoints yet' }).waitFor()

  const dialog = page.getByRole('dialog')
  for (const [index, [type, integration, fields, , choices = {}]] of types.entries()) {
    await visit('/channel-endpoints')
    await page.getByRole('button', { name: 'Create channel endpoint' }).first().click()
    await dialog.getByRole('combobox', { name: 'Subscriber' }).fill('ada')
    await page.getByRole('option', { name: 'ada' }).click()
    await dialog.getByRole('combobox', { name: 'Integration' }).fill(integration)
    await dialog.getByRole('combobox', { name: 'Type' }).fill(type)
    await page.getByRole('option', { name: type, exact: true }).click()
    await dialog.getByRole('textbox', { name: 'Identifier', exact: true }).fill(`endpoint-${index}`)
    for (const [label, value] of Object.entries(fields))
      await dialog.getByLabel(label, { exact: false }).first().fill(value)
    for (const [label, option] of Object.entries(choices)) await choose(page, label, option)
    await dialog.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('heading', { level: 1, name: `endpoint-${index}` }).waitFor()
    await page.getByRole('heading', { level: 2, name: type, exact: true }).waitFor()
  }
  const stored = await Promise.all(
    types.map((_, index) => ask(`{ channelEndpoint(identifier: "endpoint-${index}") { ${destination} } }`)),
  )
  expect(stored).toEqual(types.map(([, , , endpoint]) => ({ channelEndpoint: { endpoint } })))
})

test('someone changes the headers of a webhook, finds it by its filters and deletes it', async ({ skip }) => {
  const story = await openStory(skip)
  const { page, visit, ask, audit } = story
  await prepare(story)
  await ask(`mutation {
    webhook: createChannelEndpoint(input: {
      identifier: "hook", subscriberId: "ada", integrationIdentifier: "tools", connectionIdentifier: "main"
      contexts: [{ type: "tenant", identifier: "acme" }], endpoint: { toolWebhook: { url: "https://example.com/secret" } }
    }) { userErrors { message } }
    room: createChannelEndpoint(input: {
      identifier: "room", subscriberId: "ada", integrationIdentifier: "chats", endpoint: { meetingRoom: { roomId: "1" } }
    }) { userErrors { message } }
  }`)
  const dialog = page.getByRole('dialog')
  await visit('/channel-endpoints/hook')
  await page.getByRole('button', { name: 'Show Webhook URL' }).waitFor()
  expect(await page.getByText('https://example.com/secret').count()).toBe(0)
  await page.getByRole('button', { name: 'Show Webhook URL' }).click()
  await page.getByText('https://example.com/secret').waitFor()
  await page.getByRole('button', { name: 'Edit' }).click()
  await dialog.getByRole('button', { name: 'Add header' }).click()
  await dialog.getByRole('textbox', { name: 'Name of header 1' }).fill('X-Token')
  await dialog.getByLabel('Value of header 1').fill('t-1')
  await choose(page, 'Method', 'PATCH')
  await audit()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByText('X-Token').waitFor()
  await page.getByText('PATCH').waitFor()

  await visit(
    '/channel-endpoints?subscriber=ada&type=TOOL_WEBHOOK&channel=TOOL&provider=TOOL_WEBHOOK&integration=tools&contexts=tenant%3Aacme&connection=main',
  )
  await page.getByRole('link', { name: 'hook', exact: true }).waitFor()
  expect(await page.getByRole('link', { name: 'room', exact: true }).count()).toBe(0)
  await visit('/channel-endpoints')
  await page.getByRole('combobox', { name: 'Type' }).fill('room')
  await page.getByRole('option', { name: 'Room of a meeting service' }).click()
  await page.getByRole('link', { name: 'room', exact: true }).waitFor()
  expect(page.url()).toContain('type=MEETING_ROOM')
  await page.getByRole('combobox', { name: 'Integration' }).fill('tools')
  await page.getByRole('heading', { name: 'No channel endpoint matches' }).waitFor()
  await page.getByRole('button', { name: 'Clear: Type' }).click()
  await page.getByRole('link', { name: 'hook', exact: true }).click()
  await page.getByRole('button', { name: 'Delete' }).click()
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('link', { name: 'room', exact: true }).waitFor()
  expect(await ask('{ channelEndpoints { nodes { identifier } } }')).toEqual({
    channelEndpoints: { nodes: [{ identifier: 'room' }] },
  })
})
