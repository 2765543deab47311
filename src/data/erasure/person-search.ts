// The search for persons in all tables whose text may name them: reads pages of rows, and writes their replaced text.
import { formsOf } from '../../lib/mark-forms.ts'
import type { Marked } from '../../lib/marks.ts'
import type { Tenant } from '../reading/loader.ts'
import { Prisma } from '../prisma/client.ts'
import { sql, sqlCount } from '../statement/statement.ts'

/** A table whose columns may name a person. */
export interface Searched {
  readonly name: string
  /** The columns of the key without the environment, with their types. */
  readonly key: readonly (readonly [column: string, type: 'uuid' | 'int' | 'text'])[]
  /** The column with the time of a row's creation. */
  readonly time: 'created_at' | 'coalesce(first_created_at, created_at)' | 'started_at' | 'received_at' | 'paused_at'
  /** The columns to search, with their types. */
  readonly columns: Readonly<Record<string, 'text' | 'jsonb'>>
  /** The id of the event of the row `child`. Present if a row counts as naming a person because its event does. */
  readonly event?: (tenant: Tenant) => Prisma.Sql
}

const eventOfStep =
  (step: Prisma.Sql) =>
  ({ environmentId }: Tenant) => Prisma.sql`
  (SELECT run.event_id FROM step_runs AS step
   JOIN workflow_runs AS run ON run.environment_id = ${environmentId}::uuid AND run.id = step.run_id
   WHERE step.environment_id = ${environmentId}::uuid AND step.id = ${step})`

const feedTexts = { subject: 'text', body: 'text', avatar: 'text', url: 'text' } as const

/** The tables whose text is replaced, in the order of the search. Events are first, because others rely on them. */
export const erasedTables = [
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
    event: () => Prisma.sql`child.id`,
  },
  {
    name: 'step_runs',
    key: [['id', 'uuid']],
    time: 'created_at',
    columns: { detail: 'text' },
    event: eventOfStep(Prisma.sql`child.id`),
  },
  {
    name: 'deliveries',
    key: [['id', 'uuid']],
    time: 'created_at',
    // An override may send to another person, whom the target names then.
    columns: { content: 'jsonb', target: 'jsonb' },
    event: eventOfStep(Prisma.sql`child.step_run_id`),
  },
  {
    name: 'delivery_attempts',
    key: [
      ['delivery_id', 'uuid'],
      ['number', 'int'],
    ],
    time: 'started_at',
    columns: { error: 'text', answer: 'text', redirected_to: 'text' },
  },
  {
    name: 'notifications',
    key: [['id', 'uuid']],
    // A return from a snooze moves `created_at`, and the row must still be found.
    time: 'coalesce(first_created_at, created_at)',
    columns: { ...feedTexts, actions: 'jsonb', data: 'jsonb', payload: 'jsonb' },
    event: () => Prisma.sql`child.event_id`,
  },
  { name: 'webhook_messages', key: [['id', 'uuid']], time: 'created_at', columns: { data: 'jsonb' } },
  {
    name: 'webhook_deliveries',
    key: [['id', 'uuid']],
    time: 'created_at',
    // A response may quote the message.
    columns: { attempts: 'jsonb' },
  },
] as const satisfies readonly Searched[]

/** A row that may name persons. */
export interface SuspectRow {
  /** The values of the key, as text. */
  readonly key: readonly string[]
  /** The searched columns. */
  readonly found: Readonly<Record<string, unknown>>
  /** The indexes of the persons whose events the row belongs to. */
  readonly about: readonly number[]
}

interface SearchPage {
  /** The rows that may name a person. */
  readonly rows: readonly SuspectRow[]
  /** The number of rows that were searched. */
  readonly searched: number
  /** The position at which the next page begins. Undefined if this page is the last one. */
  readonly next: string | undefined
}

/** Characters after which a page ends. The last row may exceed them. */
const MAX_CHARACTERS = 500_000

interface PageOfSearch {
  /** The end of the previous page, which was its `next`. Undefined for the first page. */
  readonly after: string | undefined
  /** Rows created later are left out. */
  readonly until: Date
  /** The number of rows in a full page. */
  readonly take: number
}

const names = (columns: readonly string[], alias: string) =>
  Prisma.join(columns.map((column) => Prisma.raw(`${alias}.${column}`)))

/** A row's text in lower case and, if needed, again without the separators between the digits of phone numbers. */
function haystacksOf(columns: readonly string[], withPhones: boolean): Prisma.Sql {
  const text = Prisma.sql`lower(concat_ws(' ', ${Prisma.join(columns.map((column) => Prisma.raw(`child.${column}::text`)))}))`
  const digits = withPhones ? Prisma.sql`translate(replace(${text}, '(0)', ''), ' ./()-', '')` : Prisma.sql`''`
  return Prisma.sql`${text} AS haystack, ${digits} AS digits`
}

/** Returns the position after a row, at which the next page begins. */
export const placeAfter = ({ key }: Pick<SuspectRow, 'key'>): string => JSON.stringify(key)

/** The key of the row at the end of a page. */
function keyOf(place: string, { key }: Searched): Prisma.Sql {
  const values: unknown = JSON.parse(place)
  if (!Array.isArray(values)) throw new Error(`not the end of a page: ${place}`)
  return Prisma.join(key.map(([, type], index) => Prisma.sql`${String(values[index])}::text::${Prisma.raw(type)}`))
}

type Forms = 'own' | 'shared'

const formColumns = Prisma.sql`core text, parts text[], ends text[], "isPhone" boolean`

/** The text in `from` that is searched for a form. */
const textFor = (forms: Forms, from: Prisma.Sql) =>
  Prisma.sql`CASE WHEN ${Prisma.raw(forms)}."isPhone" THEN ${from}.digits ELSE ${from}.haystack END`

