// Erases a person: the subscriber at once, and in jobs all that names it elsewhere in the environment.
import { z } from 'zod'
import {
  deleteRunErasures,
  holdRunsNamed,
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
import type { ChannelEndpoint, Subscriber } from '../data/prisma/client.ts'
import { audit } from '../domain/audit.ts'
import { type ChannelCredential, loadCredentials } from '../domain/credential.ts'
import { DecryptionError } from '../domain/decrypt.ts'
import { type Erasure, openPerson, type Person, placeholderOf, sealPerson } from '../domain/erasure.ts'
import { storedRecipients } from '../domain/recipient.ts'
import { mutation } from '../domain/resolver.ts'
import type { EnvironmentScope, Scope } from '../domain/scope.ts'
import { asObject } from '../domain/stored-json.ts'
import { subscriberId } from '../domain/subscriber.ts'
import { createReplacer, marksOf, type Replacer } from '../lib/marks.ts'
import { text } from '../lib/validation.ts'
import { reasons } from './decision.ts'
import { eraseRunsOfDeleted, removeSubscriber } from './delete-subscriber.ts'

/** Other marks of a person in one request. */
export const MAX_MARKS = 20

/** The fields of endpoints that name a person, and not a place that several share. */
const personalFields = ['phoneNumber', 'personEmail', 'personId', 'userId'] as const

function personOf(
  subscriberId: string,
  profile: Subscriber | null,
  endpoints: readonly Pick<ChannelEndpoint, 'endpoint'>[],
  credentials: readonly ChannelCredential[],
  also: readonly string[],
): Person {
  const { firstName = null, lastName = null, email = null, phone = null, avatar = null } = profile ?? {}
  const fullNames = firstName && lastName ? [`${firstName} ${lastName}`, `${lastName}, ${firstName}`] : []
  const addresses = endpoints.flatMap(({ endpoint }) => {
    const fields = asObject(endpoint)
    return personalFields.map((field) => fields[field]).filter((value) => typeof value === 'string')
  })
  const devices = credentials.flatMap(({ webhookUrl, deviceTokens }) => [webhookUrl, ...deviceTokens])
  const own = [subscriberId, email, phone, ...fullNames, ...addresses, ...devices, ...also]
  return { subscriberId, ...marksOf(own, [firstName, lastName, avatar]) }
}

/** Credentials that cannot be decrypted are left out: so cannot any text that has them. */
async function readableCredentials(scope: Scope, subscriberId: string): Promise<readonly ChannelCredential[]> {
  try {
    return await loadCredentials(scope, subscriberId)
  } catch (error) {
    if (error instanceof DecryptionError) return []
    throw error
  }
}

/**
 * Deletes a subscriber and erases what names it: its runs, the payloads of events for it alone, and its id, addresses and
 * names in all other events, messages, notifications and stored responses. The jobs take a while; the erasure says when
 * they have finished. A subscriber that was deleted before can be erased too, by its id and other marks.
 */
export const eraseSubscriber = mutation({
  name: 'subscriber.erase',
  permission: 'subscriber:write',
  rate: { category: 'configuration', cost: 100 },
  input: z.object({ subscriberId, also: z.array(text(320, 3)).max(MAX_MARKS).nullish() }),
  async run(scope, { subscriberId, also }): Promise<Erasure> {
    const { db, environmentId, caller } = scope
    const found = await db.subscriber.findUnique({
      where: { environmentId_subscriberId: { environmentId, subscriberId } },
    })
    const endpoints = await db.channelEndpoint.findMany({
      where: { environmentId, subscriberId },
      select: { endpoint: true },
    })
    const credentials = await readableCredentials(scope, subscriberId)
    if (found !== null) await removeSubscriber(scope, found)
    const { marks: _marks, ...erasure } = await db.erasure.create({
      data: {
        environmentId,
        id: scope.newId(),
        marks: sealPerson(scope, personOf(subscriberId, found, endpoints, credentials, also ?? [])),
        apiKeyId: 'apiKeyId' in caller ? caller.apiKeyId : null,
        createdAt: scope.now(),
      },
    })
    await enqueue(scope, [{ queue: 'erase', data: { erasureId: erasure.id } }])
    audit(scope, 'erasure requested', { environmentId, erasureId: erasure.id })
    return erasure
  },
})

/** An erasure in progress. */
interface Erasing {
  readonly erasure: StoredErasure
  readonly person: Person
  readonly placeholder: string
  readonly replacer: Replacer
}

/** What a page did: the number of rows that it read, and the job of the next page. */
interface ErasedPage {
  readonly count: number
  readonly next: PersonErasure | undefined
}

/**
 * Executes a job that erases a page. The next page becomes a new job, in the same transaction, so that an erasure continues
 * where it was interrupted.
 *
 * @param take the number of rows in the page. @returns the number of rows read.
 */
export async function erasePerson(
  scope: EnvironmentScope,
  { data, dueAt }: Pick<Job, 'dueAt'> & { readonly data: PersonErasure },
  take: number,
): Promise<number> {
  const { db, environmentId } = scope
  const erasure = await db.erasure.findUnique({ where: { environmentId_id: { environmentId, id: data.erasureId } } })
  if (!erasure?.marks) return 0
  const person = openPerson(scope, erasure.marks)
  const placeholder = placeholderOf(erasure.id)
  const erasing: Erasing = { erasure, person, placeholder, replacer: createReplacer(person, placeholder) }
  const { count, next } = await erasePage(scope, erasing, data, take)
  if (next === undefined) await finish(scope, erasing)
  else await enqueue(scope, [{ queue: 'erase', data: next, dueAt }])
  return count
}

function erasePage(scope: EnvironmentScope, erasing: Erasing, data: PersonErasure, take: number): Promise<ErasedPage> {
  if (data.table === undefined) return renamePage(scope, erasing, data, take)
  const table = searchedTables[data.table]
  if (table === undefined) return answersPage(scope, erasing, data, take)
  return tablePage(scope, erasing, { ...data, table: data.table }, table, take)
}

/** Erases a page of the runs of the person. */
async function renamePage(
  scope: EnvironmentScope,
  { erasure, person, placeholder }: Erasing,
  { erasureId }: PersonErasure,
  take: number,
): Promise<ErasedPage> {
  const ids = await holdRunsNamed(scope, person.subscriberId, erasure.createdAt, take)
  if (ids.length > 0) {
    await eraseRunsOfDeleted(scope, ids)
    await renameRuns(scope, ids, { placeholder, error: reasons.subscriber_deleted })
  }
  return { count: ids.length, next: ids.length === take ? { erasureId } : { erasureId, table: 0 } }
}

/** Searches a page of a table, and replaces what names the person. */
async function tablePage(
  scope: EnvironmentScope,
  erasing: Erasing,
  { erasureId, table: index, after, until }: PersonErasure & { readonly table: number },
  table: SearchedTable,
  take: number,
): Promise<ErasedPage> {
  const { erasure, person, placeholder, replacer } = erasing
  const page = await searchPage(scope, table, person, {
    placeholder,
    after,
    until: until === undefined ? erasure.createdAt : new Date(until),
    take,
  })
  const named = page.rows.filter(({ belongs, found }) => belongs || replacer.names(found))
  await writeSearched(
    scope,
    table,
    named.map((row) => ({ key: row.key, found: erasedRow(erasing, table, row) })),
  )
  const { searched: count, last } = page
  if (count === take && last !== undefined) {
    return { count, next: { erasureId, table: index, after: last, ...(until !== undefined && { until }) } }
  }
  // What is still executed reads events that name nobody from now on.
  return { count, next: { erasureId, table: index + 1, until: until ?? scope.now().toISOString() } }
}

/** The columns of a row without the person. */
function erasedRow({ replacer, person }: Erasing, table: SearchedTable, { key, found }: SuspectRow) {
  if (table.name !== 'events') return replacedIn(found, replacer)
  const { transaction_id: transactionId, recipients, payload, overrides, ...others } = found
  const isAlone = isForAlone(recipients, person)
  return {
    ...replacedIn(others, replacer),
    recipients: replacer.json(recipients),
    payload: isAlone ? {} : replacer.json(payload),
    overrides: isAlone ? {} : replacer.json(overrides),
    // Unique, so that it cannot be the placeholder.
    transaction_id: replacer.names(transactionId) ? `erased-${key.join()}` : transactionId,
  }
}

const replacedIn = (found: SuspectRow['found'], replacer: Replacer) =>
  Object.fromEntries(Object.entries(found).map(([column, value]) => [column, replacer.json(value)]))

/** True if a trigger names the person and nobody else. */
function isForAlone(recipients: unknown, { subscriberId }: Person): boolean {
  const [first, ...others] = storedRecipients.parse(recipients)
  return first !== undefined && others.length === 0 && 'subscriberId' in first && first.subscriberId === subscriberId
}

/** Replaces what names the person in a page of the stored responses to idempotent requests. */
async function answersPage(
  scope: EnvironmentScope,
  { replacer }: Erasing,
  data: PersonErasure,
  take: number,
): Promise<ErasedPage> {
  const { cipher, environmentId } = scope
  const answers = await holdAnswers(scope, { after: data.after ?? '', take })
  for (const { key, headers, body } of answers) {
    const content = attempted(() => cipher.decrypt(body, environmentId))
    // Without its key, it can neither be searched nor sent again.
    if (content === undefined) await changeAnswer(scope, key, undefined)
    else if (replacer.names([key, attempted((): unknown => JSON.parse(content)) ?? content, headers])) {
      await changeAnswer(scope, key, {
        key: replacer.names(key) ? `erased-${scope.newId()}` : key,
        headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, replacer.text(value)])),
        body: cipher.encrypt(replacer.text(content), environmentId),
      })
    }
  }
  const last = answers.at(-1)
  const isFull = answers.length === take && last !== undefined
  return { count: answers.length, next: isFull ? { ...data, after: last.key } : undefined }
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
async function finish(scope: EnvironmentScope, { erasure, person }: Erasing): Promise<void> {
  const { db, environmentId, log } = scope
  const { id: erasureId, apiKeyId } = erasure
  await deleteRunErasures(scope, person.subscriberId)
  await db.erasure.update({
    where: { environmentId_id: { environmentId, id: erasureId } },
    data: { marks: null, finishedAt: scope.now() },
  })
  scope.afterCommit(() => {
    log.info({ environmentId, erasureId, ...(apiKeyId !== null && { apiKeyId }) }, 'erasure finished')
  })
}
