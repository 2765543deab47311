// Subscriber ids, which callers choose, and rules for the ids of new subscribers.
import { subscribersBySubscriberId } from '../data/subscriber.ts'
import { type Path, Refusal } from '../lib/errors.ts'
import { issueAt, objectionToId, text } from '../lib/validation.ts'
import { rowId } from './resolver/reference.ts'
import type { Scope } from './resolver/scope.ts'

/**
 * Any string that the client chooses (SPEC: Subscriber). A write that may create the subscriber also checks that the id
 * is allowed.
 */
export const subscriberId = text(255, 1)

/** The fields of an input that name an existing subscriber. */
export const subscriberReference = { subscriberId: subscriberId.nullish(), id: rowId }

/**
 * Returns true for texts that a back end may sign as the canonical JSON of contexts. A subscriber must not have such an
 * id.
 */
function isJsonObject(value: string): boolean {
  if (!value.startsWith('{')) return false
  try {
    JSON.parse(value)
    return true
  } catch {
    return false
  }
}

const NO_JSON = 'must not be a JSON object'

/** The id of a subscriber that a back end signed. Its hash must not also be valid for contexts. */
export const signedSubscriberId = subscriberId.refine((value) => !isJsonObject(value), NO_JSON)

const objectionTo = (subscriberId: string): string | undefined =>
  objectionToId(subscriberId) ?? (isJsonObject(subscriberId) ? NO_JSON : undefined)

/** True for ids that no new subscriber may have. The caller must look up whether such a subscriber exists. */
export const isUnusual = (subscriberId: string): boolean => objectionTo(subscriberId) !== undefined

/** A subscriber that is created if missing, and the path of its id in the input. */
interface Named {
  readonly subscriberId: string
  readonly path: Path
}

/**
 * Returns the reasons why subscribers must not be created, by id. Existing subscribers keep ids that earlier versions
 * allowed. Only unusual ids are looked up.
 */
export async function objectionsToNew(
  { load }: Pick<Scope, 'load'>,
  named: readonly Named[],
): Promise<ReadonlyMap<string, Refusal>> {
  const unusual = named.flatMap(({ subscriberId, path }) => {
    const objection = objectionTo(subscriberId)
    return objection === undefined ? [] : { subscriberId, issue: issueAt(path, objection, subscriberId) }
  })
  const found = await Promise.all(unusual.map(({ subscriberId }) => load(subscribersBySubscriberId, subscriberId)))
  const missing = unusual.filter((_, index) => found[index] === null)
  return new Map(
    missing.map(({ subscriberId, issue }) => [
      subscriberId,
      new Refusal('INVALID', issue.message, { issues: [issue] }),
    ]),
  )
}

/** @throws Refusal `INVALID` if a subscriber is missing and its id is not allowed for a new one. */
export async function assertNewSubscribers(scope: Pick<Scope, 'load'>, named: readonly Named[]): Promise<void> {
  for (const refusal of (await objectionsToNew(scope, named)).values()) throw refusal
}
