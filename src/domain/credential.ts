// Credentials of a subscriber: device tokens and webhooks for push and chat providers.
import { z } from 'zod'
import type { SubscriberCredential } from '../data/prisma/client.ts'
import { type CredentialRow, storedCredentials } from '../data/subscriber-credential.ts'
import { type Path, Refusal } from '../lib/errors.ts'
import { httpUrl, text, storableText } from '../lib/validation.ts'
import { decryptOf } from './resolver/decrypt.ts'
import { credentialProviders, type ProviderId, providerOf } from './channel/provider-id.ts'
import { query } from './resolver/resolver.ts'
import type { AtomicScope, EnvironmentScope } from './resolver/scope.ts'

/** Maximum device tokens per subscriber, provider and integration (SPEC: Limits). */
export const MAX_DEVICE_TOKENS = 100

/** Maximum credentials in one write of a subscriber. */
const MAX_CHANNELS = 100

/** The decrypted credentials of one provider. */
export interface ChannelCredential {
  /**
   * The row id. It stays the same when the credentials are replaced, and changes only when they are deleted and created
   * again.
   */
  readonly id: string
  readonly providerId: ProviderId
  /** Null for every integration of the provider. */
  readonly integrationIdentifier: string | null
  readonly webhookUrl: string | null
  readonly deviceTokens: readonly string[]
}

const credentials = z.object({
  webhookUrl: httpUrl.nullish(),
  deviceTokens: z.array(text(4096, 1)).nullish(),
})

/** The input schema of the credentials of one provider. */
export const channelCredential = z.object({
  providerId: z.enum(credentialProviders, {
    error: 'must be a chat or push provider',
  }),
  integrationIdentifier: text(255, 1).nullish(),
  credentials,
})
export type ChannelCredentialInput = z.output<typeof channelCredential>

/** At most one per provider and integration. */
const credentialList = z
  .array(channelCredential)
  .max(MAX_CHANNELS)
  .check(({ value, issues }) => {
    const seen = new Set<string>()
    for (const [index, { providerId, integrationIdentifier }] of value.entries()) {
      const channel = JSON.stringify([providerId, integrationIdentifier ?? null])
      if (seen.has(channel)) {
        const message = 'must not repeat the provider and integration of an earlier item'
        issues.push({ code: 'custom', path: [index], message, input: value })
      }
      seen.add(channel)
    }
  })

/** Credentials by provider, as older clients send them (CALLERS: POST /v2/subscribers). */
const credentialsByProvider = z
  .partialRecord(channelCredential.shape.providerId, credentials)
  .transform((given) => Object.entries(given).map(([providerId, credentials]) => ({ providerId, credentials })))
  .pipe(credentialList)
  .meta({ description: 'Credentials by `providerId`.' })

/** The input schema of the field `channels`: a subscriber's credentials, as a list or by provider. */
export const channelCredentials = z.union([credentialList, credentialsByProvider])

/** The unique key of stored credentials. */
export const credentialNameOf = ({
  id,
  providerId,
  integrationIdentifier,
}: SubscriberCredential): Pick<ChannelCredential, 'id' | 'providerId' | 'integrationIdentifier'> => ({
  id,
  providerId: providerOf(providerId),
  integrationIdentifier: integrationIdentifier === '' ? null : integrationIdentifier,
})

type Encryption = Pick<EnvironmentScope, 'cipher' | 'environmentId'>

const ownerOf = ({ subscriberId }: SubscriberCredential) => `subscriber "${subscriberId}"`

/** Decrypts the webhook URL of stored credentials. Null if there is none. @throws DecryptionError */
export const webhookOf = (scope: Encryption, row: SubscriberCredential): string | null =>
  row.webhookUrl === null ? null : decryptOf(ownerOf(row), scope, row.webhookUrl)

const tokenList = z.array(storableText)

