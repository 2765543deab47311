// Deletes contexts that were created on first use and that nothing refers to any more.
import { z } from 'zod'
import { deleteStaleContexts, staleContexts, withoutReferences } from '../data/housekeeping/unused-context.ts'
import { audit } from './resolver/audit.ts'
import { contextKey } from './context.ts'
import { unwrappedMutation } from './resolver/resolver.ts'

const DAY = 86_400_000

/** Contexts to check in one call. */
export const CHECKED_AT_ONCE = 5_000

/**
 * The minimum of `unusedDays`. A use is recorded up to a day late. After another day, the transaction that used the
 * context has ended, and clock differences no longer matter.
 */
export const MIN_UNUSED_DAYS = 2

export const MAX_UNUSED_DAYS = 3650
export const DEFAULT_UNUSED_DAYS = 30
const range = `must be a whole number from ${MIN_UNUSED_DAYS} to ${MAX_UNUSED_DAYS}`

interface UnusedContexts {
  /** The number of deleted contexts. In a dry run, the number of contexts that a call would delete. */
  readonly deleted: number
  /** The `after` of the next call. Null after the last contexts. */
  readonly next: string | null
}

/**
 * Checks the next `CHECKED_AT_ONCE` contexts of the environment, in the order of their keys. Deletes contexts that were
 * created on first use, were not named by a write for `unusedDays`, and are not referred to by an event, notification,
 * topic subscription, channel endpoint or preference. Reads all of these rows, in short statements: about 2 s for each
 * million.
 */
export const deleteUnusedContexts = unwrappedMutation({
  name: 'context.deleteUnused',
  permission: 'context:write',
  rate: { category: 'configuration', cost: 100 },
  input: z.object({
    unusedDays: z.int(range).min(MIN_UNUSED_DAYS, range).max(MAX_UNUSED_DAYS, range).nullish(),
    dryRun: z.boolean().nullish(),
    after: contextKey.nullish(),
  }),
  async run(scope, { unusedDays, dryRun, after }): Promise<UnusedContexts> {
    const days = unusedDays ?? DEFAULT_UNUSED_DAYS
    const before = new Date(scope.now().getTime() - days * DAY)
    const page = await staleContexts(scope, { before, after: after ?? undefined, take: CHECKED_AT_ONCE })
    const next = page.next ?? null
    const unused = await withoutReferences(scope, page.keys)
    if (dryRun === true || unused.length === 0) return { deleted: unused.length, next }
    const deleted = await scope.atomic((inner) => deleteStaleContexts(inner, unused, before))
    audit(scope, 'unused contexts deleted', { environmentId: scope.environmentId, deleted })
    return { deleted, next }
  },
})
