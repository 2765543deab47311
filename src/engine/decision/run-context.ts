// The run context: the event, workflow and variables that the runs of an event share.
import type { Priority } from '../../data/queue/job.ts'
import type { Event } from '../../data/prisma/client.ts'
import type { DigestedEvents, StepOutcome } from '../../data/step-run.ts'
import { existingContexts } from '../../domain/context.ts'
import { type NamedSubscriber, storedRecipients } from '../../domain/trigger/recipient.ts'
import type { EnvironmentScope } from '../../domain/resolver/scope.ts'
import { exampleLinksOf, noLinks, type UnsubscribeVariables } from '../../domain/channel/unsubscribe-link.ts'
import { asObject } from '../../domain/channel/stored-json.ts'
import { type Subscriber, subscribersBySubscriberId } from '../../data/subscriber.ts'
import { loadTriggeredWorkflow, priorityOf, type TriggeredWorkflow } from '../../domain/trigger/triggered-workflow.ts'
import { openPayload, withoutSecrets } from '../../domain/trigger/secret-payload.ts'
import { isUnsubscribable } from '../../domain/trigger/link-scope.ts'
import type { subscriberFields } from '../../domain/workflow-variables.ts'
import { type JsonObject } from '../../lib/validation.ts'

/**
 * The recipients of an event. `exclude` lists the subscribers that a topic leaves out, which always include the actor.
 */
export interface Recipients {
  /** True if the trigger names every subscriber of the environment. */
  readonly everyone: boolean
  readonly subscribers: readonly NamedSubscriber[]
  readonly topics: readonly { readonly topicKey: string; readonly exclude: ReadonlySet<string> }[]
}

export function recipientsOf({ recipients: stored, actor }: Pick<Event, 'recipients' | 'actor'>): Recipients {
  const named = storedRecipients.parse(stored)
  return {
    everyone: named.some((one) => 'everyone' in one),
    subscribers: named.filter((one) => 'subscriberId' in one),
    topics: named.flatMap((one) =>
      'topicKey' in one
        ? [{ topicKey: one.topicKey, exclude: new Set([...one.exclude, ...(actor === null ? [] : [actor])]) }]
        : [],
    ),
  }
}

/** True if the trigger names the subscriber itself, or everyone. Topic subscriptions do not matter then. */
export const isNamed = ({ everyone, subscribers }: Recipients, { subscriberId, id }: Subscriber): boolean =>
  everyone || subscribers.some((one) => one.subscriberId === subscriberId && (one.id === undefined || one.id === id))

export interface RunContext {
  readonly event: Event
  readonly workflow: TriggeredWorkflow
  readonly recipients: Recipients
  /** The priority of the jobs that result from the runs. */
  readonly priority: Priority
  /** The payload with masks in place of its secret values, for texts that are shown. Null if there are no secret values. */
  readonly maskedPayload: JsonObject | null
  /** Returns variables with masks in place of secret values. */
  readonly shown: (variables: JsonObject) => JsonObject
  /** Replaces secret values in a sentence. */
  readonly hide: (text: string) => string
  /** The links of the messages, with an example in place of their tokens. */
  readonly unsubscribe: UnsubscribeVariables
  /** The variables that do not depend on the subscriber. Secret values are included: do not store or log them. */
  readonly variables: JsonObject & { readonly context: JsonObject; readonly payload: JsonObject }
}

/** The `subscriber` variable, which webhooks also receive. */
export function subscriberVariables(subscriber: Subscriber) {
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
  } satisfies JsonObject & Record<(typeof subscriberFields)[number], unknown>
}

export async function openRunContext(scope: EnvironmentScope, event: Event): Promise<RunContext> {
  const [workflow, contexts, actor] = await Promise.all([
    loadTriggeredWorkflow(scope, event),
    existingContexts(scope, event.contextKeys),
    event.actor === null ? null : scope.load(subscribersBySubscriberId, event.actor),
  ])
  const context = Object.fromEntries(
    // A deleted context keeps its id but has no data.
    event.contextKeys.map((key) => {
      const [type = '', id = ''] = key.split(':')
      const row = contexts.find((one) => one.key === key)
      return [type, { id, data: row ? asObject(row.data) : {} }]
    }),
  )
  const recipients = recipientsOf(event)
  const { everyone, subscribers, topics } = recipients
  const { payload, secrets } = openPayload(scope, event)
  const unsubscribe =
    scope.publicUrl !== undefined && isUnsubscribable(workflow) ? exampleLinksOf(scope.publicUrl, event.id) : noLinks
  const maskedPayload = event.secretPayload === null ? null : asObject(event.payload)
  return {
    event,
    workflow,
    recipients,
    priority: priorityOf(workflow, { subscribers: subscribers.length, groups: topics.length + Number(everyone) }),
    maskedPayload,
    shown: (variables) => (maskedPayload === null ? variables : { ...variables, payload: maskedPayload }),
    hide: (text) => withoutSecrets(text, secrets),
    variables: {
      payload,
      context,
      workflow: { identifier: workflow.identifier, name: workflow.name },
      transactionId: event.transactionId,
      actor: actor === null ? null : subscriberVariables(actor),
      unsubscribe: { ...unsubscribe },
    },
    unsubscribe,
  }
}

/**
 * The variables of one run. `steps` and `digest` are empty unless `outcomes` and `digest` are given. The step of the digest
 * has its triggers too, under the names that a published client documents.
 *
 * @param messageIds those of the emails of earlier steps, by step id.
 */
export function variablesFor(
  { variables }: RunContext,
  subscriber: Subscriber,
  outcomes: readonly StepOutcome[] = [],
  digest?: DigestedEvents,
  messageIds?: ReadonlyMap<string, string>,
): JsonObject {
  return {
    ...variables,
    subscriber: subscriberVariables(subscriber),
    steps: Object.fromEntries(
      outcomes.map(({ stepId, status, reason, seen, read, delivered, bounced }) => [
        stepId,
        {
          ...{ status, reason, seen, read, delivered, bounced, messageId: messageIds?.get(stepId) ?? null },
          ...(stepId === digest?.stepId && { eventCount: digest.count, events: [...digest.events] }),
        },
      ]),
    ),
    digest: digest ? { count: digest.count, events: [...digest.events] } : null,
  }
}
