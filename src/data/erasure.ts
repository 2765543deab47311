// Erasures: their rows, the runs of the person, and pages of all tables whose text may name the person.
import { formsOf } from '../lib/mark-forms.ts'
import { type Marked, phoneDigits } from '../lib/marks.ts'
import type { Tenant } from './loader.ts'
import { type Erasure as Row, Prisma } from './prisma/client.ts'
import { rowBy, type Table } from './row.ts'
import { limitTo } from './statement.ts'

export type StoredErasure = Row

const erasureTable: Table<StoredErasure> = { name: 'erasures', fields: Object.values(Prisma.ErasureScalarFieldEnum) }

export const erasuresById = rowBy(erasureTable, { field: 'id', type: 'uuid' })

/**
 * Locks a page of the runs of a subscriberId created at a time or before, in the order of their ids, which prevents
 * deadlocks. @returns their ids.
 */
export async function holdRunsNamed(
  { db, environmentId }: Tenant,
  subscriberId: string,
  until: Date,
  take: number,
): Promise<string[]> {
  const rows = await db.$queryRaw<{ id: string }[]>`
    WITH page AS MATERIALIZED (
      SELECT id FROM workflow_runs
      WHERE environment_id = ${environmentId}::uuid AND subscriber_id = ${subscriberId}
        AND created_at <= ${until}::timestamptz
      ORDER BY created_at, id ${limitTo(take)}
    )
    SELECT run.id FROM page
    JOIN workflow_runs AS run ON run.environment_id = ${environmentId}::uuid AND run.id = page.id
    ORDER BY run.id FOR UPDATE OF run`
  return rows.map(({ id }) => id)
}

/** True if there are runs of a subscriberId. */
export async function hasRunsOf({ db, environmentId }: Tenant, subscriberId: string): Promise<boolean> {
  const rows = await db.$queryRaw<object[]>`
    SELECT id FROM workflow_runs
    WHERE environment_id = ${environmentId}::uuid AND subscriber_id = ${subscriberId} LIMIT 1`
  return rows.length > 0
}

/** The jobs of an erasure, with what shows that one was taken. */
export function erasureJobs({ db, environmentId }: Tenant, erasureId: string): Promise<object[]> {
  return db.$queryRaw`
    SELECT id, attempt_count AS "attemptCount" FROM jobs
    WHERE environment_id = ${environmentId}::uuid AND queue NOT IN ('fan_out', 'deliver')
      AND queue = 'erase' AND data->>'erasureId' = ${erasureId}
    ORDER BY id`
}

/** Replaces the subscriberId of runs and of their messages, and the errors of the runs. */
export async function renameRuns(
  { db, environmentId }: Tenant,
  ids: readonly string[],
  { placeholder, error }: { readonly placeholder: string; readonly error: string },
): Promise<void> {
  await db.$executeRaw`
    UPDATE workflow_runs SET subscriber_id = ${placeholder}, error = CASE WHEN error IS NOT NULL THEN ${error} END
    WHERE environment_id = ${environmentId}::uuid AND id = ANY (${[...ids]}::uuid[])`
  await db.$executeRaw`
    UPDATE deliveries AS delivery SET subscriber_id = ${placeholder}
    FROM step_runs AS step
    WHERE step.environment_id = ${environmentId}::uuid AND step.run_id = ANY (${[...ids]}::uuid[])
      AND delivery.environment_id = step.environment_id AND delivery.step_run_id = step.id`
}

/** Deletes jobs that would erase the runs of a subscriberId: they name it, and have nothing left to do. */
export async function deleteRunErasures({ db, environmentId }: Tenant, subscriberId: string): Promise<void> {
  await db.$executeRaw`
    DELETE FROM jobs WHERE environment_id = ${environmentId}::uuid AND queue NOT IN ('fan_out', 'deliver')
      AND queue = 'erase' AND data->>'subscriberId' = ${subscriberId}`
}

/** A table whose columns may name a person. */
interface Searched {
  readonly name: string
  /** The columns of its key after the environment, with their types. */
  readonly key: readonly (readonly [column: string, type: 'uuid' | 'int' | 'text'])[]
  /** The column with the time of a row's creation. */
  readonly time: 'created_at' | 'started_at'
  /** The columns to search, with their types. */
  readonly columns: Readonly<Record<string, 'text' | 'jsonb'>>
  /** The condition that tells whether a row belongs to an event of the person, by `child` and its placeholder. */
  readonly belongs: (placeholder: Prisma.Sql) => Prisma.Sql
}

/** The events of a person have the placeholder by then: in their recipients, their actor or the run of the person. */
const eventOf = (placeholder: Prisma.Sql, run: Prisma.Sql) => Prisma.sql`EXISTS (
  SELECT FROM ${run} JOIN events AS event ON event.environment_id = run.environment_id AND event.id = run.event_id
  WHERE event.actor = ${placeholder} OR strpos(event.recipients::text, ${placeholder}) > 0
    OR EXISTS (
      SELECT FROM workflow_runs AS own
      WHERE own.environment_id = event.environment_id AND own.event_id = event.id
        AND own.subscriber_id = ${placeholder}))`

