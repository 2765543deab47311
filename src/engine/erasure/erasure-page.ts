// Erases persons page by page: their runs, and their marks in all other rows of the environment.
import { z } from 'zod'
import { addMentions, deleteRunErasures, holdRunsNamed, renameRuns } from '../../data/erasure/erasure.ts'
import type { StoredErasure } from '../../data/erasure/erasure.ts'
import { deleteEventAttachments } from '../../data/attachment/attachment.ts'
import { changeAnswer, holdAnswers } from '../../data/access/idempotency-keys.ts'
import { removeSecrets } from '../../data/housekeeping/secret-sweep.ts'
import { enqueue, type Job, type PersonErasure } from '../../data/queue/job.ts'
import {
  erasedTables,
  placeAfter,
  type Searched,
  searchPage,
  type SuspectRow,
  writeSearched,
} from '../../data/erasure/person-search.ts'
import { listedTables } from '../../data/erasure/listed-tables.ts'
import {
  attachmentsTable,
  deliveryReportsTable,
  eventAttachmentsTable,
  inboundTextsTable,
  pausesTable,
  suppressionsTable,
  unprocessedTriggersTable,
} from '../../data/erasure/replaced-tables.ts'
import { MAX_MENTIONS, type MentionType, mentionTypes, openPersons, type Person } from '../../domain/erasure/erasure.ts'
import type { EnvironmentScope } from '../../domain/resolver/scope.ts'
import { jobBudget } from '../../evaluation/evaluator.ts'
import type { ErasedRow, RowWithoutPersons } from '../../evaluation/erasure.ts'
import { type Evaluated, explain } from '../../evaluation/work.ts'
import { present } from '../../lib/present.ts'
import type { Marked } from '../../lib/marks.ts'
import { stepReasons } from '../../domain/trigger/step-reason.ts'
import { eventWithout, isForOnly } from './erased-event.ts'
import { eraseRunsOfDeleted } from './delete-subscriber.ts'

/** An erasure in progress. */
interface Erasing {
  readonly erasure: StoredErasure
  readonly persons: readonly (Person & Marked)[]
}

/** The result of a page: the number of rows read, and the job of the next page. */
interface ErasedPage {
  readonly count: number
  readonly next: PersonErasure | undefined
  /** Milliseconds to wait before the next page, until there is evaluation budget again. Defaults to 0. */
  readonly pause?: number
}

/** The position at which a page of a stage begins. */
interface Place {
  /** The end of the previous page, which was its `next`. Undefined for the first page. */
  readonly after: string | undefined
  /** Rows created later are left out. */
  readonly until: Date
}

/** The result of a page of a stage. */
interface StagePage {
  readonly count: number
  /** The position at which the next page of the stage begins. Undefined after the last page. */
  readonly next: Pick<Place, 'after'> | undefined
  readonly pause?: number
}

type Stage = (scope: EnvironmentScope, erasing: Erasing, place: Place, take: number) => Promise<StagePage>

/**
 * Executes a job that erases a page. The next page becomes a new job, in the same transaction, so that an erasure
 * continues where it was interrupted.
 *
 * @param take the maximum number of rows in the page. @returns the number of rows read.
 */
export async function erasePersons(
  scope: EnvironmentScope,
  { data, dueAt }: Pick<Job, 'dueAt'> & { readonly data: PersonErasure },
  take: number,
): Promise<number> {
  const { db, environmentId, now } = scope
  const erasure = await db.erasure.findUnique({ where: { environmentId_id: { environmentId, id: data.erasureId } } })
  if (!erasure?.marks) return 0
  const erasing: Erasing = { erasure, persons: openPersons(scope, erasure.id, erasure.marks) }
  const { count, next, pause } = await erasePage(scope, erasing, data, take)
  const availableAt = pause === undefined ? undefined : new Date(now().getTime() + pause)
  if (next === undefined) await finish(scope, erasing)
  else await enqueue(scope, [{ queue: 'erase', data: next, dueAt, ...present({ availableAt }) }])
  return count
}

