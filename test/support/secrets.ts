// Environments with a secret of every kind, which all contain `MARK`.
import { expect } from 'vitest'
import { decodeNodeId } from '../../src/graphql/schema/node-id.ts'
import type { Client, World } from './world.ts'

let names = 0

/** An environment with a secret of every kind. */
export async function openSecretEnvironment(world: World): Promise<{ client: Client; environmentId: string }> {
  const client = await world.environment(`Furnished ${(names += 1)}`)
  const { id } = (await client.ask('{ environment { id } }')).environment
  // A message that could not be sent, and will be attempted again.
  const mail = { identifier: 'mail', providerId: 'EMAIL_WEBHOOK', credentials: { webhookUrl: 'http://127.0.0.1:1' } }
  const payloadSchema = { type: 'object', properties: { code: { type: 'string', writeOnly: true } } }
  const steps = [{ email: { subject: 'Code', body: '{{payload.code}}' } }]
  const event = { name: 'code', to: [{ subscriber: { subscriberId: 'ada' } }], payload: { code: 'PAYLOAD-MARK' } }
  const messages: readonly [string, object][] = [
    ['createSubscriber', { subscriberId: 'ada', email: 'ada@example.com' }],
    ['createIntegration', mail],
    ['createWorkflow', { identifier: 'code', name: 'Code', payloadSchema, steps }],
    ['triggerEvent', event],
  ]
  for (const [mutation, input] of messages) {
    expect((await client.act(mutation, { ...input })).userErrors).toEqual([])
  }
  await world.work()
  const acts: readonly [string, object][] = [
    [
      'createIntegration',
      { identifier: 'chat', providerId: 'CHAT_WEBHOOK', credentials: { hmacSecretKey: 'HMAC-MARK' } },
    ],
    ['setSubscriberCredentials', credentialsOf('SLACK', { webhookUrl: 'https://chat.example.com/CREDENTIAL-MARK' })],
    ['setSubscriberCredentials', credentialsOf('FCM', { deviceTokens: ['TOKEN-MARK-1', 'TOKEN-MARK-2'] })],
    ['createChannelEndpoint', webhookInput('hook', 'https://chat.example.com/ENDPOINT-MARK')],
    ['createIntegration', { identifier: 'slack', providerId: 'SLACK' }],
    [
      'createChannelConnection',
      {
        ...{ identifier: 'acme', integrationIdentifier: 'slack', workspace: { externalId: 'T1' } },
        auth: { accessToken: 'CONNECTION-MARK', refreshToken: 'REFRESH-MARK' },
      },
    ],
    ['createSuppression', { channel: 'EMAIL', address: 'SUPPRESSION-MARK@example.com' }],
    [
      'createWebhookSubscription',
      { identifier: 'erp', url: 'https://erp.example.com/WEBHOOK-MARK', eventTypes: ['WORKFLOW_DELETED'] },
    ],
    // The former secret is kept for a while.
    ['rotateWebhookSecret', { identifier: 'erp' }],
    // Stored until a job finishes it, and no job runs here.
    ['eraseSubscriber', { subscriberId: 'ERASURE-MARK' }],
  ]
  for (const [mutation, input] of acts) expect((await client.act(mutation, { ...input })).userErrors).toEqual([])
  await client.rest('POST /v2/topics', { body: { key: 'orders' }, headers: { 'idempotency-key': 'k1' } })
  return { client, environmentId: decodeNodeId(id).id }
}

const credentialsOf = (providerId: string, credentials: object) => ({ subscriberId: 'ada', providerId, credentials })
export const webhookInput = (identifier: string, url: string) => ({
  identifier,
  subscriberId: 'ada',
  integrationIdentifier: 'chat',
  endpoint: { webhook: { url, channel: 'general' } },
})
