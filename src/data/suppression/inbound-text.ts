// Inbound texts: rows, pages, and the subscribers that have their number.
import type { Connection } from '../connection/database.ts'
import { type InboundText as Row, Prisma } from '../prisma/client.ts'
import type { Tenant } from '../reading/loader.ts'
import { environmentPages, equalTo } from '../reading/page.ts'
import { type CreatedWithin, createdWithin } from '../reading/row-list.ts'
import { rowBy } from '../reading/row.ts'
import { limitTo, sql, sqlCount } from '../statement/statement.ts'
import { insertRows, type Table } from '../statement/table.ts'

const inboundTextTable: Table<Row> = {
  name: 'inbound_texts',
  fields: Object.values(Prisma.InboundTextScalarFieldEnum),
}

export const inboundTextsById = rowBy(inboundTextTable, { field: 'id', type: 'uuid' })

/** The maximum number of texts that an export has. */
const MAX_TEXTS = 1_000

/** Selects texts. Undefined fields match everything. */
export interface InboundTextFilter extends CreatedWithin {
  readonly fromNumber?: string | undefined
  readonly integrationIdentifier?: readonly string[] | undefined
}

const equal = equalTo<Pick<InboundTextFilter, 'fromNumber' | 'integrationIdentifier'>>({
  fromNumber: 'text',
  integrationIdentifier: 'text',
})

export const inboundTextPages = environmentPages<Row, InboundTextFilter>({
  name: 'inboundTexts',
  table: inboundTextTable,
  where: ({ fromNumber, integrationIdentifier, ...rest }) =>
    Prisma.sql`${equal({ fromNumber, integrationIdentifier })} ${createdWithin(rest)}`,
})

/** Adds a text, unless the integration has one with its key. @returns false if it has. */
export async function addInboundText(
  { db, environmentId }: Tenant,
  { createdAt, ...row }: Omit<Row, 'environmentId' | 'updatedAt'>,
): Promise<boolean> {
  const time = Prisma.sql`${createdAt}::timestamptz`
  const count = await sqlCount(db, 'inbound-text.addInboundText')`
    ${insertRows(inboundTextTable, [row], {
      environmentId: Prisma.sql`${environmentId}::uuid`,
      createdAt: time,
      updatedAt: time,
    })}
    ON CONFLICT (environment_id, integration_id, key) DO NOTHING`
  return count > 0
}

/**
 * The subscribers with a phone number: in their profile, or in a channel endpoint of an integration.
 *
 * @param spellings of the number in profiles.
 */
export async function subscribersWithNumber(
  { db, environmentId }: Tenant,
  spellings: readonly string[],
  { number, integrationIdentifier }: { readonly number: string; readonly integrationIdentifier: string },
): Promise<readonly string[]> {
  const rows = await sql<{ subscriberId: string }>(db, 'inbound-text.subscribersWithNumber')`
    SELECT subscriber_id AS "subscriberId" FROM subscribers
    WHERE environment_id = ${environmentId}::uuid AND lower(phone) = ANY (${[...spellings]}::text[])
    UNION
    SELECT subscriber_id FROM channel_endpoints
    WHERE environment_id = ${environmentId}::uuid AND integration_identifier = ${integrationIdentifier}
      AND type = 'phone' AND endpoint ->> 'phoneNumber' = ${number} AND subscriber_id IS NOT NULL
    ORDER BY 1`
  return rows.map(({ subscriberId }) => subscriberId)
}

/** The texts from numbers, newest first. They are kept for so short a time that there are few. */
export const textsFrom = ({ db, environmentId }: Tenant, numbers: readonly string[]) =>
  db.inboundText.findMany({
    where: { environmentId, fromNumber: { in: [...numbers] } },
    select: { fromNumber: true, toNumber: true, text: true, keyword: true, createdAt: true },
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    take: MAX_TEXTS,
  })

/** Deletes the texts from numbers. */
export async function deleteTextsFrom({ db, environmentId }: Tenant, numbers: readonly string[]): Promise<void> {
  if (numbers.length === 0) return
  await db.inboundText.deleteMany({ where: { environmentId, fromNumber: { in: [...numbers] } } })
}

/** Deletes a portion of the texts received before a time, of all environments. @returns their number. */
export const sweepInboundTexts = (db: Connection, before: Date, take: number): Promise<number> =>
  sqlCount(db, 'inbound-text.sweepInboundTexts')`
    DELETE FROM inbound_texts WHERE ctid = ANY (ARRAY(
      SELECT ctid FROM inbound_texts WHERE created_at < ${before}::timestamptz
      ORDER BY created_at ${limitTo(take)} FOR UPDATE SKIP LOCKED))`
