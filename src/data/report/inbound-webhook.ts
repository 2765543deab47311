// Inbound webhooks: what integrations need to receive reports of their providers, and the tokens of used signatures.
import type { Connection } from '../connection/database.ts'
import { rowBatch, type Tenant } from '../reading/loader.ts'
import { type InboundWebhook, type Integration, Prisma } from '../prisma/client.ts'
import { limitTo, sql, sqlCount } from '../statement/statement.ts'

/** What an integration needs to receive reports, and when the last one arrived. */
export interface ReportSetup
  extends Pick<Integration, 'id' | 'identifier' | 'credentials'>, Pick<InboundWebhook, 'tokenHash' | 'lastReportAt'> {}

export const reportSetupsByIntegration = rowBatch(
  ({ db, environmentId }, ids) => sql<ReportSetup>(db, 'inbound-webhook.reportSetupsByIntegration')`
    SELECT integration.id, integration.identifier, integration.credentials, webhook.token_hash AS "tokenHash",
           webhook.last_report_at AS "lastReportAt"
    FROM integrations AS integration
    LEFT JOIN inbound_webhooks AS webhook
      ON webhook.environment_id = ${environmentId}::uuid AND webhook.integration_id = integration.id
    WHERE integration.environment_id = ${environmentId}::uuid AND integration.id = ANY (${ids}::uuid[])`,
  ({ id }) => id,
)

/** An integration to which a provider reports. */
export interface ReportingIntegration extends ReportSetup, Pick<Integration, 'environmentId' | 'providerId'> {
  readonly organizationId: string
}

/** The names in the URL of a report: row ids or identifiers. */
export interface ReportAddress {
  readonly environment: string
  readonly integration: string
}

const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i

const named = (alias: string, name: string): Prisma.Sql =>
  uuid.test(name)
    ? Prisma.sql`(${Prisma.raw(alias)}.id = ${name}::uuid OR ${Prisma.raw(alias)}.identifier = ${name})`
    : Prisma.sql`${Prisma.raw(alias)}.identifier = ${name}`

/** Finds the integration of a report. Undefined if it does not exist, or its environment was deleted. */
export async function findReportingIntegration(
  db: Connection,
  { environment, integration }: ReportAddress,
): Promise<ReportingIntegration | undefined> {
  const [row] = await sql<ReportingIntegration>(db, 'inbound-webhook.findReportingIntegration')`
    SELECT integration.environment_id AS "environmentId", environment.organization_id AS "organizationId",
           integration.id, integration.identifier, integration.provider_id AS "providerId", integration.credentials,
           webhook.token_hash AS "tokenHash", webhook.last_report_at AS "lastReportAt"
    FROM environments AS environment
    JOIN integrations AS integration
      ON integration.environment_id = environment.id AND ${named('integration', integration)}
    LEFT JOIN inbound_webhooks AS webhook
      ON webhook.environment_id = integration.environment_id AND webhook.integration_id = integration.id
    WHERE ${named('environment', environment)} AND environment.organization_id IS NOT NULL
    LIMIT 1`
  return row
}

/** Returns the database with the rows of an environment. Null for the main one, and if the environment does not exist. */
export async function findDatabase(db: Connection, environment: string): Promise<string | null> {
  const [row] = await sql<{ readonly database: string | null }>(db, 'inbound-webhook.findDatabase')`
    SELECT environment.database FROM environments AS environment WHERE ${named('environment', environment)} LIMIT 1`
  return row?.database ?? null
}

/** Stores the hash of the token of an integration, in place of an earlier one. */
export async function storeTokenHash(
  { db, environmentId }: Tenant,
  integrationId: string,
  tokenHash: string,
): Promise<InboundWebhook> {
  return db.inboundWebhook.upsert({
    where: { environmentId_integrationId: { environmentId, integrationId } },
    create: { environmentId, integrationId, tokenHash },
    update: { tokenHash },
  })
}

/** Stores when an integration received its last report. */
export async function noteLastReport({ db, environmentId }: Tenant, integrationId: string, at: Date): Promise<void> {
  await sqlCount(db, 'inbound-webhook.noteLastReport')`
    INSERT INTO inbound_webhooks AS stored (environment_id, integration_id, last_report_at)
    SELECT ${environmentId}::uuid, id, ${at}::timestamptz FROM integrations
    WHERE environment_id = ${environmentId}::uuid AND id = ${integrationId}::uuid
    ON CONFLICT (environment_id, integration_id) DO UPDATE
      SET last_report_at = greatest(stored.last_report_at, excluded.last_report_at)`
}

/** Stores the hash of a token that may be used once. @returns false if it was used before. */
export async function useSignature(
  { db, environmentId }: Tenant,
  integrationId: string,
  { hash, expiresAt }: { readonly hash: string; readonly expiresAt: Date },
): Promise<boolean> {
  const added = await sqlCount(db, 'inbound-webhook.useSignature')`
    INSERT INTO used_signatures (environment_id, integration_id, hash, expires_at)
    VALUES (${environmentId}::uuid, ${integrationId}::uuid, ${hash}, ${expiresAt}::timestamptz)
    ON CONFLICT (environment_id, integration_id, hash) DO NOTHING`
  return added === 1
}

/** Deletes a portion of the signatures that are too old to be used again. @returns the number of deleted rows. */
export const sweepSignatures = (db: Connection, now: Date, take: number): Promise<number> =>
  sqlCount(db, 'inbound-webhook.sweepSignatures')`
    DELETE FROM used_signatures WHERE ctid = ANY (ARRAY(
      SELECT ctid FROM used_signatures WHERE expires_at <= ${now}::timestamptz
      ORDER BY expires_at ${limitTo(take)} FOR UPDATE SKIP LOCKED))`
