// Triggers: what callers send, the checks of it, and the events that accepted ones become.
import { z } from 'zod'
import { isUniqueViolation } from '../data/database-errors.ts'
import { eventsByTransactionId } from '../data/event.ts'
import type { Context, Event } from '../data/prisma/client.ts'
import type { CredentialRow } from '../data/subscriber-credential.ts'
import type { SubscriberPatch } from '../data/subscriber.ts'
import { findNamed, type Found, writeAccepted } from '../data/trigger.ts'
import { type NewSnapshot, newSnapshot } from '../data/workflow-snapshot.ts'
import { refuse, Refusal } from '../lib/errors.ts'
import { jsonObject, text } from '../lib/validation.ts'
import { contextInput, contextKeysOf, newContexts } from './context.ts'
import { idlenessOf } from './event-status.ts'
import { assertPayload, openPayloadChecks, type PayloadChecks, workflowNamed } from './payload-check.ts'
import { actor, recipients, recipientsOfTrigger, subscriberChanges, topicKeysOf } from './recipient.ts'
import type { Scope } from './scope.ts'
import { topicNotFound } from './topic.ts'
import { digestAhead, loadTriggeredWorkflow, snapshotOf, type TriggeredWorkflow } from './triggered-workflow.ts'
import { workflowNotFound } from './workflow.ts'

/** Maximum size of a payload, in bytes of JSON (CALLERS: Errors). */
export const MAX_PAYLOAD = 512 * 1024

/** The input schema of one trigger. */
export const trigger = z.object({
  /** The workflow's identifier (SPEC: trigger). */
  name: text(255, 1),
  to: recipients,
  payload: jsonObject({ maxBytes: Infinity }).nullish(),
  context: contextInput,
  transactionId: text(255, 1).nullish(),
  overrides: jsonObject().nullish(),
  actor,
})
export type Trigger = z.output<typeof trigger>

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
  /** True if an event with this transaction id existed: `event` is that one, and the trigger had no effect. */
  readonly duplicate: boolean
  /** Why the trigger failed or does nothing. Otherwise empty. */
  readonly errors: readonly string[]
}

/** Returns the result for an accepted event. An event that does nothing is also accepted (CALLERS: trigger). */
function triggered(event: Event, workflow: TriggeredWorkflow, duplicate: boolean): Triggered {
  const idle = idlenessOf(workflow)
  const { transactionId } = event
  return { status: idle?.status ?? 'processed', transactionId, event, duplicate, errors: idle ? [idle.error] : [] }
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

/** A trigger that passed its checks, and what it writes. */
interface Draft {
  readonly event: Event
  readonly workflow: TriggeredWorkflow
  readonly snapshot: NewSnapshot
  readonly contexts: readonly Context[]
  readonly patches: readonly SubscriberPatch[]
  readonly credentials: readonly CredentialRow[]
  readonly topicKeys: readonly string[]
}

/** A trigger whose transaction id was used: by an event that exists, or by an earlier trigger of the same bulk. */
interface Repetition {
  readonly transactionId: string
  readonly earlier: Draft | undefined
}

type Decision = Draft | Repetition | Refusal

const isDraft = (decision: Decision): decision is Draft => 'snapshot' in decision

/** @throws Refusal `NOT_FOUND`, or one for the payload or the recipients. */
async function draftOf(
  scope: Scope,
  given: Trigger,
  transactionId: string,
  found: Found,
  checks: PayloadChecks,
): Promise<Draft> {
  const current = workflowNamed(found.workflows, given.name)
  if (current === undefined) throw workflowNotFound(given.name, 'name')
  await assertPayload(current, given, checks)
  const topicKeys = topicKeysOf(given.to)
  for (const key of topicKeys) if (!found.topicKeys.has(key)) throw topicNotFound(key, 'to')
  const changes = await subscriberChanges(scope, given)
  const workflow = snapshotOf(current)
  const snapshot = newSnapshot(workflow)
  const idle = idlenessOf(workflow)
  const { environmentId, newId, now } = scope
  const createdAt = now()
  const event: Event = {
    environmentId,
    id: newId(),
    transactionId,
    workflowIdentifier: workflow.identifier,
    snapshotHash: snapshot.hash,
    recipients: recipientsOfTrigger(given.to),
    payload: given.payload ?? {},
    overrides: given.overrides ?? {},
    actor: changes.actor,
    contextKeys: contextKeysOf(given.context),
    reason: idle?.reason ?? null,
    detail: idle ? `${idle.error}.` : null,
    fannedOutAt: null,
    cancelledAt: null,
    createdAt,
    updatedAt: createdAt,
  }
  return { event, workflow, snapshot, contexts: newContexts(scope, given.context), topicKeys, ...changes }
}

/** Decides about one trigger. @throws Refusal `PAYLOAD_TOO_LARGE`, or as `draftOf` does. */
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
  if (earlier !== undefined || found.transactionIds.has(transactionId)) return { transactionId, earlier }
  return draftOf(scope, given, transactionId, found, checks)
}

