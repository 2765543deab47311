// Previews and events agree about every provider and every destination of its channel.
import { generateKeyPairSync } from 'node:crypto'
import { expect, test } from 'vitest'
import { type ProviderChannel, providerChannels } from '../../src/domain/channel/channel.ts'
import { endpointTypes } from '../../src/domain/channel/endpoint-type.ts'
import { kindOf, type ProviderId, providerIds } from '../../src/domain/channel/provider-id.ts'
import type { EndpointType } from '../../src/data/prisma/enums.ts'
import { activateAll, storyFields } from '../support/delivery/story.ts'
import { type Client, useWorld } from '../support/world.ts'

const world = useWorld({ allowPrivateAddresses: false })

/** A blocked address, so that a message with complete credentials fails in the last check before its request. */
const BLOCKED = 'http://127.0.0.1:9'

const samples = {
  workspace_chat_channel: { channelId: 'C1' },
  workspace_chat_user: { userId: 'U1' },
  webhook: { url: BLOCKED },
  phone: { phoneNumber: '+15550100' },
  office_chat_channel: { teamId: 't', channelId: 'c' },
  office_chat_user: { userId: 'u' },
  messenger_chat: { chatId: '1' },
  meeting_room: { roomId: 'r' },
  meeting_person: { personId: 'p' },
  messaging_app_user: { userId: 'u' },
  incident_service: { routingKey: 'a'.repeat(32), region: 'us' },
  alerting_integration: { apiKey: '01900000-0000-7000-8000-000000000000', region: 'eu' },
  oncall_integration: { url: BLOCKED },
  tool_webhook: { url: BLOCKED },
} satisfies Record<EndpointType, object>

const steps = {
  email: { email: { stepId: 'it', subject: 'Hi', body: 'Hello' } },
  sms: { sms: { stepId: 'it', body: 'Hello' } },
  chat: { chat: { stepId: 'it', body: 'Hello' } },
  push: { push: { stepId: 'it', subject: 'Hi', body: 'Hello' } },
  tool: { tool: { stepId: 'it', body: 'Hello' } },
}

/** Values of the settings that have a format. */
const values: Record<string, unknown> = {
  from: 'news@example.com',
  host: '127.0.0.1',
  baseUrl: BLOCKED,
  webhookUrl: BLOCKED,
  botToken: '123:abc',
  clientId: 'app',
  secretKey: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' }),
  tenantId: 'tenant',
  loginUrl: BLOCKED,
}

/**
 * The credentials of each implemented provider, with a value for every setting that a message requires, or without the
 * required settings. FCM requires a key, which is left out.
 */
async function credentialsOf(client: Client, isComplete: boolean): Promise<ReadonlyMap<string, object>> {
  const { providers } = await client.ask(
    '{ providers(filter: { supported: true }) { providerId settings { name required } } }',
  )
  const complete = providers.map(({ providerId, settings }): [string, object] => {
    const hasUrl = settings.some(({ name }) => name === 'webhookUrl')
    const given = settings.filter(({ name, required }) =>
      isComplete ? (required || name in values) && name !== 'serviceAccount' : name === 'baseUrl' && !hasUrl,
    )
    return [providerId, Object.fromEntries(given.map(({ name }) => [name, values[name] ?? 'given']))]
  })
  return new Map(complete)
}

const nameOf = (providerId: ProviderId) => providerId.replaceAll('-', '_').toUpperCase()

/** A subscriber for each kind of destination of a provider. @returns their ids. */
async function furnish(client: Client, providerId: ProviderId, credentials: object | undefined): Promise<string[]> {
  const channel = kindOf(providerId)
  const identifier = providerId
  const { userErrors } = await client.act('createIntegration', {
    identifier,
    providerId: nameOf(providerId),
    credentials,
  })
  expect(userErrors).toEqual([])
  const types = Object.entries(endpointTypes).filter(([, { channels }]) => channels.some((one) => one === channel))
  const subscriberIds: string[] = []
  for (const [type] of types) {
    const subscriberId = `${providerId}.${type}`
    subscriberIds.push(subscriberId)
    await client.rest('POST /v2/subscribers', { body: { subscriberId } })
    const body = { subscriberId, integrationIdentifier: identifier, type, endpoint: samples[type as EndpointType] }
    expect(await client.rest('POST /v1/channel-endpoints', { body })).toMatchObject({ status: 201 })
  }
  if (channel !== 'chat' && channel !== 'push') return subscriberIds
  const own = { webhook: { webhookUrl: BLOCKED }, device: { deviceTokens: ['token'] } }
  for (const [kind, given] of Object.entries(own)) {
    const subscriberId = `${providerId}.${kind}-credential`
    subscriberIds.push(subscriberId)
    await client.rest('POST /v2/subscribers', { body: { subscriberId } })
    const body = { providerId, integrationIdentifier: identifier, credentials: given }
    expect(await client.rest(`PUT /v1/subscribers/${subscriberId}/credentials`, { body })).toMatchObject({
      status: 200,
    })
  }
  return subscriberIds
}