const runOfStep = (step: Prisma.Sql) => Prisma.sql`
  (SELECT run.environment_id, run.event_id FROM step_runs AS step
   JOIN workflow_runs AS run ON run.environment_id = step.environment_id AND run.id = step.run_id
   WHERE step.environment_id = child.environment_id AND step.id = ${step}) AS run`

const asRun = (eventId: Prisma.Sql) =>
  Prisma.sql`(SELECT child.environment_id AS environment_id, ${eventId} AS event_id) AS run`

/** The tables in the order of their search: the others recognize the events that were searched first. */
export const searchedTables = [
  {
    name: 'events',
    key: [['id', 'uuid']],
    time: 'created_at',
    columns: {
      transaction_id: 'text',
      recipients: 'jsonb',
      payload: 'jsonb',
      overrides: 'jsonb',
      actor: 'text',
      detail: 'text',
    },
    belongs: (placeholder) => eventOf(placeholder, asRun(Prisma.sql`child.id`)),
  },
  {
    name: 'step_runs',
    key: [['id', 'uuid']],
    time: 'created_at',
    columns: { detail: 'text' },
    belongs: (placeholder) => eventOf(placeholder, runOfStep(Prisma.sql`child.id`)),
  },
  {
    name: 'deliveries',
    key: [['id', 'uuid']],
    time: 'created_at',
    columns: { content: 'jsonb' },
    belongs: (placeholder) => eventOf(placeholder, runOfStep(Prisma.sql`child.step_run_id`)),
  },
  {
    name: 'delivery_attempts',
    key: [
      ['delivery_id', 'uuid'],
      ['number', 'int'],
    ],
    time: 'started_at',
    columns: { error: 'text', answer: 'text' },
    belongs: () => Prisma.sql`false`,
  },
  {
    name: 'notifications',
    key: [['id', 'uuid']],
    time: 'created_at',
    columns: { subject: 'text', body: 'text', avatar: 'text', url: 'text', actions: 'jsonb', data: 'jsonb' },
    belongs: (placeholder) => eventOf(placeholder, asRun(Prisma.sql`child.event_id`)),
  },
] as const satisfies readonly Searched[]

/** A row that may name persons. */
export interface SuspectRow {
  /** The values of the key, as text. */
  readonly key: readonly string[]
  /** The searched columns. */
  readonly found: Readonly<Record<string, unknown>>
  /** The indexes of the persons to whose events it belongs. */
  readonly about: readonly number[]
}

interface SearchPage {
  /** The rows that may name a person. */
  readonly rows: readonly SuspectRow[]
  /** The number of rows that were searched. */
  readonly searched: number
  /** Where the next page begins. Undefined if this is the last one. */
  readonly next: string | undefined
}

/** Characters up to which the texts of a page are searched together: the time of a search is mostly that of its start. */
const SMALL = 4_000

/** Characters of the rows in one page. The first row may have more. */
const MAX_FOUND = 1_000_000

const names = (columns: readonly string[], alias: string) =>
  Prisma.join(columns.map((column) => Prisma.raw(`${alias}.${column}`)))

interface PageOfSearch {
  /** The end of the page before, as `next` was. Undefined for the first page. */
  readonly after: string | undefined
  /** Rows created later are left out. */
  readonly until: Date
  /** The rows in a full page. */
  readonly take: number
}

/** Returns the text of a row in lower case, and again without what separates the digits of a phone number. */
function haystackOf(columns: readonly string[], withPhones: boolean): Prisma.Sql {
  const text = Prisma.sql`lower(concat_ws(' ', ${Prisma.join(columns.map((column) => Prisma.raw(`child.${column}::text`)))}))`
  return withPhones ? Prisma.sql`${text} || ' ' || translate(replace(${text}, '(0)', ''), ' ./()-', '')` : text
}

/** Returns where a page ends, for the next one. */
export const placeAfter = ({ key }: Pick<SuspectRow, 'key'>): string => JSON.stringify(key)

