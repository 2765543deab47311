// Placement: the database with the rows of an environment, and the copy of the environment there.
import { z } from 'zod'
import { missingDatabases } from '../../data/access/environment.ts'
import { detachOrphans, differingCopies, readOriginal, writeCopy } from '../../data/access/environment-copy.ts'
import { lockOrganization } from '../../data/lock.ts'
import type { Environment } from '../../data/prisma/client.ts'
import { refuse } from '../../lib/errors.ts'
import { MAIN_DATABASE } from '../resolver/databases.ts'
import type { Gateway, Scope } from '../resolver/scope.ts'

/** The field of an input that places a new environment. */
export const placementFields = {
  database: z.string().max(63).nullish().meta({
    description: 'Name of the database for the rows of the environment. Default: as configured, usually `main`.',
  }),
}

/** Returns the database for a new environment. @throws Refusal `INVALID` if the installation has no such database. */
export function placementOf({ databases }: Pick<Scope, 'databases'>, named: string | null | undefined): string | null {
  if (named == null) return databases.forNewEnvironments
  if (named === MAIN_DATABASE) return null
  if (databases.names.includes(named)) return named
  const known = [MAIN_DATABASE, ...databases.names].map((name) => `"${name}"`).join(', ')
  throw refuse('INVALID', `database must be one of ${known}`, 'database', named)
}

/**
 * Writes what has changed of an environment into the database with its rows. Call it last in the transaction on the main
 * database: if the other one is away, nothing changes in either. It uses a connection of its own, because no transaction
 * spans two databases. Housekeeping repairs the copy if the transaction fails afterwards.
 *
 * @throws Refusal `UNAVAILABLE`
 */
export async function copyEnvironment({ db, databases }: Scope, environment: Environment): Promise<void> {
  const { database, organizationId } = environment
  if (database === null) return
  const organization =
    organizationId === null ? null : await db.organization.findUnique({ where: { id: organizationId } })
  await writeCopy(databases.at(database).db, { environment, organization })
}

/** Milliseconds after which a copy without an environment in the main database is taken to be left over. */
const LEFT_OVER = 60 * 60_000

/**
 * Repairs the copies of environments in a database beside the main one. Holds the lock of each environment's organization
 * while its copy is written, so that no change of it happens in between.
 *
 * @returns the number of copies that differed.
 */
export async function repairCopies({ db, database, databases, now }: Gateway): Promise<number> {
  if (database === null) return 0
  const main = databases.at(null).db
  const differing = await differingCopies(main, db, database)
  for (const id of differing) {
    await main.$transaction(async (inner) => {
      const seen = await readOriginal(inner, id)
      if (seen?.organization) await lockOrganization(inner, seen.organization.id)
      const original = await readOriginal(inner, id)
      if (original !== undefined) await writeCopy(db, original)
    })
  }
  const orphans = await detachOrphans(main, db, new Date(now().getTime() - LEFT_OVER))
  return differing.length + orphans
}

/** @throws Error if environments have their rows in a database that is not configured. */
export async function assertKnownDatabases({ db, databases }: Pick<Gateway, 'db' | 'databases'>): Promise<void> {
  const [missing] = await missingDatabases(db, databases.names)
  if (missing === undefined) return
  const { database, count } = missing
  throw new Error(`DATABASES lacks the database "${database}", which has the rows of ${count} environments`)
}
