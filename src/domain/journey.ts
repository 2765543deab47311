// What the runs of one event have in common, and what their templates and conditions see.
import { z } from 'zod'
import type { Event, Prisma, Subscriber } from '../data/prisma/client.ts'
import { Severity } from '../data/prisma/enums.ts'
import type { DigestedEvents, StepOutcome } from '../data/run-story.ts'
import { jsonObject, type JsonObject } from '../lib/validation.ts'
import { existingContexts } from './context.ts'
import type { Workspace } from './scope.ts'
import { subscribersBySubscriberId } from './subscriber.ts'
import type { Workflow } from './workflow.ts'
import { type Step, stepsOf } from './workflow-step.ts'

const snapshot = z.object({
  id: z.string(),
  identifier: z.string(),
  name: z.string(),
  active: z.boolean(),
  critical: z.boolean(),
  severity: z.enum(Severity),
  tags: z.array(z.string()),
  channels: jsonObject(),
  steps: z.array(z.json()),
})

/** A workflow as an event keeps it: what is run, whatever becomes of the workflow meanwhile. */
export type TriggeredWorkflow = Omit<z.output<typeof snapshot>, 'steps'> & { readonly steps: readonly Step[] }

export function snapshotOf(workflow: Workflow): Prisma.InputJsonObject {
  return snapshot.parse(workflow)
}

export function triggeredWorkflowOf({ workflow }: Pick<Event, 'workflow'>): TriggeredWorkflow {
  const { steps, ...rest } = snapshot.parse(workflow)
  return { ...rest, steps: stepsOf(steps) }
}

const recipients = z.array(
  z.union([
    z.object({ subscriberId: z.string() }),
    z.object({ topicKey: z.string(), exclude: z.array(z.string()).default([]) }),
  ]),
)

/** Whom an event named: subscribers, and topics with those who are left out. The actor is left out of every topic. */
export interface Recipients {
  readonly subscriberIds: readonly string[]
  readonly topics: readonly { readonly topicKey: string; readonly exclude: ReadonlySet<string> }[]
}

export function recipientsOf({ recipients: stored, actor }: Pick<Event, 'recipients' | 'actor'>): Recipients {
  const named = recipients.parse(stored)
  return {
    subscriberIds: named.flatMap((one) => ('subscriberId' in one ? [one.subscriberId] : [])),
    topics: named.flatMap((one) =>
      'topicKey' in one
        ? [{ topicKey: one.topicKey, exclude: new Set([...one.exclude, ...(actor === null ? [] : [actor])]) }]
        : [],
    ),
  }
}

/** What all runs of an event share. */
export interface Journey {
  readonly event: Event
  readonly workflow: TriggeredWorkflow
  readonly recipients: Recipients
  /** What conditions and templates see of the trigger, whoever the subscriber is. */
  readonly facts: JsonObject & { readonly context: JsonObject }
}

/** What a subscriber is to templates and conditions. */
export function subscriberFacts(subscriber: Subscriber) {
  const { subscriberId, firstName, lastName, email, phone, avatar, locale, timezone, data } = subscriber
  return {
    subscriberId,
    firstName,
    lastName,
    email,
    phone,
    avatar,
    locale,
    timezone,
    data: asObject(data),
  } satisfies JsonObject
}

/** A column that holds a JSON object. */
export function asObject(stored: Prisma.JsonValue): JsonObject {
  return jsonObject({ maxBytes: Infinity }).parse(stored)
}

/** A column that holds a JSON-logic condition. Null when there is none. */
export const conditionOf = (stored: Prisma.JsonValue) => (stored === null ? null : asObject(stored))

export async function openJourney(workspace: Workspace, event: Event): Promise<Journey> {
  const workflow = triggeredWorkflowOf(event)
  const [contexts, actor] = await Promise.all([
    existingContexts(workspace, event.contextKeys),
    event.actor === null ? null : workspace.load(subscribersBySubscriberId, event.actor),
  ])
  const context = Object.fromEntries(
    // A context that was deleted is still known by its id.
    event.contextKeys.map((key) => {
      const [type = '', id = ''] = key.split(':')
      const row = contexts.find((one) => one.key === key)
      return [type, { id, data: row ? asObject(row.data) : {} }]
    }),
  )
  return {
    event,
    workflow,
    recipients: recipientsOf(event),
    facts: {
      payload: asObject(event.payload),
      context,
      workflow: { identifier: workflow.identifier, name: workflow.name },
      transactionId: event.transactionId,
      actor: actor === null ? null : subscriberFacts(actor),
    },
  }
}

/** What one subscriber's templates and conditions see. Earlier steps and digests only where they are asked for. */
export function factsFor(
  { facts }: Journey,
  subscriber: Subscriber,
  outcomes: readonly StepOutcome[] = [],
  digest?: DigestedEvents,
): JsonObject {
  return {
    ...facts,
    subscriber: subscriberFacts(subscriber),
    steps: Object.fromEntries(
      outcomes.map(({ stepId, status, reason, seen, read }) => [stepId, { status, reason, seen, read }]),
    ),
    digest: digest ? { count: digest.count, events: [...digest.events] } : null,
  }
}