async function erasePage(
  scope: EnvironmentScope,
  erasing: Erasing,
  data: PersonErasure,
  take: number,
): Promise<ErasedPage> {
  const { erasureId, table, after, until } = data
  if (table === undefined) return renamePage(scope, erasing, data, take)
  const stage = stages[table]
  if (stage === undefined) return { count: 0, next: undefined }
  const place = { after, until: until === undefined ? erasing.erasure.createdAt : new Date(until) }
  const { count, next, pause } = await stage(scope, erasing, place, take)
  if (next !== undefined) {
    return { count, next: { erasureId, table, ...present({ until, after: next.after }) }, ...present({ pause }) }
  }
  if (table === stages.length - 1) return { count, next: undefined }
  // From now on, jobs in progress read events that name nobody.
  return { count, next: { erasureId, table: table + 1, until: until ?? scope.now().toISOString() } }
}

/** Erases a page of the runs of one person. */
async function renamePage(
  scope: EnvironmentScope,
  { erasure, persons }: Erasing,
  { erasureId, person: index = 0 }: PersonErasure,
  take: number,
): Promise<ErasedPage> {
  const person = persons[index]
  if (person === undefined) return { count: 0, next: { erasureId, table: 0 } }
  const ids = await holdRunsNamed(scope, person.subscriberId, erasure.createdAt, take)
  if (ids.length > 0) {
    await eraseRunsOfDeleted(scope, ids)
    await renameRuns(scope, ids, { placeholder: person.placeholder, error: stepReasons.subscriber_deleted })
  }
  const isLast = index === persons.length - 1
  const following = isLast ? { erasureId, table: 0 } : { erasureId, person: index + 1 }
  return { count: ids.length, next: ids.length === take ? { erasureId, person: index } : following }
}

/** The results of the search in rows, starting with the first row. */
interface SearchedRows {
  readonly outcomes: readonly Exclude<Evaluated<RowWithoutPersons>, { status: 'deferred' }>[]
  /** Milliseconds after which the other rows can be searched. Undefined if there are no others. */
  readonly pause: number | undefined
}

/** Searches as many rows as the budget of a job allows. */
async function searchRows(
  { evaluator }: EnvironmentScope,
  persons: readonly Marked[],
  rows: readonly Pick<ErasedRow, 'about' | 'columns'>[],
): Promise<SearchedRows> {
  const evaluation = evaluator.begin(jobBudget)
  const found = await evaluation.run(
    'erasure',
    rows.map((row) => ({ ...row, persons })),
  )
  const outcomes: SearchedRows['outcomes'][number][] = []
  for (const outcome of found) {
    if (outcome.status === 'deferred') return { outcomes, pause: evaluation.pause() }
    outcomes.push(outcome)
  }
  return { outcomes, pause: undefined }
}

/** A row that names persons, and its columns without their names. */
interface NamingRow {
  readonly row: SuspectRow
  readonly erased: Readonly<Record<string, unknown>>
}

/** Returns the stage that searches a table. `act` is called with the rows of a page that name a person. */
const searching =
  (
    table: Searched,
    act: (scope: EnvironmentScope, erasing: Erasing, rows: readonly NamingRow[]) => Promise<void>,
  ): Stage =>
  async (scope, erasing, { after, until }, take) => {
    const page = await searchPage(scope, table, erasing.persons, { after, until, take })
    const columns = Object.keys(table.columns)
    const { outcomes, pause } = await searchRows(
      scope,
      erasing.persons,
      page.rows.map(({ about, found }) => ({ about, columns: columns.map((column) => found[column]) })),
    )
    const naming = outcomes.flatMap((outcome, place): NamingRow[] => {
      const row = page.rows[place]
      if (outcome.status === 'failed')
        throw new Error(explain(`The search of ${table.name} ${row?.key.join()}`, outcome))
      if (row === undefined || outcome.value.persons.length === 0) return []
      return [{ row, erased: Object.fromEntries(columns.map((column, at) => [column, outcome.value.columns[at]])) }]
    })
    if (naming.length > 0) await act(scope, erasing, naming)
    if (pause === undefined)
      return { count: page.searched, next: page.next === undefined ? undefined : { after: page.next } }
    const last = page.rows[outcomes.length - 1]
    return { count: outcomes.length, next: { after: last ? placeAfter(last) : after }, pause }
  }

