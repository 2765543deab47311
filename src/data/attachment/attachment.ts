// Attachments: their bytes in pieces, and the events that use them. Equal bytes are stored once in an environment.
import { type Attachment as Row, type EventAttachment, Prisma } from '../prisma/client.ts'
import { type Batch, type Tenant } from '../reading/loader.ts'
import { rowBy } from '../reading/row.ts'
import { limitTo, sql, sqlCount } from '../statement/statement.ts'
import { insertRows, selectList, type Table } from '../statement/table.ts'

/** An attachment without its bytes. Its `sha256` is null until all have arrived. */
export type StoredAttachment = Row

const attachmentTable: Table<StoredAttachment> = {
  name: 'attachments',
  fields: Object.values(Prisma.AttachmentScalarFieldEnum),
}

const eventAttachmentTable: Table<EventAttachment> = {
  name: 'event_attachments',
  fields: Object.values(Prisma.EventAttachmentScalarFieldEnum),
}

export const attachmentsById = rowBy(attachmentTable, { field: 'id', type: 'uuid' })

/** Creates an attachment whose bytes follow. */
export async function beginAttachment(
  { db, environmentId }: Tenant,
  given: Pick<Row, 'id' | 'name' | 'contentType' | 'lastUsedAt'>,
  now: Date,
): Promise<void> {
  const row = { ...given, size: 0, createdAt: now }
  await sqlCount(db, 'attachment.beginAttachment')`
    ${insertRows(attachmentTable, [row], { environmentId: Prisma.sql`${environmentId}::uuid` })}`
}

/** Adds the next piece of the bytes. */
export async function addPiece(
  { db, environmentId }: Tenant,
  id: string,
  position: number,
  data: Uint8Array,
): Promise<void> {
  await sql<object>(db, 'attachment.addPiece')`
    INSERT INTO attachment_chunks (environment_id, attachment_id, position, data)
    VALUES (${environmentId}::uuid, ${id}::uuid, ${position}::int, ${data}::bytea) RETURNING position`
}

/**
 * Ends an attachment whose bytes have arrived. If the environment has equal bytes already, they are used instead, with
 * the new name and type. Call it in a transaction.
 *
 * @returns the attachment that has the bytes.
 */
export async function endAttachment(
  { db, environmentId }: Tenant,
  {
    id,
    name,
    contentType,
    sha256,
    size,
    lastUsedAt,
  }: Pick<Row, 'id' | 'name' | 'contentType' | 'size' | 'lastUsedAt'> & { sha256: string },
): Promise<StoredAttachment> {
  // Two uploads of equal bytes at a time: the second one waits here for the first.
  await sqlCount(db, 'attachment.endAttachment')`
    SELECT pg_advisory_xact_lock(hashtextextended(${`attachment ${environmentId} ${sha256}`}, 0))`
  const [equal] = await sql<StoredAttachment>(db, 'attachment.useEqualBytes')`
    UPDATE attachments AS attachment
    SET name = ${name}, content_type = ${contentType}, last_used_at = greatest(last_used_at, ${lastUsedAt}::timestamptz)
    WHERE environment_id = ${environmentId}::uuid AND sha256 = ${sha256} RETURNING ${selectList(attachmentTable, 'attachment')}`
  const where = { environmentId_id: { environmentId, id } }
  if (equal === undefined) return db.attachment.update({ where, data: { name, contentType, sha256, size, lastUsedAt } })
  await db.attachment.delete({ where })
  return equal
}

/** Deletes an attachment whose bytes did not arrive. */
export async function dropAttachment({ db, environmentId }: Tenant, id: string): Promise<void> {
  await sqlCount(db, 'attachment.dropAttachment')`
    DELETE FROM attachments WHERE environment_id = ${environmentId}::uuid AND id = ${id}::uuid AND sha256 IS NULL`
}

/** Notes that attachments are used, so that they are kept for now. @returns those that exist. */
export function touchAttachments(
  { db, environmentId }: Tenant,
  ids: readonly string[],
  now: Date,
): Promise<Pick<Row, 'id' | 'name' | 'contentType' | 'size'>[]> {
  return sql<Pick<Row, 'id' | 'name' | 'contentType' | 'size'>>(db, 'attachment.touchAttachments')`
    WITH held AS MATERIALIZED (
      SELECT id FROM attachments
      WHERE environment_id = ${environmentId}::uuid AND id = ANY (${[...ids]}::uuid[]) AND sha256 IS NOT NULL
      ORDER BY id FOR NO KEY UPDATE
    )
    UPDATE attachments AS attachment SET last_used_at = ${now}::timestamptz
    FROM held WHERE attachment.environment_id = ${environmentId}::uuid AND attachment.id = held.id
    RETURNING attachment.id, attachment.name, attachment.content_type AS "contentType", attachment.size`
}

/** Returns a piece of the bytes. Undefined after the last one. */
export async function readPiece(
  { db, environmentId }: Tenant,
  id: string,
  position: number,
): Promise<Uint8Array | undefined> {
  const [piece] = await sql<{ data: Uint8Array }>(db, 'attachment.readPiece')`
    SELECT data FROM attachment_chunks
    WHERE environment_id = ${environmentId}::uuid AND attachment_id = ${id}::uuid AND position = ${position}::int`
  return piece?.data
}

/** A row to insert. */
export type NewEventAttachment = Omit<EventAttachment, 'environmentId'>

