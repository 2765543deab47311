// Provider credentials: what push and chat providers need to reach a subscriber.
import { z } from 'zod'
import { groupBatch } from '../data/loader.ts'
import type { SubscriberCredential } from '../data/prisma/client.ts'
import type { CredentialRow } from '../data/subscriber.ts'
import { Refusal } from '../lib/errors.ts'
import { httpUrl, text } from '../lib/validation.ts'
import { credentialProviders, type ProviderId, providerOf } from './provider-id.ts'
import { query } from './resolver.ts'
import type { EnvironmentScope, Scope } from './scope.ts'

/** Per subscriber and channel, that is, provider and integration (SPEC: Limits). */
export const MAX_DEVICE_TOKENS = 100

/** Channels in one write of a subscriber. */
const MAX_CHANNELS = 100

/** Credentials as a caller sees them, decrypted. */
export interface ChannelCredential {
  readonly providerId: ProviderId
  /** Null when they serve every integration of the provider. */
  readonly integrationIdentifier: string | null
  readonly webhookUrl: string | null
  readonly deviceTokens: readonly string[]
}

const credentials = z.object({
  webhookUrl: httpUrl.nullish(),
  deviceTokens: z.array(text(4096, 1)).nullish(),
})

/** The input schema of one channel's credentials. */
export const channelCredential = z.object({
  providerId: z.enum(credentialProviders, {
    error: 'must be a chat or push provider: credentials are kept for no other',
  }),
  integrationIdentifier: text(255, 1).nullish(),
  credentials,
})
export type ChannelCredentialInput = z.output<typeof channelCredential>

/** The input schema of several channels. Each at most once: of two, one would be lost without a word. */
export const channelCredentials = z
  .array(channelCredential)
  .max(MAX_CHANNELS)
  .check(({ value, issues }) => {
    const seen = new Set<string>()
    for (const [index, { providerId, integrationIdentifier }] of value.entries()) {
      const channel = JSON.stringify([providerId, integrationIdentifier ?? null])
      if (seen.has(channel)) {
        const message = 'must not have the provider and integration of an earlier one'
        issues.push({ code: 'custom', path: [index], message, input: value })
      }
      seen.add(channel)
    }
  })

const credentialsBySubscriber = groupBatch<SubscriberCredential>(
  ({ db, environmentId }, subscriberIds) =>
    db.subscriberCredential.findMany({
      where: { environmentId, subscriberId: { in: subscriberIds } },
      orderBy: [{ providerId: 'asc' }, { integrationIdentifier: 'asc' }],
    }),
  ({ subscriberId }) => subscriberId,
)

/** All credentials of a subscriber, by provider. Batched. */
export async function loadCredentials(
  { load, cipher, environmentId }: EnvironmentScope,
  subscriberId: string,
): Promise<ChannelCredential[]> {
  return (await load(credentialsBySubscriber, subscriberId)).map((row) => ({
    providerId: providerOf(row.providerId),
    integrationIdentifier: row.integrationIdentifier === '' ? null : row.integrationIdentifier,
    webhookUrl: row.webhookUrl === null ? null : cipher.decrypt(row.webhookUrl, environmentId),
    deviceTokens: row.deviceTokens,
  }))
}

/** All credentials of a subscriber, by provider. Batched. */
export const credentialsOf = query({
  name: 'subscriber.listCredentials',
  permission: 'subscriber:read',
  input: z.object({ subscriberId: z.string() }),
  run: (scope, { subscriberId }) => loadCredentials(scope, subscriberId),
})

type Path = readonly (string | number)[]

/** @throws Refusal `MALFORMED` with `currentCount` and `limit` in `ctx`. */
function assertTokenCount(currentCount: number, path: Path): void {
  if (currentCount <= MAX_DEVICE_TOKENS) return
  const message = `deviceTokens must be at most ${MAX_DEVICE_TOKENS} in one channel of a subscriber, and would be ${currentCount}`
  throw new Refusal('MALFORMED', message, {
    issues: [{ path: [...path, 'credentials', 'deviceTokens'], message }],
    ctx: { currentCount, limit: MAX_DEVICE_TOKENS },
  })
}

/**
 * The row that keeps what a caller gave.
 *
 * @param path where the input has it. @throws Refusal `MALFORMED` when there are too many device tokens.
 */
export function credentialRow(
  { cipher, environmentId }: Scope,
  subscriberId: string,
  { providerId, integrationIdentifier, credentials }: ChannelCredentialInput,
  path: Path = [],
): CredentialRow {
  const deviceTokens = [...new Set(credentials.deviceTokens ?? [])]
  assertTokenCount(deviceTokens.length, path)
  return {
    subscriberId,
    providerId,
    integrationIdentifier: integrationIdentifier ?? '',
    webhookUrl: credentials.webhookUrl ? cipher.encrypt(credentials.webhookUrl, environmentId) : null,
    deviceTokens,
  }
}

/** The rows that keep what a caller gave as `channels`. @throws Refusal `MALFORMED` as `credentialRow` does. */
export function credentialRows(
  scope: Scope,
  subscriberId: string,
  channels: readonly ChannelCredentialInput[] | null | undefined,
): CredentialRow[] {
  return (channels ?? []).map((given, index) => credentialRow(scope, subscriberId, given, ['channels', index]))
}
