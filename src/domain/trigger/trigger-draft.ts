// Drafts: triggers that passed their checks but are not written yet, and how to write them.
import type { NewEventAttachment } from '../../data/attachment/attachment.ts'
import { isForeignKeyViolation, isLost, isUniqueViolation } from '../../data/driver/database-errors.ts'
import type { Context, Event } from '../../data/prisma/client.ts'
import type { CredentialRow } from '../../data/subscriber-credential.ts'
import type { SubscriberPatch } from '../../data/subscriber.ts'
import type { Priority } from '../../data/queue/job.ts'
import { type Accepted, type Found, type TriggerableWorkflow, writeAccepted } from '../../data/trigger.ts'
import { type NewSnapshot, newSnapshot } from '../../data/workflow-snapshot.ts'
import { asObject } from '../channel/stored-json.ts'
import { contextKeysOf, newContexts } from '../context.ts'
import { idlenessOf } from './event-status.ts'
import { checkedPayload, type PayloadChecks, workflowNamed } from './payload-check.ts'
import { recipientsOfTrigger, subscriberChanges, topicKeysOf } from './recipient.ts'
import { type SecretFields, secretFieldsOf } from '../../evaluation/secret-fields.ts'
import { refuse } from '../../lib/errors.ts'
import { wantedAmong } from '../outbox/webhook-message.ts'
import { subscriberTypes } from '../outbox/webhook-type.ts'
import type { Scope } from '../resolver/scope.ts'
import { sealPayload } from './secret-payload.ts'
import { topicNotFound } from '../topic.ts'
import type { Trigger } from './trigger-input.ts'
import { digestAhead, priorityOf, snapshotOf, type TriggeredWorkflow } from './triggered-workflow.ts'
import { workflowNotFound } from '../workflow.ts'

/** A trigger that passed its checks, and the rows to write. */
export interface Draft {
  readonly event: Event
  /** The priority of the event's jobs. */
  readonly priority: Priority
  readonly current: TriggerableWorkflow
  readonly workflow: TriggeredWorkflow
  readonly snapshot: NewSnapshot
  readonly contexts: readonly Context[]
  readonly patches: readonly SubscriberPatch[]
  readonly credentials: readonly CredentialRow[]
  readonly topicKeys: readonly string[]
  readonly attachments: readonly NewEventAttachment[]
}

interface Copy {
  readonly workflow: TriggeredWorkflow
  /** The secret fields of its payloads. Undefined if it has none. */
  readonly secretFields: SecretFields | undefined
  readonly snapshot: NewSnapshot
}

const copies = new WeakMap<TriggerableWorkflow, Copy>()

/** The workflow as its events run it. Created once for a workflow that several requests trigger. */
function copyOf(current: TriggerableWorkflow): Copy {
  const known = copies.get(current)
  if (known) return known
  const workflow = snapshotOf(current)
  const { payloadSchema } = current
  const secretFields = payloadSchema === null ? undefined : secretFieldsOf(asObject(payloadSchema))
  const copy = { workflow, secretFields, snapshot: newSnapshot(workflow) }
  copies.set(current, copy)
  return copy
}

