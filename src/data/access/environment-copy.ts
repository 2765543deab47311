// Copies of environments in the databases that have their rows: the row itself, and its organization.
import type { Connection } from '../connection/database.ts'
import { type Environment, type Organization, Prisma } from '../prisma/client.ts'

/** An environment with its organization. Null if the environment was deleted. */
export interface CopiedEnvironment {
  readonly environment: Environment
  readonly organization: Organization | null
}

/** Environments of a page. */
const PAGE = 500

/**
 * Copies an environment, or brings its copy up to date. The copy has no parent and no creator, which may be in other
 * databases. Its version is its own.
 */
export async function writeCopy(db: Connection, { environment, organization }: CopiedEnvironment): Promise<void> {
  const { id, ...columns } = environment
  const { brand, version: _, ...own } = columns
  const row = { ...own, parentId: null, creatorId: null, brand: brand ?? Prisma.DbNull }
  if (organization !== null) {
    await db.organization.upsert({
      where: { id: organization.id },
      create: organization,
      update: organization,
      select: { id: true },
    })
  }
  await db.environment.upsert({ where: { id }, create: { id, ...row }, update: row, select: { id: true } })
}

/** What a copy has in common with its original. */
const shared = ({ environment, organization }: CopiedEnvironment): string => {
  const { parentId: _parent, creatorId: _creator, version: _version, ...own } = environment
  return JSON.stringify([own, organization])
}

interface WithOrganization extends Environment {
  readonly organization: Organization | null
}

const separate = ({ organization, ...environment }: WithOrganization): CopiedEnvironment => ({
  environment,
  organization,
})

/** Reads environments with their organizations, in pages ordered by id. */
async function* pages(
  db: Connection,
  where: Prisma.EnvironmentWhereInput,
): AsyncGenerator<readonly CopiedEnvironment[]> {
  for (let after: string | undefined; ;) {
    const found: readonly WithOrganization[] = await db.environment.findMany({
      where: { AND: [where, after === undefined ? {} : { id: { gt: after } }] },
      include: { organization: true },
      orderBy: { id: 'asc' },
      take: PAGE,
    })
    if (found.length > 0) yield found.map(separate)
    if (found.length < PAGE) return
    after = found.at(-1)?.id
  }
}

/** Reads the environments with these ids. */
async function byId(db: Connection, ids: readonly string[]): Promise<ReadonlyMap<string, CopiedEnvironment>> {
  const found = await db.environment.findMany({ where: { id: { in: [...ids] } }, include: { organization: true } })
  return new Map(found.map((row) => [row.id, separate(row)]))
}

/** Reads an environment of the main database. Undefined if it does not exist. */
export async function readOriginal(main: Connection, id: string): Promise<CopiedEnvironment | undefined> {
  return (await byId(main, [id])).get(id)
}

const idsOf = (page: readonly CopiedEnvironment[]) => page.map(({ environment }) => environment.id)

/**
 * Finds the environments whose copies in a database are missing or differ. A change in progress differs too, so read them
 * again under its lock.
 *
 * @param name the name of the database.
 */
export async function differingCopies(main: Connection, db: Connection, name: string): Promise<readonly string[]> {
  const differing: string[] = []
  for await (const page of pages(main, { database: name })) {
    const copies = await byId(db, idsOf(page))
    for (const original of page) {
      const { id } = original.environment
      const copy = copies.get(id)
      if (copy === undefined || shared(copy) !== shared(original)) differing.push(id)
    }
  }
  return differing
}

/**
 * Deletes the copies whose environments the main database does not have: their rows are deleted in the background.
 *
 * @param before the time before which they were created. A newer one may belong to a transaction in progress.
 * @returns their number.
 */
export async function detachOrphans(main: Connection, db: Connection, before: Date): Promise<number> {
  let count = 0
  for await (const page of pages(db, { organizationId: { not: null }, createdAt: { lt: before } })) {
    const originals = await byId(main, idsOf(page))
    const orphans = idsOf(page).filter((id) => !originals.has(id))
    if (orphans.length === 0) continue
    const where = { id: { in: orphans } }
    count += (await db.environment.updateMany({ where, data: { organizationId: null } })).count
  }
  return count
}