/** Decrypts the device tokens of stored credentials. @throws DecryptionError */
export const tokensOf = (scope: Encryption, row: SubscriberCredential): readonly string[] =>
  row.encryptedTokens === null ? [] : tokenList.parse(JSON.parse(decryptOf(ownerOf(row), scope, row.encryptedTokens)))

/**
 * Returns the credentials of a subscriber, ordered by provider. Batched.
 *
 * @throws DecryptionError that names the subscriber.
 */
export async function loadCredentials(
  scope: Encryption & Pick<EnvironmentScope, 'load'>,
  subscriberId: string,
): Promise<ChannelCredential[]> {
  return (await scope.load(storedCredentials, subscriberId)).map((row) => ({
    ...credentialNameOf(row),
    webhookUrl: webhookOf(scope, row),
    deviceTokens: tokensOf(scope, row),
  }))
}

/** Encrypts device tokens for their column. */
export function encryptTokens({ cipher, environmentId }: Encryption, tokens: readonly string[]): string | null {
  return tokens.length === 0 ? null : cipher.encrypt(JSON.stringify(tokens), environmentId)
}

/** Lists the credentials of a subscriber, ordered by provider. Batched. Reads nothing if `hasCredentials` is false. */
export const credentialsOf = query({
  name: 'subscriber.listCredentials',
  permission: 'subscriber:read',
  input: z.object({ subscriberId: storableText, hasCredentials: z.boolean().optional() }),
  run: async (scope, { subscriberId, hasCredentials }) =>
    hasCredentials === false ? [] : loadCredentials(scope, subscriberId),
})

/** @throws Refusal `MALFORMED` with `currentCount`, the number of stored tokens, and `limit` in `ctx`. */
async function assertTokenCount(
  scope: AtomicScope,
  subscriberId: string,
  { providerId, integrationIdentifier = null }: ChannelCredentialInput,
  count: number,
  path: Path,
): Promise<void> {
  if (count <= MAX_DEVICE_TOKENS) return
  const stored = (await loadCredentials(scope, subscriberId)).find(
    (other) => other.providerId === providerId && other.integrationIdentifier === integrationIdentifier,
  )
  const message = `deviceTokens must have at most ${MAX_DEVICE_TOKENS} items per subscriber and provider, and would have ${count}`
  throw new Refusal('MALFORMED', message, {
    issues: [{ path: [...path, 'credentials', 'deviceTokens'], message }],
    ctx: { currentCount: stored?.deviceTokens.length ?? 0, limit: MAX_DEVICE_TOKENS },
  })
}

/**
 * Returns the row to store for credentials in an input.
 *
 * @param path the path of the credentials in the input.
 * @throws Refusal `MALFORMED` if there are too many device tokens.
 */
export async function credentialRow(
  scope: AtomicScope,
  subscriberId: string,
  given: ChannelCredentialInput,
  path: Path = [],
): Promise<CredentialRow> {
  const { cipher, environmentId, newId } = scope
  const { providerId, integrationIdentifier, credentials } = given
  const tokens = [...new Set(credentials.deviceTokens ?? [])]
  await assertTokenCount(scope, subscriberId, given, tokens.length, path)
  return {
    id: newId(),
    subscriberId,
    providerId,
    integrationIdentifier: integrationIdentifier ?? '',
    webhookUrl: credentials.webhookUrl ? cipher.encrypt(credentials.webhookUrl, environmentId) : null,
    encryptedTokens: encryptTokens(scope, tokens),
  }
}

/**
 * Returns the rows to store for the field `channels` of an input.
 *
 * @param path the path of the object with the field.
 * @throws Refusal like `credentialRow`.
 */
export function credentialRows(
  scope: AtomicScope,
  subscriberId: string,
  channels: readonly ChannelCredentialInput[] | null | undefined,
  path: Path = [],
): Promise<CredentialRow[]> {
  const rows = (channels ?? []).map((given, index) =>
    credentialRow(scope, subscriberId, given, [...path, 'channels', index]),
  )
  return Promise.all(rows)
}
