// Triggers: decides which are accepted, and what callers receive for them.
import { eventsByTransactionId } from '../../data/event.ts'
import type { Event } from '../../data/prisma/client.ts'
import { isTransaction } from '../../data/statement/statement.ts'
import { type Accepted, expectNamed, findNamed, type Found, type Named } from '../../data/trigger.ts'
import { refuse, Refusal } from '../../lib/errors.ts'
import { inSpan } from '../../lib/span.ts'
import { idlenessOf } from './event-status.ts'
import { openPayloadChecks, type PayloadChecks } from './payload-check.ts'
import { topicKeysOf } from './recipient.ts'
import type { Scope } from '../resolver/scope.ts'
import { acceptedBy, type Draft, draftOf, writeAll, writeEach } from './trigger-draft.ts'
import { traceRepeated } from './trigger-trace.ts'
import { storeTriggerFiles } from './trigger-files.ts'
import { MAX_PAYLOAD, type Trigger } from './trigger-input.ts'
import { loadTriggeredWorkflow, type TriggeredWorkflow } from './triggered-workflow.ts'

/** The result of a trigger (CALLERS: trigger). */
export const eventStatuses = [
  'processed',
  'error',
  'trigger_not_active',
  'no_workflow_active_steps_defined',
  'no_workflow_steps_defined',
  'no_tenant_found',
  'invalid_recipients',
] as const

export interface Triggered {
  readonly status: (typeof eventStatuses)[number]
  readonly transactionId: string
  /** Null if the trigger failed. */
  readonly event: Event | null
  /**
   * True if an event with this transaction id already existed. `event` is that event, and the trigger had no effect.
   */
  readonly duplicate: boolean
  /** Why the trigger failed or has no effect. Otherwise empty. */
  readonly errors: readonly string[]
  /** Why the trigger of a bulk request failed. Null if it did not. The door reports it in its own words. */
  readonly refusal: Refusal | null
}

/** Returns the result for an accepted event. An event without effect is also accepted (CALLERS: trigger). */
function triggered(event: Event, workflow: TriggeredWorkflow, duplicate: boolean): Triggered {
  const idle = idlenessOf(workflow)
  const { transactionId } = event
  return {
    status: idle?.status ?? 'processed',
    transactionId,
    event,
    duplicate,
    errors: idle ? [idle.error] : [],
    refusal: null,
  }
}

function assertPayloadSize(payload: Trigger['payload']): void {
  const size = Buffer.byteLength(JSON.stringify(payload ?? {}))
  if (size > MAX_PAYLOAD) {
    throw refuse(
      'PAYLOAD_TOO_LARGE',
      `payload must be at most ${MAX_PAYLOAD} bytes of JSON, and has ${size}`,
      'payload',
    )
  }
}

/**
 * A trigger whose transaction id was already used, by an existing event or by an earlier trigger of the same bulk
 * request.
 */
interface Repetition {
  readonly given: Trigger
  readonly transactionId: string
  readonly earlier: Draft | undefined
}

type Decision = Draft | Repetition | Refusal

const isDraft = (decision: Decision): decision is Draft => 'snapshot' in decision

/** Decides on one trigger. @throws Refusal `PAYLOAD_TOO_LARGE`, or like `draftOf`. */
async function decide(
  scope: Scope,
  given: Trigger,
  found: Found,
  drafts: ReadonlyMap<string, Draft>,
  checks: PayloadChecks,
): Promise<Draft | Repetition> {
  assertPayloadSize(given.payload)
  const transactionId = given.transactionId ?? scope.newId()
  const earlier = drafts.get(transactionId)
  if (earlier !== undefined || found.transactionIds.has(transactionId)) return { given, transactionId, earlier }
  return draftOf(scope, given, transactionId, found, checks)
}

/** Collects the workflows, topics and transaction ids that triggers refer to. */
function namedIn(given: readonly (Trigger | Refusal)[]): Named {
  const triggers = given.flatMap((one) => (one instanceof Refusal ? [] : [one]))
  return {
    workflows: triggers.map(({ name }) => name),
    topicKeys: triggers.flatMap(({ to }) => topicKeysOf(to)),
    transactionIds: triggers.flatMap(({ transactionId }) => transactionId ?? []),
  }
}

