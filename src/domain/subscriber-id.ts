// The ids of subscribers, which callers choose: the ones that new subscribers must not have.
import { subscribersBySubscriberId } from '../data/subscriber.ts'
import { type Path, Refusal } from '../lib/errors.ts'
import { issueAt, objectionToId, text } from '../lib/validation.ts'
import type { Scope } from './resolver/scope.ts'

/** Any string that the client chooses (SPEC: Subscriber). A write that may create the subscriber also asserts that it can. */
export const subscriberId = text(255, 1)

/** Returns true for what a back end may sign as the canonical JSON of contexts, so that nobody is named like that. */
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

/** The id of a subscriber that a back end signed. A hash of it must not be one of contexts as well. */
export const signedSubscriberId = subscriberId.refine((value) => !isJsonObject(value), NO_JSON)

const objectionTo = (subscriberId: string): string | undefined =>
  objectionToId(subscriberId) ?? (isJsonObject(subscriberId) ? NO_JSON : undefined)

/** A subscriber that is created if it is missing, and the path of its id in the input. */
interface Named {
  readonly subscriberId: string
  readonly path: Path
}

/**
 * Returns why subscribers must not be created, by their id. Those that exist keep the ids that earlier versions allowed.
 * Only unusual ids are looked up.
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

/** @throws Refusal `INVALID` if a subscriber is missing and must not be created with its id. */
export async function assertNewSubscribers(scope: Pick<Scope, 'load'>, named: readonly Named[]): Promise<void> {
  for (const refusal of (await objectionsToNew(scope, named)).values()) throw refusal
}
