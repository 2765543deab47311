// Row and advisory locks, held until the end of the transaction.
import type pg from 'pg'
import type { Connection } from './connection/database.ts'
import type { Tenant } from './reading/loader.ts'
import { Prisma } from './prisma/client.ts'
import { sql, sqlCount } from './statement/statement.ts'
import { labelled } from './statement/label.ts'

/** An arbitrary number that no other advisory lock uses. */
const FIRST_START = 4_110_001

/** An arbitrary number that no other advisory lock uses. */
const ENCRYPTION = 4_110_003

/** An arbitrary number that no other advisory lock uses. */
const BACKUP = 4_110_004

const strengths = { change: Prisma.sql`NO KEY UPDATE`, delete: Prisma.sql`UPDATE` } as const

/**
 * Locks many subscribers, in the order of their ids, which prevents deadlocks.
 *
 * @param purpose `delete` also waits for transactions that rely on them. @returns the ids that exist.
 */
export async function lockSubscribers(
  { db, environmentId }: Tenant,
  subscriberIds: readonly string[],
  purpose: keyof typeof strengths = 'change',
): Promise<ReadonlySet<string>> {
  const rows = await sql<{ subscriberId: string }>(db, 'lock.lockSubscribers')`
    SELECT subscriber_id AS "subscriberId" FROM subscribers
    WHERE environment_id = ${environmentId}::uuid AND subscriber_id = ANY (${subscriberIds}::text[])
    ORDER BY subscriber_id FOR ${strengths[purpose]}`
  return new Set(rows.map(({ subscriberId }) => subscriberId))
}

/** Takes a shared lock that keeps a topic from being deleted. @returns false if it does not exist. */
export async function keepTopic({ db, environmentId }: Tenant, key: string): Promise<boolean> {
  const rows = await sql<unknown>(db, 'lock.keepTopic')`
    SELECT 1 FROM topics WHERE environment_id = ${environmentId}::uuid AND key = ${key} FOR KEY SHARE`
  return rows.length > 0
}

export interface KeptWorkflow {
  readonly id: string
  readonly identifier: string
  readonly critical: boolean
}

/** Takes shared locks that keep workflows, given by id or identifier, from being deleted. @returns those that exist. */
export async function keepWorkflows(
  { db, environmentId }: Tenant,
  names: readonly string[],
): Promise<readonly KeptWorkflow[]> {
  return sql<KeptWorkflow>(db, 'lock.keepWorkflows')`
    SELECT id, identifier, critical FROM workflows
    WHERE environment_id = ${environmentId}::uuid
      AND (identifier = ANY (${names}::text[]) OR id = ANY (${names.filter(isUuid)}::uuid[]))
    ORDER BY id FOR KEY SHARE`
}

/** True if a name is a valid id. */
export const isUuid = (name: string) => /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(name)

export interface KeptCategory {
  readonly id: string
  readonly key: string
}

const keepCategoriesWhere = ({ db, environmentId }: Tenant, condition: Prisma.Sql) =>
  sql<KeptCategory>(db, 'lock.keepCategories')`
    SELECT id, key FROM categories
    WHERE environment_id = ${environmentId}::uuid AND ${condition} ORDER BY id FOR KEY SHARE`

/** Takes shared locks that keep categories, given by key, from being deleted. @returns those that exist. */
export const keepCategories = (tenant: Tenant, keys: readonly string[]): Promise<readonly KeptCategory[]> =>
  keepCategoriesWhere(tenant, Prisma.sql`key = ANY (${[...keys]}::text[])`)

/** The same, given by id. */
export const keepCategoriesById = (tenant: Tenant, ids: readonly string[]): Promise<readonly KeptCategory[]> =>
  keepCategoriesWhere(tenant, Prisma.sql`id = ANY (${[...ids]}::uuid[])`)

/** Locks a category against deletion by others, after transactions that rely on it. */
export async function lockCategory({ db, environmentId }: Tenant, id: string): Promise<void> {
  await sql(db, 'lock.lockCategory')`
    SELECT 1 FROM categories WHERE environment_id = ${environmentId}::uuid AND id = ${id}::uuid FOR UPDATE`
}

/** Serializes changes to the primary integrations of an environment, or to the order of its categories. */
export async function lockEnvironment({ db, environmentId }: Tenant): Promise<void> {
  await sql(db, 'lock.lockEnvironment')`
    SELECT 1 FROM environments WHERE id = ${environmentId}::uuid FOR NO KEY UPDATE`
}

/** An object, by its identifier or by the id of its row. */
type Identified = { readonly identifier: string } | { readonly id: string }

export type IntegrationReference = Identified
export type WorkflowReference = Identified

const isIdentified = (object: Identified) =>
  'id' in object ? Prisma.sql`id = ${object.id}::uuid` : Prisma.sql`identifier = ${object.identifier}`

/** Locks an integration. @returns its id. Undefined if it does not exist. */
export async function lockIntegration(
  { db, environmentId }: Tenant,
  integration: IntegrationReference,
): Promise<string | undefined> {
  const [found] = await sql<{ id: string }>(db, 'lock.lockIntegration')`
    SELECT id FROM integrations
    WHERE environment_id = ${environmentId}::uuid AND ${isIdentified(integration)} FOR NO KEY UPDATE`
  return found?.id
}

/** Locks a workflow. @returns its identifier and version. Undefined if it does not exist. */
export async function lockWorkflow(
  { db, environmentId }: Tenant,
  workflow: WorkflowReference,
): Promise<{ readonly identifier: string; readonly version: number } | undefined> {
  const [found] = await sql<{ identifier: string; version: number }>(db, 'lock.lockWorkflow')`
    SELECT identifier, version FROM workflows
    WHERE environment_id = ${environmentId}::uuid AND ${isIdentified(workflow)} FOR NO KEY UPDATE`
  return found
}

/** Serializes changes to the environment tree of an organization. */
export async function lockOrganization(db: Connection, organizationId: string): Promise<void> {
  await sql(db, 'lock.lockOrganization')`
    SELECT 1 FROM organizations WHERE id = ${organizationId}::uuid FOR NO KEY UPDATE`
}

/** Serializes the first start, so that only one of several starting processes creates the first rows. */
export async function lockFirstStart(db: Connection): Promise<void> {
  await sqlCount(db, 'lock.lockFirstStart')`SELECT pg_advisory_xact_lock(${FIRST_START})`
}

/** Serializes the steps of a start that read or write all encrypted columns. */
export async function lockEncryption(db: Connection): Promise<void> {
  await sqlCount(db, 'lock.lockEncryption')`SELECT pg_advisory_xact_lock(${ENCRYPTION})`
}

/** Locks the database for one backup at a time. @returns false if another one is running. */
export async function lockBackup(connection: pg.ClientBase): Promise<boolean> {
  const { rows } = await connection.query<{ taken: boolean }>(
    labelled('lock.lockBackup', 'SELECT pg_try_advisory_xact_lock($1) AS taken'),
    [BACKUP],
  )
  return rows[0]?.taken === true
}
