// Rows of earlier versions with secrets in clear text, and their encrypted form.
import type { JsonObject } from '../lib/validation.ts'
import { channelEndpointTable } from './channel-endpoint.ts'
import type { Connection } from './connection/database.ts'
import { limitTo, sql, sqlCount } from './statement/statement.ts'
import { rowsOf } from './statement/table.ts'
import { credentialTable } from './subscriber-credential.ts'
import { NIL_ID } from '../lib/new-id.ts'

export interface PlainWebhook {
  readonly environmentId: string
  readonly id: string
  readonly endpoint: JsonObject
}

/** Locks and returns the next endpoints of the type `webhook` whose URL is not encrypted, in the order of their key. */
export async function plainWebhooks(
  db: Connection,
  { environmentId = NIL_ID, id = NIL_ID }: Partial<PlainWebhook>,
  take: number,
): Promise<PlainWebhook[]> {
  return sql<PlainWebhook>(db, 'plain-secret.plainWebhooks')`
    SELECT environment_id AS "environmentId", id, endpoint FROM channel_endpoints
    WHERE type = 'webhook' AND secret IS NULL AND (environment_id, id) > (${environmentId}::uuid, ${id}::uuid)
    ORDER BY environment_id, id ${limitTo(take)} FOR UPDATE`
}

/** Replaces the fields of endpoints by a public and an encrypted part. */
export async function writeEncryptedWebhooks(
  db: Connection,
  rows: readonly (PlainWebhook & { readonly secret: string | null })[],
): Promise<void> {
  await sqlCount(db, 'plain-secret.writeEncryptedWebhooks')`
    UPDATE channel_endpoints SET endpoint = given.endpoint, secret = given.secret
    FROM ${rowsOf(channelEndpointTable, rows)} AS given
    WHERE channel_endpoints.environment_id = given.environment_id AND channel_endpoints.id = given.id`
}

export interface PlainTokens {
  readonly environmentId: string
  readonly subscriberId: string
  readonly providerId: string
  readonly integrationIdentifier: string
  readonly deviceTokens: readonly string[]
}

/** Locks and returns the next credentials whose device tokens are not encrypted, in the order of their key. */
export async function plainTokens(
  db: Connection,
  { environmentId = NIL_ID, subscriberId = '', providerId = '', integrationIdentifier = '' }: Partial<PlainTokens>,
  take: number,
): Promise<PlainTokens[]> {
  return sql<PlainTokens>(db, 'plain-secret.plainTokens')`
    SELECT environment_id AS "environmentId", subscriber_id AS "subscriberId", provider_id AS "providerId",
           integration_identifier AS "integrationIdentifier", device_tokens AS "deviceTokens"
    FROM subscriber_credentials
    WHERE cardinality(device_tokens) > 0
      AND (environment_id, subscriber_id, provider_id, integration_identifier)
        > (${environmentId}::uuid, ${subscriberId}, ${providerId}, ${integrationIdentifier})
    ORDER BY environment_id, subscriber_id, provider_id, integration_identifier ${limitTo(take)} FOR UPDATE`
}

/** Replaces device tokens by their ciphertext. */
export async function writeEncryptedTokens(
  db: Connection,
  rows: readonly (PlainTokens & { readonly encryptedTokens: string | null })[],
): Promise<void> {
  await sqlCount(db, 'plain-secret.writeEncryptedTokens')`
    UPDATE subscriber_credentials AS stored SET device_tokens = '{}', encrypted_tokens = given.encrypted_tokens
    FROM ${rowsOf(credentialTable, rows)} AS given
    WHERE stored.environment_id = given.environment_id AND stored.subscriber_id = given.subscriber_id
      AND stored.provider_id = given.provider_id AND stored.integration_identifier = given.integration_identifier`
}
