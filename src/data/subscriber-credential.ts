// Credentials of subscribers for push and chat providers: rows and writes.
import type { Tenant } from './reading/loader.ts'
import { Prisma, type SubscriberCredential } from './prisma/client.ts'
import { rowsBy, type Table } from './reading/row.ts'
import { runStatement } from './statement/statement.ts'

const credentialTable: Table<SubscriberCredential> = {
  name: 'subscriber_credentials',
  fields: Object.values(Prisma.SubscriberCredentialScalarFieldEnum),
}

/** The credentials of subscribers as stored, by subscriberId, ordered by provider. */
export const storedCredentials = rowsBy(credentialTable, { field: 'subscriberId' }, [
  'providerId',
  'integrationIdentifier',
])

export interface CredentialRow {
  /** Used if there are no credentials of this provider and integration yet. */
  readonly id: string
  readonly subscriberId: string
  readonly providerId: string
  /** Empty string for all integrations of the provider. */
  readonly integrationIdentifier: string
  /** Encrypted. */
  readonly webhookUrl: string | null
  /** Encrypted. */
  readonly encryptedTokens: string | null
}

/** Inserts or replaces credentials. Of duplicates, the last wins. @param subscribers a join that selects them. */
export function credentialInsert(
  { environmentId }: Tenant,
  credentials: readonly CredentialRow[],
  now: Date,
  subscribers: Prisma.Sql = Prisma.empty,
): Prisma.Sql {
  const byChannel = new Map(
    credentials.map((row) => [JSON.stringify([row.subscriberId, row.providerId, row.integrationIdentifier]), row]),
  )
  return Prisma.sql`
    INSERT INTO subscriber_credentials (environment_id, id, subscriber_id, provider_id, integration_identifier,
                                        webhook_url, encrypted_tokens, created_at, updated_at)
    SELECT ${environmentId}::uuid, entry.id, "subscriberId", "providerId", "integrationIdentifier", "webhookUrl",
           "encryptedTokens", ${now}::timestamptz, ${now}::timestamptz
    FROM jsonb_to_recordset(${JSON.stringify([...byChannel.values()])}::jsonb)
      AS entry(id uuid, "subscriberId" text, "providerId" text, "integrationIdentifier" text, "webhookUrl" text,
               "encryptedTokens" text) ${subscribers}
    ON CONFLICT (environment_id, subscriber_id, provider_id, integration_identifier) DO UPDATE
      SET webhook_url = excluded.webhook_url, encrypted_tokens = excluded.encrypted_tokens, updated_at = excluded.updated_at`
}

/** Replaces the credentials of each subscriber, provider and integration given. The subscribers must be locked. */
export async function writeCredentials(
  tenant: Tenant,
  credentials: readonly CredentialRow[],
  now: Date,
): Promise<void> {
  if (credentials.length > 0) await runStatement(tenant.db, credentialInsert(tenant, credentials, now))
}
