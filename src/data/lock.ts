// What a write holds until its transaction ends, so that what it read stays true.
import type { Connection } from './database.ts'
import type { Tenant } from './loader.ts'

/** Any number: what matters is that no other lock of ours has it. */
const FIRST_START = 4_110_001

/** Holds a subscriber, if it exists. Rows that only refer to it can be written meanwhile. */
export async function lockSubscriber({ db, environmentId }: Tenant, subscriberId: string): Promise<void> {
  await db.$queryRaw`
    SELECT 1 FROM subscribers
    WHERE environment_id = ${environmentId}::uuid AND subscriber_id = ${subscriberId}
    FOR NO KEY UPDATE`
}

/**
 * Holds many subscribers. In the order of their ids, so that two who want the same ones never wait in a circle.
 *
 * @returns the ids of those that exist.
 */
export async function lockSubscribers(
  { db, environmentId }: Tenant,
  subscriberIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await db.$queryRaw<{ subscriberId: string }[]>`
    SELECT subscriber_id AS "subscriberId" FROM subscribers
    WHERE environment_id = ${environmentId}::uuid AND subscriber_id = ANY (${subscriberIds}::text[])
    ORDER BY subscriber_id FOR NO KEY UPDATE`
  return new Set(rows.map(({ subscriberId }) => subscriberId))
}

/** Keeps a topic from being deleted; others may do so too. False when there is none. */
export async function keepTopic({ db, environmentId }: Tenant, key: string): Promise<boolean> {
  const rows = await db.$queryRaw<unknown[]>`
    SELECT 1 FROM topics WHERE environment_id = ${environmentId}::uuid AND key = ${key} FOR KEY SHARE`
  return rows.length > 0
}

export interface KeptWorkflow {
  readonly id: string
  readonly identifier: string
}

/** Keeps the workflows that are named by id or identifier from being deleted; others may do so too. */
export async function keepWorkflows(
  { db, environmentId }: Tenant,
  names: readonly string[],
): Promise<readonly KeptWorkflow[]> {
  return db.$queryRaw<KeptWorkflow[]>`
    SELECT id, identifier FROM workflows
    WHERE environment_id = ${environmentId}::uuid
      AND (identifier = ANY (${names}::text[]) OR id = ANY (${names.filter(isUuid)}::uuid[]))
    ORDER BY id FOR KEY SHARE`
}

const isUuid = (name: string) => /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(name)

/** Holds which integrations of an environment are primary: one change to that at a time. */
export async function lockPrimaries({ db, environmentId }: Tenant): Promise<void> {
  await db.$queryRaw`SELECT 1 FROM environments WHERE id = ${environmentId}::uuid FOR NO KEY UPDATE`
}

/** Holds an organization: one change to its tree of environments at a time. */
export async function lockOrganization(db: Connection, organizationId: string): Promise<void> {
  await db.$queryRaw`SELECT 1 FROM organizations WHERE id = ${organizationId}::uuid FOR NO KEY UPDATE`
}

/** Holds what the first start makes, so that of processes that start at the same time one makes it. */
export async function lockFirstStart(db: Connection): Promise<void> {
  await db.$executeRaw`SELECT pg_advisory_xact_lock(${FIRST_START})`
}