/** Decides which triggers are accepted, in order. */
async function decideAll(
  scope: Scope,
  given: readonly (Trigger | Refusal)[],
  found: Found,
  checks: PayloadChecks,
): Promise<readonly Decision[]> {
  const drafts = new Map<string, Draft>()
  const decisions: Decision[] = []
  for (const one of given) {
    try {
      if (one instanceof Refusal) throw one
      const decision = await decide(scope, one, found, drafts, checks)
      if (isDraft(decision)) drafts.set(decision.event.transactionId, decision)
      decisions.push(decision)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      decisions.push(error)
    }
  }
  return decisions
}

async function resultOf(scope: Scope, decision: Decision): Promise<Triggered | Refusal> {
  if (decision instanceof Refusal) return decision
  if (isDraft(decision)) return triggered(decision.event, decision.workflow, false)
  const { given, transactionId, earlier } = decision
  const event = earlier?.event ?? (await scope.load(eventsByTransactionId, transactionId))
  if (event === null) throw new Error(`the event with the transaction id "${transactionId}" was not found again`)
  traceRepeated(scope, given, event)
  return triggered(event, earlier?.workflow ?? (await loadTriggeredWorkflow(scope, event)), true)
}

/**
 * Accepts triggers with one writing statement, which writes the given subscribers, creates missing contexts and records
 * the events. Another statement reads the rows that the triggers refer to, unless this process has them cached. Each
 * trigger succeeds or fails alone, as if they arrived one after the other. A repeated transaction id has no effect.
 *
 * @param given the triggers. A refusal stands for an invalid trigger and becomes its result.
 * @returns the results in the order of the triggers.
 */
export async function acceptAll(
  scope: Scope,
  given: readonly (Trigger | Refusal)[],
  checks = openPayloadChecks(scope),
  write: (triggers: readonly Accepted[]) => Promise<boolean> = (triggers) => writeAll(scope, triggers),
): Promise<readonly (Triggered | Refusal)[]> {
  const named = namedIn(given)
  for (let expected = expectNamed(scope, named); ; expected = undefined) {
    const decisions = await decideAll(scope, given, expected ?? (await findNamed(scope, named)), checks)
    // A trigger is never rejected because of cached rows, which may have changed.
    if (expected !== undefined && decisions.some((decision) => decision instanceof Refusal)) continue
    const drafts = decisions.filter(isDraft)
    if (await write(drafts.map(acceptedBy))) {
      scope.afterCommit(() => scope.metrics.triggersAccepted(drafts.length))
      return Promise.all(decisions.map((decision) => resultOf(scope, decision)))
    }
    // The rows on which the decisions depend have changed since they were read.
  }
}

/**
 * Accepts one trigger, like `acceptAll`. Outside of transactions, triggers that arrive in an environment while another
 * one is being written are then written together.
 *
 * @throws Refusal if it fails.
 */
export function accept(scope: Scope, given: Trigger, checks?: PayloadChecks): Promise<Triggered> {
  const span = () => ({ name: 'trigger', parent: scope.trace.traceparent, attributes: { workflow: given.name } })
  return inSpan(span, () => acceptOne(scope, given, checks))
}

/** Stores the files of a trigger. @throws Refusal like `storeTriggerFiles`. */
export async function withFiles(scope: Scope, given: Trigger): Promise<Trigger> {
  const { attachments, ...trigger } = given
  if (!attachments?.length) return given
  assertPayloadSize(given.payload)
  return { ...trigger, files: await storeTriggerFiles(scope, attachments) }
}

async function acceptOne(scope: Scope, given: Trigger, checks?: PayloadChecks): Promise<Triggered> {
  const { acceptance, withoutPlace, environmentId } = scope
  const writeOne = async (triggers: readonly Accepted[]) => {
    const [trigger] = triggers
    if (trigger === undefined || isTransaction(scope.db)) return writeAll(scope, triggers)
    const isWritten = await withoutPlace(() =>
      acceptance.join(environmentId, trigger, (group) => writeEach(scope, group)),
    )
    // Another request may have written it.
    scope.forget()
    return isWritten
  }
  const [result = new Error('a trigger has no result')] = await acceptAll(scope, [given], checks, writeOne)
  if (result instanceof Error) throw result
  return result
}
