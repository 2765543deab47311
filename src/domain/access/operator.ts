// The operator at the command line, as a caller. Anyone who may open the database has every right.
import { firstEnvironments } from '../../data/access/environment.ts'
import type { Connection } from '../../data/connection/database.ts'
import { isUuid } from '../../data/lock.ts'
import type { Prisma } from '../../data/prisma/client.ts'
import { refuse } from '../../lib/errors.ts'
import { permissionsOf } from '../resolver/permission.ts'
import type { OperatorCaller } from '../resolver/caller.ts'

interface Entry {
  readonly id: string
  readonly organizationId: string
  readonly database: string | null
}

const entry = { id: true, organizationId: true, database: true } as const

/** Deleted environments are left out. */
const isOfOrganization = { organizationId: { not: null } } as const

/** Maximum number of environments that an error lists. */
const NAMED = 10

/** @throws Refusal `NOT_FOUND` that lists the existing names. */
async function unknown(db: Connection, field: string, named: string) {
  const existing = await db.environment.findMany({
    where: isOfOrganization,
    select: { name: true },
    orderBy: { id: 'asc' },
    take: NAMED,
  })
  const names = existing.map(({ name }) => `"${name}"`).join(', ')
  const message =
    existing.length === 0
      ? 'The database has no environments: start the gateway once, which creates the first ones'
      : `${field} must be the name, the identifier or the id of an environment, such as ${names}: "${named}" was not found`
  return refuse('NOT_FOUND', message, field, named)
}

/** The first two environments that match a condition. */
async function entriesWhere(db: Connection, where: Prisma.EnvironmentWhereInput): Promise<Entry[]> {
  const rows = await db.environment.findMany({ where: { ...where, ...isOfOrganization }, select: entry, take: 2 })
  return rows.flatMap(({ organizationId, ...row }) => (organizationId === null ? [] : [{ ...row, organizationId }]))
}

/** Finds an environment. An id or public identifier is unique; a name is unique only within its organization. */
async function environmentNamed(db: Connection, field: string, named: string): Promise<Entry> {
  const [exact] = await entriesWhere(db, { OR: [{ identifier: named }, ...(isUuid(named) ? [{ id: named }] : [])] })
  if (exact !== undefined) return exact
  const [found, another] = await entriesWhere(db, { name: named })
  if (found === undefined) throw await unknown(db, field, named)
  if (another === undefined) return found
  throw refuse('CONFLICT', `Several organizations have an environment "${named}": give its id instead`, field, named)
}

function asOperator({ id: environmentId, organizationId, database, userId }: Entry & { readonly userId: string }) {
  const permissions = permissionsOf.admin
  return { kind: 'operator', access: 'admin', environmentId, organizationId, database, userId, permissions } as const
}

/**
 * Returns the operator as a caller in an environment.
 *
 * @param named the environment's id, public identifier or name.
 * @throws Refusal `NOT_FOUND`, or `CONFLICT` if several organizations have an environment with that name.
 */
export async function operatorIn(db: Connection, named: string, field = 'environment'): Promise<OperatorCaller> {
  const found = await environmentNamed(db, field, named)
  const { id: userId } = await db.user.findFirstOrThrow({
    where: { organizationId: found.organizationId },
    orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
    select: { id: true },
  })
  return asOperator({ ...found, userId })
}

/** Returns the operator as a caller in the first environment of each organization. */
export async function operators(db: Connection): Promise<readonly OperatorCaller[]> {
  return (await firstEnvironments(db)).map(asOperator)
}
