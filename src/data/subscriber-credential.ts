// Credentials of subscribers for push and chat providers: rows and writes.
import type { Tenant } from './reading/loader.ts'
import { Prisma, type SubscriberCredential } from './prisma/client.ts'
import { rowsBy } from './reading/row.ts'
import { createdIn, insertRows, type Table } from './statement/table.ts'
import { sql } from './statement/statement.ts'

export const credentialTable: Table<SubscriberCredential> = {
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

/** Inserts or replaces credentials. Of duplicates, the last wins. @param subscribers a join of `given` that selects them. */
export function credentialInsert(
  tenant: Tenant,
  credentials: readonly CredentialRow[],
  now: Date,
  subscribers: Prisma.Sql = Prisma.empty,
): Prisma.Sql {
  const byChannel = new Map(
    credentials.map((row) => [JSON.stringify([row.subscriberId, row.providerId, row.integrationIdentifier]), row]),
  )
  return Prisma.sql`
    ${insertRows(credentialTable, [...byChannel.values()], {
      ...createdIn(tenant, now),
      deviceTokens: Prisma.sql`'{}'`,
    })} ${subscribers}
    ON CONFLICT (environment_id, subscriber_id, provider_id, integration_identifier) DO UPDATE
      SET webhook_url = excluded.webhook_url, encrypted_tokens = excluded.encrypted_tokens, updated_at = excluded.updated_at`
}

/** Replaces the credentials of each subscriber, provider and integration given. The subscribers must be locked. */
export async function writeCredentials(
  tenant: Tenant,
  credentials: readonly CredentialRow[],
  now: Date,
): Promise<void> {
  if (credentials.length > 0)
    await sql(tenant.db, 'subscriber-credential.writeCredentials')`${credentialInsert(tenant, credentials, now)}`
}
