// The record of consent: changes of subscribers' choices, with their sources. Rows are never changed.
import type { Channel, PreferenceChangeSource } from '../prisma/enums.ts'
import { Prisma, type PreferenceChange } from '../prisma/client.ts'
import type { Tenant } from '../reading/loader.ts'
import { equalTo, inContexts, pagesBy } from '../reading/page.ts'
import { type CreatedWithin, createdWithin } from '../reading/row-list.ts'
import { sqlCount } from '../statement/statement.ts'
import { insertRows, type Table } from '../statement/table.ts'

const changeTable: Table<PreferenceChange> = {
  name: 'preference_changes',
  fields: Object.values(Prisma.PreferenceChangeScalarFieldEnum),
}

/** Selects changes. Undefined fields match everything. */
interface PreferenceChangeFilter extends CreatedWithin {
  readonly source?: readonly PreferenceChangeSource[] | undefined
  readonly channel?: readonly Channel[] | undefined
  readonly workflowIdentifier?: readonly string[] | undefined
  readonly categoryKey?: readonly string[] | undefined
  /** The exact set of contexts, sorted, duplicates removed. */
  readonly contextKeys?: readonly string[] | undefined
}

const equal = equalTo<Omit<PreferenceChangeFilter, keyof CreatedWithin | 'contextKeys'>>({
  source: '"PreferenceChangeSource"',
  channel: '"Channel"',
  workflowIdentifier: 'text',
  categoryKey: 'text',
})

/** Pages of the changes of subscribers, by subscriberId. A subscriber has few, so one index serves every filter. */
export const changesBySubscriber = pagesBy<PreferenceChange, PreferenceChangeFilter>(
  {
    name: 'preferenceChanges',
    table: changeTable,
    where: (filter) => Prisma.sql`${equal(filter)} ${inContexts(filter)} ${createdWithin(filter)}`,
  },
  { field: 'subscriberId' },
)

/** A change to record. */
export type NewPreferenceChange = Omit<PreferenceChange, 'environmentId' | 'createdAt'>

/** Records changes, in one statement. Their subscribers must be locked. */
export async function recordChanges(
  { db, environmentId }: Tenant,
  rows: readonly NewPreferenceChange[],
  now: Date,
): Promise<void> {
  if (rows.length === 0) return
  const computed = { environmentId: Prisma.sql`${environmentId}::uuid`, createdAt: Prisma.sql`${now}::timestamptz` }
  await sqlCount(db, 'preference-change.recordChanges')`${insertRows(changeTable, rows, computed)}`
}