/** True if the row `child` contains a form. */
const inRow = (forms: Forms) => {
  const [form, text] = [Prisma.raw(forms), textFor(forms, Prisma.sql`child`)]
  return Prisma.sql`strpos(${text}, ${form}.core) > 0
    AND NOT EXISTS (SELECT FROM unnest(${form}.parts) AS part WHERE strpos(${text}, part) = 0)
    AND NOT EXISTS (SELECT FROM unnest(${form}.ends) AS part WHERE NOT EXISTS (
      SELECT FROM unnest((string_to_array(${text}, part))[2:]) AS following WHERE following !~ '^[a-z0-9]'))`
}

/**
 * Among the persons with a shared mark in the row, those whose events it belongs to. The events of a person already
 * have the person's placeholder: in their recipients, their actor or the run of the person.
 */
const belonging = ({ environmentId }: Tenant, event: Prisma.Sql) => Prisma.sql`
  SELECT DISTINCT shared.index
  FROM (SELECT * FROM events WHERE events.environment_id = ${environmentId}::uuid AND events.id = ${event}) AS event
  JOIN shared ON ${inRow('shared')}
  WHERE event.actor = shared.placeholder OR strpos(event.recipients::text, shared.placeholder) > 0
    OR EXISTS (
      SELECT FROM workflow_runs AS run
      WHERE run.environment_id = ${environmentId}::uuid AND run.event_id = event.id
        AND run.subscriber_id = shared.placeholder)`

/** Searches a page of a table, in the order of its key. The page ends early if its rows are large. */
export async function searchPage(
  tenant: Tenant,
  table: Searched,
  persons: readonly Marked[],
  { after, until, take }: PageOfSearch,
): Promise<SearchPage> {
  const { db, environmentId } = tenant
  const { name, key, time, columns, event } = table
  const keys = key.map(([column]) => column)
  const searched = Object.keys(columns)
  const own = formsOf(persons.flatMap(({ own, exact }) => [...own, ...exact]))
  const shared = event
    ? persons.flatMap(({ shared, placeholder }, index) =>
        formsOf(shared).map((one) => ({ ...one, placeholder, index })),
      )
    : []
  const withPhones = [...own, ...shared].some(({ isPhone }) => isPhone)
  // Reads one row at a time, because rows may be large and none after the last one should be read.
  const rowAfter = (place: Prisma.Sql | undefined) => Prisma.sql`
    SELECT child.*, ${haystacksOf(searched, withPhones)} FROM ${Prisma.raw(name)} AS child
    WHERE child.environment_id = ${environmentId}::uuid
      ${place === undefined ? Prisma.empty : Prisma.sql`AND (${names(keys, 'child')}) > (${place})`}
    ORDER BY ${names(keys, 'child')} LIMIT 1`
  const rows = await sql<{
    key: string[]
    found: Record<string, unknown> | null
    about: number[]
    place: number
    isFull: boolean
  }>(db, 'person-search.searchPage')`
    WITH RECURSIVE page AS (
      SELECT first.*, 1 AS place, length(first.haystack) AS total
      FROM (${rowAfter(after === undefined ? undefined : keyOf(after, table))}) AS first
      UNION ALL
      SELECT next.*, page.place + 1, page.total + length(next.haystack)
      FROM page CROSS JOIN LATERAL (${rowAfter(names(keys, 'page'))}) AS next
      WHERE page.place < ${take}::int AND page.total < ${MAX_CHARACTERS}
    ), joined AS MATERIALIZED (
      SELECT coalesce(string_agg(haystack, ' '), '') AS haystack, coalesce(string_agg(digits, ' '), '') AS digits
      FROM page
    ), own AS MATERIALIZED (
      SELECT own.* FROM jsonb_to_recordset(${JSON.stringify(own)}::jsonb) AS own(${formColumns})
      CROSS JOIN joined WHERE strpos(${textFor('own', Prisma.sql`joined`)}, own.core) > 0
    ), shared AS MATERIALIZED (
      SELECT shared.*
      FROM jsonb_to_recordset(${JSON.stringify(shared)}::jsonb) AS shared(${formColumns}, placeholder text, index int)
      CROSS JOIN joined WHERE strpos(${textFor('shared', Prisma.sql`joined`)}, shared.core) > 0
    ), suspect AS (
      SELECT child.*, EXISTS (SELECT FROM own WHERE ${inRow('own')}) AS names,
             CASE WHEN EXISTS (SELECT FROM shared WHERE ${inRow('shared')})
               THEN ARRAY(${belonging(tenant, event?.(tenant) ?? Prisma.sql`NULL`)}) ELSE '{}' END AS about
      FROM page AS child
    ), chosen AS (
      SELECT child.*, ${Prisma.raw(time)} <= ${until}::timestamptz AND (names OR cardinality(about) > 0) AS is_chosen
      FROM suspect AS child
    )
    SELECT ARRAY[${Prisma.join(keys.map((column) => Prisma.raw(`child.${column}::text`)))}] AS key,
           CASE WHEN is_chosen THEN jsonb_build_object(${Prisma.join(
             searched.map((column) => Prisma.raw(`'${column}', child.${column}`)),
           )}) END AS found,
           about, place, place = ${take}::int OR total >= ${MAX_CHARACTERS} AS "isFull"
    FROM chosen AS child WHERE is_chosen OR place = (SELECT max(place) FROM page)
    ORDER BY place`
  const last = rows.at(-1)
  return {
    rows: rows.flatMap(({ key, found, about }) => (found === null ? [] : [{ key, found, about }])),
    searched: last?.place ?? 0,
    next: last?.isFull === true ? placeAfter(last) : undefined,
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
  await sqlCount(db, 'person-search.writeSearched')`
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