/** Replaces the marks of a person in a table. */
const replacing = (table: Searched) =>
  searching(table, async (scope, { persons }, rows) => {
    const isEvent = table.name === 'events'
    await writeSearched(
      scope,
      table,
      rows.map(({ row, erased }) => ({ key: row.key, found: isEvent ? eventWithout(persons, row, erased) : erased })),
    )
    // Their values cannot be searched, because they are encrypted.
    const alone = isEvent ? rows.filter(({ row }) => isForOnly(persons, row)).map(({ row }) => row.key.join()) : []
    await removeSecrets(scope, alone, scope.now())
    await deleteEventAttachments(scope, alone)
  })

/** Lists the objects of a type that name a person. An object created after the request belongs to someone else. */
function listing(type: MentionType): Stage {
  const stage = searching(listedTables[type], (scope, { erasure }, rows) => {
    const found = rows.map(({ row }) => ({ type, id: row.key.join() }))
    return addMentions(scope, erasure.id, found, MAX_MENTIONS)
  })
  return (scope, erasing, { after }, take) => stage(scope, erasing, { after, until: erasing.erasure.createdAt }, take)
}

/** Maximum stored responses in one page, because they are decrypted on the event loop. */
const MAX_ANSWERS = 25

/** Replaces the marks of a person in the stored responses to idempotent requests. */
const replacingAnswers: Stage = async (scope, { persons }, { after }, take) => {
  const { cipher, environmentId } = scope
  const limit = Math.min(take, MAX_ANSWERS)
  const answers = await holdAnswers(scope, { after: after ?? '', take: limit })
  const contents = answers.map(({ body }) => attempted(() => cipher.decrypt(body, environmentId)))
  const { outcomes, pause } = await searchRows(
    scope,
    persons,
    answers.map(({ key, headers }, place) => ({ about: [], columns: [key, headers, parsed(contents[place])] })),
  )
  for (const [place, outcome] of outcomes.entries()) {
    const key = answers[place]?.key
    if (key === undefined) continue
    // Without its encryption key, the response can neither be searched nor sent again.
    const isLost = outcome.status === 'failed' || contents[place] === undefined
    if (isLost) await changeAnswer(scope, key, undefined)
    else if (outcome.value.persons.length > 0) {
      const [newKey, headers, content] = outcome.value.columns
      await changeAnswer(scope, key, {
        key: newKey === key ? key : `erased-${scope.newId()}`,
        headers: storedHeaders.parse(headers),
        body: cipher.encrypt(typeof content === 'string' ? content : JSON.stringify(content), environmentId),
      })
    }
  }
  const isLast = pause === undefined && answers.length < limit
  return {
    count: outcomes.length,
    next: isLast ? undefined : { after: answers[outcomes.length - 1]?.key ?? after },
    ...present({ pause }),
  }
}

const storedHeaders = z.record(z.string(), z.string())

/** Returns the value of a JSON document. Any other text is returned unchanged. */
function parsed(text: string | undefined): unknown {
  const value = text === undefined ? undefined : attempted((): unknown => JSON.parse(text))
  return typeof value === 'object' && value !== null ? value : text
}

/** Returns undefined if a text cannot be decrypted. */
function attempted<Result>(read: () => Result): Result | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}

/** The stages of an erasure after the runs, in order. Jobs refer to them by index, so new ones must be added last. */
const stages: readonly Stage[] = [
  ...erasedTables.map(replacing),
  replacingAnswers,
  replacing(pausesTable),
  ...mentionTypes.filter((type) => type !== 'channel_connection').map(listing),
  replacing(unprocessedTriggersTable),
  replacing(eventAttachmentsTable),
  replacing(deliveryReportsTable),
  replacing(attachmentsTable),
  replacing(suppressionsTable),
  replacing(inboundTextsTable),
  listing('channel_connection'),
]

/** Ends an erasure, and deletes its search terms. */
async function finish(scope: EnvironmentScope, { erasure, persons }: Erasing): Promise<void> {
  const { db, environmentId, log } = scope
  const { id: erasureId, apiKeyId } = erasure
  for (const { subscriberId } of persons) await deleteRunErasures(scope, subscriberId)
  await db.erasure.update({
    where: { environmentId_id: { environmentId, id: erasureId } },
    data: { marks: null, finishedAt: scope.now() },
  })
  scope.afterCommit(() => {
    log.info({ environmentId, erasureId, ...(apiKeyId !== null && { apiKeyId }) }, 'erasure finished')
  })
}
