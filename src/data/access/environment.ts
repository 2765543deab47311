// Environments: rows and pages.
import type { Connection } from '../connection/database.ts'
import { type Batch, groupBatch, rowBatch } from '../reading/loader.ts'
import { organizationPages } from '../reading/page.ts'
import { type Environment, Prisma } from '../prisma/client.ts'
import { selectList, type Table } from '../statement/table.ts'
import { sql } from '../statement/statement.ts'

const environmentTable: Table<Environment> = {
  name: 'environments',
  fields: Object.values(Prisma.EnvironmentScalarFieldEnum),
}

/** The condition for rows of the organization of an environment. */
export const inOrganizationOf = (environmentId: string): Prisma.Sql =>
  Prisma.sql`organization_id = (SELECT organization_id FROM environments WHERE id = ${environmentId}::uuid)`

/**
 * Environments of the tenant's organization, by id. All environments of an organization can be read from each of them.
 */
export const environmentsById = rowBatch<Environment>(
  ({ db, environmentId }, ids) =>
    sql<Environment>(db, 'environment.environmentsById')`
      SELECT ${selectList(environmentTable, 'child')} FROM environments AS child
      WHERE id = ANY (${[...ids]}::uuid[]) AND ${inOrganizationOf(environmentId)}`,
  ({ id }) => id,
)

/** An environment, and the environment whose API key created it. */
export type Creation = Pick<Environment, 'id' | 'creatorId'>

/** The creators of all environments of the tenant's organization, by organization id. */
export const creationsOfOrganization: Batch<string, readonly Creation[]> = groupBatch(
  ({ db, environmentId }, ids) =>
    sql<Creation & { readonly organizationId: string }>(db, 'environment.creationsOfOrganization')`
      SELECT organization_id AS "organizationId", id, creator_id AS "creatorId" FROM environments
      WHERE organization_id = ANY (${ids}::uuid[]) AND ${inOrganizationOf(environmentId)}`,
  ({ organizationId }) => organizationId,
)

/** An organization with its first environment and its first user. */
interface FirstEnvironment extends Pick<Environment, 'id' | 'database'> {
  readonly organizationId: string
  readonly userId: string
}

/** The first environment of each organization, oldest organizations first. The cost does not depend on the others. */
export const firstEnvironments = (db: Connection): Promise<FirstEnvironment[]> =>
  sql<FirstEnvironment>(db, 'environment.firstEnvironments')`
    SELECT organization.id AS "organizationId", environment.id, environment.database, member.id AS "userId"
    FROM organizations AS organization
    CROSS JOIN LATERAL (
      SELECT id, database FROM environments WHERE organization_id = organization.id ORDER BY id LIMIT 1
    ) AS environment
    CROSS JOIN LATERAL (
      SELECT id FROM users WHERE organization_id = organization.id ORDER BY created_at, id LIMIT 1
    ) AS member
    ORDER BY organization.created_at, organization.id`

/** Pages of an organization's environments, by organization id. */
export const environmentsOfOrganization = organizationPages<Environment, null>({
  name: 'environments',
  table: environmentTable,
  texts: { name: 'child.name' },
  where: () => Prisma.empty,
})

interface PlacedEnvironments {
  readonly database: string
  /** The number of environments with their rows there. */
  readonly count: number
}

/** The databases with rows of environments that are not among the given names. */
export const missingDatabases = (db: Connection, names: readonly string[]): Promise<PlacedEnvironments[]> =>
  sql<PlacedEnvironments>(db, 'environment.missingDatabases')`
    SELECT database, count(*)::int AS count FROM environments
    WHERE database IS NOT NULL AND database <> ALL (${[...names]}::text[]) GROUP BY database ORDER BY database`
