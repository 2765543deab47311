// The operator at the command line, as a caller. Anyone who may open the database may do everything.
import type { Connection } from '../data/database.ts'
import { isUuid } from '../data/lock.ts'
import { refuse } from '../lib/errors.ts'
import { permissionsOf } from './permission.ts'
import type { OperatorCaller } from './scope.ts'

interface Entry {
  readonly id: string
  readonly name: string
  readonly organizationId: string
}

const entry = { id: true, name: true, organizationId: true } as const

/** Environments that an error names. */
const NAMED = 10

/** @throws Refusal `NOT_FOUND` with the names that exist. */
async function unknown(db: Connection, field: string, named: string) {
  const existing = await db.environment.findMany({ select: { name: true }, orderBy: { id: 'asc' }, take: NAMED })
  const names = existing.map(({ name }) => `"${name}"`).join(', ')
  const message =
    existing.length === 0
      ? 'The database has no environments: start the gateway once, which creates the first ones'
      : `${field} must be the name, the identifier or the id of an environment, such as ${names}: "${named}" was not found`
  return refuse('NOT_FOUND', message, field, named)
}

/** Finds an environment. An id and a public identifier are unique, a name only within its organization. */
async function environmentNamed(db: Connection, field: string, named: string): Promise<Entry> {
  const [exact] = await db.environment.findMany({
    where: { OR: [{ identifier: named }, ...(isUuid(named) ? [{ id: named }] : [])] },
    select: entry,
    take: 1,
  })
  if (exact !== undefined) return exact
  const [found, another] = await db.environment.findMany({ where: { name: named }, select: entry, take: 2 })
  if (found === undefined) throw await unknown(db, field, named)
  if (another === undefined) return found
  throw refuse('CONFLICT', `Several organizations have an environment "${named}": give its id instead`, field, named)
}

async function asOperator(db: Connection, { id: environmentId, organizationId }: Entry): Promise<OperatorCaller> {
  const { id: userId } = await db.user.findFirstOrThrow({
    where: { organizationId },
    orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
    select: { id: true },
  })
  return { kind: 'operator', access: 'admin', environmentId, organizationId, userId, permissions: permissionsOf.admin }
}

/**
 * Returns the operator as a caller in an environment.
 *
 * @param named the environment's id, public identifier or name.
 * @throws Refusal `NOT_FOUND`, or `CONFLICT` if several organizations have an environment with the name.
 */
export async function operatorIn(db: Connection, named: string, field = 'environment'): Promise<OperatorCaller> {
  return asOperator(db, await environmentNamed(db, field, named))
}

/** Returns the operator as a caller in the first environment of each organization. */
export async function operators(db: Connection): Promise<readonly OperatorCaller[]> {
  const organizations = await db.organization.findMany({
    orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
    select: { environments: { select: entry, orderBy: { id: 'asc' }, take: 1 } },
  })
  return Promise.all(organizations.flatMap(({ environments }) => environments).map((first) => asOperator(db, first)))
}
