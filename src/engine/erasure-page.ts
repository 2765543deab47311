// Erases persons page by page: their runs, and what names them in all other rows of the environment.
import { z } from 'zod'
import {
  deleteRunErasures,
  holdRunsNamed,
  placeAfter,
  renameRuns,
  searchedTables,
  type SearchedTable,
  searchPage,
  type StoredErasure,
  type SuspectRow,
  writeSearched,
} from '../data/erasure.ts'
import { changeAnswer, holdAnswers } from '../data/idempotency-keys.ts'
import { enqueue, type Job, type PersonErasure } from '../data/job.ts'
import { openPersons, type Person } from '../domain/erasure.ts'
import { storedRecipients } from '../domain/recipient.ts'
import type { EnvironmentScope } from '../domain/scope.ts'
import { jobBudget } from '../evaluation/evaluator.ts'
import type { ErasedRow, RowWithoutPersons } from '../evaluation/erasure.ts'
import { type Evaluated, explain } from '../evaluation/work.ts'
import { present } from '../lib/present.ts'
import type { Marked } from '../lib/marks.ts'
import { reasons } from './decision.ts'
import { eraseRunsOfDeleted } from './delete-subscriber.ts'

/** An erasure in progress. */
interface Erasing {
  readonly erasure: StoredErasure
  readonly persons: readonly (Person & Marked)[]
}

/** What a page did: the number of rows that it read, and the job of the next page. */
interface ErasedPage {
  readonly count: number
  readonly next: PersonErasure | undefined
  /** Milliseconds before the next page, for which there is no time to evaluate yet. Defaults to 0. */
  readonly pause?: number
}

/**
 * Executes a job that erases a page. The next page becomes a new job, in the same transaction, so that an erasure continues
 * where it was interrupted.
 *
 * @param take the number of rows in the page. @returns the number of rows read.
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
  const { count, next, pause = 0 } = await erasePage(scope, erasing, data, take)
  const availableAt = pause > 0 ? new Date(now().getTime() + pause) : undefined
  if (next === undefined) await finish(scope, erasing)
  else await enqueue(scope, [{ queue: 'erase', data: next, dueAt, ...present({ availableAt }) }])
  return count
}

function erasePage(scope: EnvironmentScope, erasing: Erasing, data: PersonErasure, take: number): Promise<ErasedPage> {
  if (data.table === undefined) return renamePage(scope, erasing, data, take)
  const table = searchedTables[data.table]
  if (table === undefined) return answersPage(scope, erasing, data, take)
  return tablePage(scope, erasing, { ...data, table: data.table }, table, take)
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
    await renameRuns(scope, ids, { placeholder: person.placeholder, error: reasons.subscriber_deleted })
  }
  const isLast = index === persons.length - 1
  const following = isLast ? { erasureId, table: 0 } : { erasureId, person: index + 1 }
  return { count: ids.length, next: ids.length === take ? { erasureId, person: index } : following }
}

/** What was found in rows, from the first. */
interface Searched {
  readonly outcomes: readonly Exclude<Evaluated<RowWithoutPersons>, { status: 'deferred' }>[]
  /** Milliseconds after which the other rows can be searched. Undefined if there are no others. */
  readonly pause: number | undefined
}

/** Searches rows as far as the budget of a job suffices. */
async function searchRows(
  { evaluator }: EnvironmentScope,
  persons: readonly Marked[],
  rows: readonly Pick<ErasedRow, 'about' | 'columns'>[],
): Promise<Searched> {
  const evaluation = evaluator.begin(jobBudget)
  const found = await evaluation.run(
    'erasure',
    rows.map((row) => ({ ...row, persons })),
  )
  const outcomes: Searched['outcomes'][number][] = []
  for (const outcome of found) {
    if (outcome.status === 'deferred') return { outcomes, pause: evaluation.pause() }
    outcomes.push(outcome)
  }
  return { outcomes, pause: undefined }
}

