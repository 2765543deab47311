// The finding of `doctor` about environments that allow unsigned sessions.
import type { Gateway } from '../../domain/resolver/scope.ts'
import { type Finding, ok, warning } from './finding.ts'

/** Maximum number of environments to name. */
const MAX_NAMED = 10

export async function sessionFinding({ db }: Pick<Gateway, 'db'>): Promise<Finding> {
  const check = 'browser sessions'
  const open = { where: { organizationId: { not: null }, allowsUnsignedSessions: true } }
  const [count, named] = await Promise.all([
    db.environment.count(open),
    db.environment.findMany({ ...open, select: { name: true }, orderBy: { id: 'asc' }, take: MAX_NAMED }),
  ])
  if (count === 0) return ok(check, 'every environment requires a hash')
  const names = named.map(({ name }) => `"${name}"`).join(', ')
  const others = count > named.length ? ` and ${count - named.length} more` : ''
  return warning(
    check,
    `anyone can read every feed of ${names}${others}: sign sessions in the back end, and set allowsUnsignedSessions to false`,
  )
}