interface Shown {
  readonly subscriberId: string
  readonly steps: readonly { status: string; reason: string | null; detail: string | null; cause: string | null }[]
}

const told = (runs: readonly Shown[]) =>
  Object.fromEntries(
    runs.map(({ subscriberId, steps: [step] }) => [
      subscriberId,
      `${step?.status} ${step?.reason} ${step?.cause}: ${step?.detail}`,
    ]),
  )

async function previewed(client: Client, subscriberIds: readonly string[]) {
  const to = subscriberIds.map((subscriberId) => ({ subscriber: { subscriberId } }))
  const { previewTrigger } = await client.ask(
    `query ($to: [RecipientInput!]!) { previewTrigger(input: { workflowIdentifier: "it", to: $to }) {
       runs { subscriberId steps { status reason detail cause } }
     } }`,
    { to },
  )
  return told(previewTrigger.runs)
}

async function executed(client: Client, subscriberIds: readonly string[]) {
  const { body } = await client.rest('POST /v1/events/trigger', { body: { name: 'it', to: subscriberIds } })
  await world.work()
  const { event } = await client.ask(
    `query ($id: String!) { event(transactionId: $id) { runs(first: 50) { nodes { ${storyFields} } } } }`,
    { id: body.transactionId },
  )
  return told(event.runs.nodes)
}

const sizes = 25

/** Every provider of a channel with every destination of it. @returns how the messages failed, without the details. */
async function compare(channel: ProviderChannel, isComplete: boolean): Promise<ReadonlySet<string>> {
  const client = await world.environment()
  const credentials = await credentialsOf(client, isComplete)
  await client.act('createWorkflow', { identifier: 'it', name: 'It', steps: [steps[channel]] })
  const subscriberIds: string[] = []
  for (const providerId of providerIds.filter((one) => kindOf(one) === channel)) {
    const given = credentials.get(nameOf(providerId))
    // Credentials make no difference to a provider that is not implemented.
    if (isComplete && given === undefined) continue
    subscriberIds.push(...(await furnish(client, providerId, given)))
  }
  await activateAll(world)
  const failures = new Set<string>()
  for (let from = 0; from < subscriberIds.length; from += sizes) {
    const some = subscriberIds.slice(from, from + sizes)
    const expected = await executed(client, some)
    expect(Object.keys(expected)).toHaveLength(some.length)
    expect(await previewed(client, some)).toEqual(expected)
    for (const one of Object.values(expected)) failures.add(one.replace(/:.*/, ''))
  }
  return failures
}

/** Chat has hundreds of pairs of a provider and a destination. */
const timeout = 120_000

test.each(providerChannels)(
  'a preview tells the result of every provider of %s without its credentials',
  { timeout },
  async (channel) => {
    const failures = await compare(channel, false)
    expect([...failures].filter((one) => !one.startsWith('FAILED refused '))).toEqual([])
    // The endpoints of tools have their own credentials, and email providers serve none but webhooks.
    const isOwn = channel === 'tool' || channel === 'email'
    const cause = isOwn ? 'DESTINATION_NOT_SUPPORTED' : 'CREDENTIALS_INVALID'
    expect(failures).toContain(`FAILED refused ${cause}`)
  },
)

test.each(providerChannels)(
  'a preview tells the result of every provider of %s with its credentials',
  { timeout },
  async (channel) => {
    const failures = await compare(channel, true)
    expect([...failures].filter((one) => !one.startsWith('FAILED refused '))).toEqual([])
    expect(failures).toContain('FAILED refused ADDRESS_BLOCKED')
  },
)