/** Searches a page of a table, and replaces what names a person. */
async function tablePage(
  scope: EnvironmentScope,
  { erasure, persons }: Erasing,
  { erasureId, table: index, after, until }: PersonErasure & { readonly table: number },
  table: SearchedTable,
  take: number,
): Promise<ErasedPage> {
  const page = await searchPage(scope, table, persons, {
    after,
    until: until === undefined ? erasure.createdAt : new Date(until),
    take,
  })
  const columns = Object.keys(table.columns)
  const { outcomes, pause } = await searchRows(
    scope,
    persons,
    page.rows.map(({ about, found }) => ({ about, columns: columns.map((column) => found[column]) })),
  )
  const named = outcomes.flatMap((outcome, place) => {
    const row = page.rows[place]
    if (outcome.status === 'failed') throw new Error(explain(`The search of ${table.name} ${row?.key.join()}`, outcome))
    if (row === undefined || outcome.value.persons.length === 0) return []
    const erased = Object.fromEntries(columns.map((column, at) => [column, outcome.value.columns[at]]))
    return [{ key: row.key, found: table.name === 'events' ? eventWithout(persons, row, erased) : erased }]
  })
  await writeSearched(scope, table, named)
  const same = { erasureId, table: index, ...present({ until }) }
  if (pause !== undefined) {
    const last = page.rows[outcomes.length - 1]
    return { count: outcomes.length, next: { ...same, ...present({ after: last ? placeAfter(last) : after }) }, pause }
  }
  if (page.next !== undefined) return { count: page.searched, next: { ...same, after: page.next } }
  // What is still executed reads events that name nobody from now on.
  const next = { erasureId, table: index + 1, until: until ?? scope.now().toISOString() }
  return { count: page.searched, next }
}

/** An event without persons: without its content if it was for them alone, and with an id that stays unique. */
function eventWithout(
  persons: readonly Person[],
  { key, found }: SuspectRow,
  erased: Readonly<Record<string, unknown>>,
): SuspectRow['found'] {
  const isAlone = isForOnly(persons, found['recipients'])
  const isSame = erased['transaction_id'] === found['transaction_id']
  return {
    ...erased,
    ...(isAlone && { payload: {}, overrides: {} }),
    transaction_id: isSame ? found['transaction_id'] : `erased-${key.join()}`,
  }
}

/** True if a trigger names one or more of these persons and nobody else. */
function isForOnly(persons: readonly Person[], recipients: unknown): boolean {
  const ids = new Set(persons.map(({ subscriberId }) => subscriberId))
  const named = storedRecipients.parse(recipients)
  return named.length > 0 && named.every((one) => 'subscriberId' in one && ids.has(one.subscriberId))
}

/** Stored responses in one page. They are decrypted on the event loop. */
const MAX_ANSWERS = 25

/** Replaces what names a person in a page of the stored responses to idempotent requests. */
async function answersPage(
  scope: EnvironmentScope,
  { persons }: Erasing,
  data: PersonErasure,
  take: number,
): Promise<ErasedPage> {
  const { cipher, environmentId } = scope
  const limit = Math.min(take, MAX_ANSWERS)
  const answers = await holdAnswers(scope, { after: data.after ?? '', take: limit })
  const contents = answers.map(({ body }) => attempted(() => cipher.decrypt(body, environmentId)))
  const { outcomes, pause } = await searchRows(
    scope,
    persons,
    answers.map(({ key, headers }, place) => ({ about: [], columns: [key, headers, parsed(contents[place])] })),
  )
  for (const [place, outcome] of outcomes.entries()) {
    const key = answers[place]?.key
    if (key === undefined) continue
    // Without its encryption key, it can neither be searched nor sent again.
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
  const after = answers[outcomes.length - 1]?.key ?? data.after
  const isLast = pause === undefined && answers.length < limit
  return {
    count: outcomes.length,
    next: isLast ? undefined : { ...data, ...present({ after }) },
    ...present({ pause }),
  }
}

const storedHeaders = z.record(z.string(), z.string())

/** Returns the value of a JSON document, and any other text as it is. */
function parsed(text: string | undefined): unknown {
  const value = text === undefined ? undefined : attempted((): unknown => JSON.parse(text))
  return typeof value === 'object' && value !== null ? value : text
}

/** Returns undefined if a text cannot be read. */
function attempted<Result>(read: () => Result): Result | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}

/** Ends an erasure, and forgets what it searched for. */
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