/** @throws Refusal `NOT_FOUND`, or a refusal of the payload or the recipients. */
export async function draftOf(
  scope: Scope,
  given: Trigger,
  transactionId: string,
  found: Found,
  checks: PayloadChecks,
): Promise<Draft> {
  const current = workflowNamed(found.workflows, given)
  if (current === undefined) throw workflowNotFound(given.name, 'name')
  const payload = await checkedPayload(current, given, checks)
  const topicKeys = topicKeysOf(given.to)
  for (const key of topicKeys) if (!found.topicKeys.has(key)) throw topicNotFound(key, 'to')
  const changes = await subscriberChanges(scope, given)
  const { workflow, secretFields, snapshot } = copyOf(current)
  const idle = idlenessOf(workflow)
  const { environmentId, newId, now } = scope
  const createdAt = now()
  const recipients = recipientsOfTrigger(given.to)
  const event: Event = {
    environmentId,
    id: newId(),
    transactionId,
    workflowIdentifier: workflow.identifier,
    snapshotHash: snapshot.hash,
    recipients,
    ...sealPayload(scope, payload, secretFields),
    secretsRemovedAt: null,
    overrides: given.overrides ?? {},
    actor: changes.actor,
    contextKeys: contextKeysOf(given.context),
    reason: idle?.reason ?? null,
    detail: idle ? `${idle.error}.` : null,
    attachmentCount: given.files?.length || null,
    traceparent: scope.trace.traceparent,
    fannedOutAt: null,
    cancelledAt: null,
    createdAt,
    updatedAt: createdAt,
  }
  const contexts = newContexts(scope, given.context)
  const groups = recipients.filter((one) => !('subscriberId' in one)).length
  const priority = priorityOf(workflow, { subscribers: recipients.length - groups, groups })
  const attachments = (given.files ?? []).map((file) => ({ ...file, eventId: event.id, createdAt }))
  return { event, priority, current, workflow, snapshot, contexts, topicKeys, attachments, ...changes }
}

/** The rows of a draft. */
export const acceptedBy = (draft: Draft): Accepted => {
  const { event, priority, current, workflow, snapshot, ...others } = draft
  const job = {
    queue: 'fan_out' as const,
    data: { eventId: event.id },
    dueAt: event.createdAt,
    digestWorkflowId: digestAhead(workflow, 0),
    priority,
  }
  return {
    ...others,
    events: [event],
    snapshots: [snapshot],
    jobs: event.reason === null ? [job] : [],
    workflows: [current],
  }
}

/** Writes all triggers or none. @returns false if it wrote none, because a row on which they depend has changed. */
export async function writeAll(scope: Scope, triggers: readonly Accepted[]): Promise<boolean> {
  if (triggers.length === 0) return true
  const all = {
    events: triggers.flatMap(({ events }) => events),
    snapshots: triggers.flatMap(({ snapshots }) => snapshots),
    jobs: triggers.flatMap(({ jobs }) => jobs),
    contexts: triggers.flatMap(({ contexts }) => contexts),
    patches: triggers.flatMap(({ patches }) => patches),
    credentials: triggers.flatMap(({ credentials }) => credentials),
    workflows: triggers.flatMap(({ workflows }) => workflows),
    topicKeys: triggers.flatMap(({ topicKeys }) => topicKeys),
    attachments: triggers.flatMap(({ attachments }) => attachments),
  }
  try {
    const webhooks = await wantedAmong(scope, subscriberTypes)
    return await scope.atomic((inner) => writeAccepted(inner, all, webhooks))
  } catch (error) {
    // Another request has just used one of the transaction ids.
    if (isUniqueViolation(error)) return false
    if (all.attachments.length > 0 && isForeignKeyViolation(error)) {
      throw refuse('NOT_FOUND', 'An attachment of the trigger was just deleted: upload it again', 'attachments')
    }
    throw error
  }
}

const asError = (error: unknown) => (error instanceof Error ? error : new Error(String(error)))

/**
 * Writes triggers of different requests with one statement. If it fails, each is written alone, so that no trigger
 * fails because of another.
 *
 * @returns for each trigger, true if it was written.
 */
export async function writeEach(scope: Scope, triggers: readonly Accepted[]): Promise<readonly (boolean | Error)[]> {
  if (triggers.length > 1) {
    try {
      if (await writeAll(scope, triggers)) return triggers.map(() => true)
    } catch (error) {
      // The outcome is unknown, so the callers must repeat their triggers.
      if (isLost(error)) throw error
    }
  }
  const written: (boolean | Error)[] = []
  for (const trigger of triggers) written.push(await writeAll(scope, [trigger]).catch(asError))
  return written
}