/** Searches a page of a table, in the order of its key. The page ends early where its rows become large. */
export async function searchPage(
  { db, environmentId }: Tenant,
  { name, key, time, columns, belongs }: Searched,
  persons: readonly Marked[],
  { after, until, take }: PageOfSearch,
): Promise<SearchPage> {
  const keys = key.map(([column]) => column)
  const place: unknown = after === undefined ? undefined : JSON.parse(after)
  const following = Array.isArray(place)
    ? Prisma.sql`AND (${names(keys, 'child')}) > (${Prisma.join(
        key.map(([, type], index) => Prisma.sql`${String(place[index])}::text::${Prisma.raw(type)}`),
      )})`
    : Prisma.empty
  const searched = Object.keys(columns)
  const withPhones = persons.some(({ own }) => own.some((mark) => phoneDigits(mark) !== undefined))
  const own = formsOf(persons.flatMap(({ own, exact }) => [...own, ...exact]))
  const shared = persons.flatMap(({ shared, placeholder }, index) =>
    formsOf(shared).map((form) => ({ form, placeholder, index })),
  )
  const rows = await db.$queryRaw<
    { key: string[]; found: Record<string, unknown> | null; about: number[]; isLeft: boolean }[]
  >`
    WITH page AS MATERIALIZED (
      SELECT child.*, ${haystackOf(searched, withPhones)} AS haystack FROM ${Prisma.raw(name)} AS child
      WHERE child.environment_id = ${environmentId}::uuid ${following}
      ORDER BY ${names(keys, 'child')} ${limitTo(take)}
    ), small AS MATERIALIZED (
      SELECT coalesce(string_agg(haystack, ' '), '') AS text FROM page WHERE length(haystack) <= ${SMALL}
    ), own AS MATERIALIZED (
      SELECT form, strpos(small.text, form) > 0 AS in_small FROM unnest(${own}::text[]) AS form CROSS JOIN small
    ), shared AS MATERIALIZED (
      SELECT one.*, strpos(small.text, one.form) > 0 AS in_small
      FROM jsonb_to_recordset(${JSON.stringify(shared)}::jsonb) AS one(form text, placeholder text, index int)
      CROSS JOIN small
    ), suspect AS MATERIALIZED (
      SELECT child.*, size, about,
             child.${Prisma.raw(time)} <= ${until}::timestamptz AND (cardinality(about) > 0 OR EXISTS (
               SELECT FROM own WHERE (in_small OR size > ${SMALL}) AND strpos(child.haystack, form) > 0)) AS is_suspect
      FROM page AS child
      CROSS JOIN LATERAL (SELECT length(child.haystack) AS size, ARRAY(
        SELECT DISTINCT shared.index FROM shared
        WHERE (in_small OR length(child.haystack) > ${SMALL}) AND strpos(child.haystack, form) > 0
          AND ${belongs(Prisma.sql`shared.placeholder`)}) AS about) AS belonging
    ), counted AS (
      SELECT child.*, sum(CASE WHEN is_suspect THEN size ELSE 0 END) OVER (ORDER BY ${names(keys, 'child')}) AS total
      FROM suspect AS child
    )
    SELECT ARRAY[${Prisma.join(keys.map((column) => Prisma.raw(`child.${column}::text`)))}] AS key,
           CASE WHEN is_suspect AND NOT is_left THEN jsonb_build_object(${Prisma.join(
             searched.map((column) => Prisma.raw(`'${column}', child.${column}`)),
           )}) END AS found,
           about, is_left AS "isLeft"
    FROM counted AS child
    CROSS JOIN LATERAL (SELECT total > ${MAX_FOUND} AND total > size AS is_left) AS cut
    ORDER BY ${names(keys, 'child')}`
  const cut = rows.findIndex(({ isLeft }) => isLeft)
  const read = cut === -1 ? rows : rows.slice(0, cut)
  const last = read.at(-1)
  return {
    rows: read.flatMap(({ key, found, about }) => (found === null ? [] : [{ key, found, about }])),
    searched: read.length,
    next: last && (cut !== -1 || rows.length === take) ? placeAfter(last) : undefined,
  }
}

/** Writes the searched columns of rows, locked in the order of their keys. `updatedAt` stays, as in `eraseRunsById`. */
export async function writeSearched(
  { db, environmentId }: Tenant,
  { name, key, columns }: Searched,
  rows: readonly Pick<SuspectRow, 'key' | 'found'>[],
): Promise<void> {
  if (rows.length === 0) return
  const given = rows.map(({ key: values, found }) => ({
    ...found,
    ...Object.fromEntries(key.map(([column], index) => [`key_${column}`, values[index]])),
  }))
  const set = Object.keys(columns).map((column) => `${column} = given.${column}`)
  const types = [
    ...key.map(([column, type]) => `key_${column} ${type}`),
    ...Object.entries(columns).map(([column, type]) => `${column} ${type}`),
  ]
  const match = Prisma.raw(key.map(([column]) => `child.${column} = given.key_${column}`).join(' AND '))
  const order = Prisma.raw(key.map(([column]) => `child.${column}`).join())
  await db.$executeRaw`
    WITH given AS MATERIALIZED (
      SELECT * FROM jsonb_to_recordset(${JSON.stringify(given)}::jsonb) AS row(${Prisma.raw(types.join(', '))})
    ), held AS MATERIALIZED (
      SELECT given.* FROM given
      JOIN ${Prisma.raw(name)} AS child ON child.environment_id = ${environmentId}::uuid AND ${match}
      ORDER BY ${order} FOR UPDATE OF child
    )
    UPDATE ${Prisma.raw(name)} AS child SET ${Prisma.raw(set.join(', '))} FROM held AS given
    WHERE child.environment_id = ${environmentId}::uuid AND ${match}`
}

export type SearchedTable = (typeof searchedTables)[number]