/** The statement that inserts attachments of events. */
export const eventAttachmentInsert = (
  { environmentId }: Pick<Tenant, 'environmentId'>,
  rows: readonly NewEventAttachment[],
  condition: Prisma.Sql,
): Prisma.Sql => Prisma.sql`
  ${insertRows(eventAttachmentTable, rows, { environmentId: Prisma.sql`${environmentId}::uuid` })}
  WHERE ${condition} ORDER BY given.event_id, given.position`

/** An attachment of an event, with its size. Null if the URL has not been fetched. */
export interface SizedAttachment extends EventAttachment {
  readonly size: number | null
}

const sized = Prisma.sql`file.environment_id AS "environmentId", file.event_id AS "eventId", file.position,
  file.attachment_id AS "attachmentId", file.url, file.name, file.content_type AS "contentType",
  file.content_id AS "contentId", file.is_inline AS "isInline", file.created_at AS "createdAt", attachment.size`

const joined = ({ environmentId }: Tenant) => Prisma.sql`event_attachments AS file LEFT JOIN attachments AS attachment
  ON attachment.environment_id = ${environmentId}::uuid AND attachment.id = file.attachment_id`

/** The attachments of an event with their sizes, in the order of the trigger. */
export const sizedAttachmentsOfEvent: Batch<string, readonly SizedAttachment[]> = {
  async load(tenant, ids) {
    const { db, environmentId } = tenant
    const rows = await sql<SizedAttachment>(db, 'attachment.sizedAttachmentsOfEvent')`
      SELECT ${sized} FROM ${joined(tenant)}
      WHERE file.environment_id = ${environmentId}::uuid AND file.event_id = ANY (${[...ids]}::uuid[])
      ORDER BY file.event_id, file.position`
    return ids.map((id) => rows.filter(({ eventId }) => eventId === id))
  },
}

/** The attachments of all events that the last digest of each run has collected, oldest first, by run id. */
export async function attachmentsOfDigests(
  { db, environmentId }: Tenant,
  runIds: readonly string[],
): Promise<ReadonlyMap<string, readonly SizedAttachment[]>> {
  const rows = await sql<SizedAttachment & { runId: string }>(db, 'attachment.attachmentsOfDigests')`
    SELECT digest.run_id AS "runId", ${sized}
    FROM (
      SELECT DISTINCT ON (run_id) run_id, id FROM step_runs
      WHERE environment_id = ${environmentId}::uuid AND run_id = ANY (${[...runIds]}::uuid[])
        AND type = 'digest' AND status = 'completed'
      ORDER BY run_id, position DESC
    ) AS digest
    CROSS JOIN LATERAL (
      SELECT digest.run_id
      UNION ALL
      SELECT run_id FROM step_runs WHERE environment_id = ${environmentId}::uuid AND merged_into_id = digest.id
    ) AS member
    JOIN workflow_runs AS run ON run.environment_id = ${environmentId}::uuid AND run.id = member.run_id
    JOIN events AS event ON event.environment_id = ${environmentId}::uuid AND event.id = run.event_id
    JOIN event_attachments AS file ON file.environment_id = ${environmentId}::uuid AND file.event_id = event.id
    LEFT JOIN attachments AS attachment
      ON attachment.environment_id = ${environmentId}::uuid AND attachment.id = file.attachment_id
    WHERE event.cancelled_at IS NULL AND event.attachment_count IS NOT NULL
    ORDER BY event.created_at, event.id, file.position`
  const byRun = new Map<string, SizedAttachment[]>()
  for (const { runId, ...file } of rows) {
    const known = byRun.get(runId)
    if (known) known.push(file)
    else byRun.set(runId, [file])
  }
  return byRun
}

/** Keeps the fetched bytes of a URL, unless another process has kept some before. */
export async function keepFetched(
  { db, environmentId }: Tenant,
  { eventId, position }: Pick<EventAttachment, 'eventId' | 'position'>,
  { id, contentType }: Pick<Row, 'id' | 'contentType'>,
): Promise<void> {
  await sqlCount(db, 'attachment.keepFetched')`
    UPDATE event_attachments
    SET attachment_id = ${id}::uuid, content_type = coalesce(content_type, ${contentType})
    WHERE environment_id = ${environmentId}::uuid AND event_id = ${eventId}::uuid AND position = ${position}::int
      AND attachment_id IS NULL`
}

/** Deletes the attachments of events. A database trigger deletes bytes that nothing else uses or has used since. */
export async function deleteEventAttachments(
  { db, environmentId }: Tenant,
  eventIds: readonly string[],
): Promise<void> {
  if (eventIds.length === 0) return
  await sqlCount(db, 'attachment.deleteEventAttachments')`
    DELETE FROM event_attachments
    WHERE environment_id = ${environmentId}::uuid AND event_id = ANY (${[...eventIds]}::uuid[])`
}

/**
 * Deletes attachments that were last used before a time and that no event has. Skips rows that others lock.
 *
 * @returns their number.
 */
export function sweepAttachments(
  { db, environmentId }: Tenant,
  { before, take }: { readonly before: Date; readonly take: number },
): Promise<number> {
  return sqlCount(db, 'attachment.sweepAttachments')`
    DELETE FROM attachments WHERE environment_id = ${environmentId}::uuid AND ctid = ANY (ARRAY(
      SELECT ctid FROM attachments AS attachment
      WHERE environment_id = ${environmentId}::uuid AND last_used_at < ${before}::timestamptz
        AND created_at < ${before}::timestamptz
        AND NOT EXISTS (
          SELECT FROM event_attachments AS used
          WHERE used.environment_id = ${environmentId}::uuid AND used.attachment_id = attachment.id)
      ORDER BY last_used_at, id ${limitTo(take)} FOR UPDATE SKIP LOCKED))`
}