/** Decides about triggers, in order, after one look at everything that they name. */
async function decideAll(
  scope: Scope,
  given: readonly (Trigger | Refusal)[],
  checks: PayloadChecks,
): Promise<readonly Decision[]> {
  const triggers = given.flatMap((one) => (one instanceof Refusal ? [] : [one]))
  const found = await findNamed(scope, {
    workflows: triggers.map(({ name }) => name),
    topicKeys: triggers.flatMap(({ to }) => topicKeysOf(to)),
    transactionIds: triggers.flatMap(({ transactionId }) => transactionId ?? []),
  })
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

/** Writes all drafts or none. @returns false if none, because something that they depend on has changed. */
async function write(scope: Scope, drafts: readonly Draft[]): Promise<boolean> {
  if (drafts.length === 0) return true
  const accepted = {
    events: drafts.map(({ event }) => event),
    snapshots: [...new Map(drafts.map(({ snapshot }) => [snapshot.hash, snapshot])).values()],
    jobs: drafts.flatMap(({ event, workflow }) =>
      event.reason === null
        ? {
            queue: 'fan_out' as const,
            data: { eventId: event.id },
            dueAt: event.createdAt,
            digestWorkflowId: digestAhead(workflow, 0),
          }
        : [],
    ),
    contexts: drafts.flatMap(({ contexts }) => contexts),
    patches: drafts.flatMap(({ patches }) => patches),
    credentials: drafts.flatMap(({ credentials }) => credentials),
    workflowIds: drafts.map(({ workflow }) => workflow.id),
    topicKeys: drafts.flatMap(({ topicKeys }) => topicKeys),
  }
  try {
    return await scope.atomic((inner) => writeAccepted(inner, accepted))
  } catch (error) {
    // Another request has just used one of the transaction ids.
    if (isUniqueViolation(error)) return false
    throw error
  }
}

async function resultOf(scope: Scope, decision: Decision): Promise<Triggered | Refusal> {
  if (decision instanceof Refusal) return decision
  if (isDraft(decision)) return triggered(decision.event, decision.workflow, false)
  const { transactionId, earlier } = decision
  if (earlier !== undefined) return triggered(earlier.event, earlier.workflow, true)
  const event = await scope.load(eventsByTransactionId, transactionId)
  if (event === null) throw new Error(`the event with the transaction id "${transactionId}" was not found again`)
  return triggered(event, await loadTriggeredWorkflow(scope, event), true)
}

/**
 * Accepts triggers with one statement that reads and one that writes: writes the given subscribers, creates missing
 * contexts and records the events. Each trigger succeeds or fails alone, as if they came one after the other. A repeated
 * transaction id has no effect.
 *
 * @param given a refusal stands for a trigger that is invalid, and is its result.
 * @returns the results in the order of the triggers.
 */
export async function acceptAll(
  scope: Scope,
  given: readonly (Trigger | Refusal)[],
  checks = openPayloadChecks(scope),
): Promise<readonly (Triggered | Refusal)[]> {
  for (;;) {
    const decisions = await decideAll(scope, given, checks)
    if (await write(scope, decisions.filter(isDraft))) {
      return Promise.all(decisions.map((decision) => resultOf(scope, decision)))
    }
    // What the decisions depend on has changed since it was read.
  }
}

/** Accepts one trigger, as `acceptAll` does. @throws Refusal if it fails. */
export async function accept(scope: Scope, given: Trigger, checks?: PayloadChecks): Promise<Triggered> {
  const [result = new Error('a trigger has no result')] = await acceptAll(scope, [given], checks)
  if (result instanceof Error) throw result
  return result
}
