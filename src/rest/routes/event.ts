// Routes of events: trigger, read and cancel.
import { z } from 'zod'
import { RunOutcome } from '../../data/prisma/enums.ts'
import { event, type Event, triggerEvent, triggerEvents } from '../../domain/trigger/event.ts'
import { eventOutcomeCodes, outcomeOf, recipientCounts } from '../../domain/trigger/event-outcome.ts'
import { eventReasonCodes, eventStatusCodes, reasonOf, statusOf, tallyOf } from '../../domain/trigger/event-status.ts'
import { eventStatuses, type Triggered } from '../../domain/trigger/trigger.ts'
import { cancelEvent } from '../../engine/cancel.ts'
import type { DoorScope } from '../../domain/resolver/door-scope.ts'
import type { Refusal } from '../../lib/errors.ts'
import { present } from '../../lib/present.ts'
import { errorObject } from '../errors.ts'
import { asWarnings, type IgnoredFields, warningsView, withoutIgnored } from '../ignored-fields.ts'
import { route } from '../route.ts'
import { bulkItem, found, timestamp } from '../views.ts'

const count = z.int()

const triggeredView = z
  .object({
    acknowledged: z.boolean(),
    status: z.enum(eventStatuses),
    transactionId: z.string(),
    error: z.array(z.string()).optional().meta({ description: 'Error messages. Absent if the trigger was accepted.' }),
    warnings: warningsView,
  })
  .meta({ id: 'TriggeredEvent', description: 'Result of a trigger.' })

const malformedTrigger = errorObject
  .extend({
    type: z.string().meta({ description: 'Machine-readable error type.' }),
    errors: z
      .array(z.object({ field: z.string(), message: z.string(), value: z.unknown().optional() }))
      .meta({ description: 'Invalid fields. Empty if the request could not be parsed.' }),
  })
  .meta({ id: 'MalformedTrigger', description: 'Error of a malformed trigger.' })

/** Fields that clients parse from the 400 response (CALLERS: Errors). */
function showMalformed({ issues }: Refusal) {
  const errors = issues.map(({ path, message, value }) => ({ field: path.join('.'), message, value }))
  return { type: 'PAYLOAD_VALIDATION_ERROR', errors }
}

const REPEATED = 'transactionId was used before: this trigger had no effect'

function showTriggered(
  { status, transactionId, errors, duplicate }: Triggered,
  ignoredFields: readonly string[],
): z.input<typeof triggeredView> {
  const error = errors.length > 0 ? { error: [...errors] } : {}
  const warnings = duplicate ? [...ignoredFields, REPEATED] : ignoredFields
  return { acknowledged: true, status, transactionId, ...error, ...asWarnings(warnings) }
}

/** Fields of triggers of published clients. */
const ignored: IgnoredFields = {
  tenant: 'has no effect; send it as a context: "context": { "tenant": "acme" }',
  bridgeUrl: 'has no effect: workflows run in the gateway',
  agentId: 'has no effect: there are no agents',
}

/** Fields of the subscribers that the API returns, because clients send them back in triggers. */
const ofSubscriber = Object.fromEntries(
  ['_id', '_organizationId', '_environmentId', 'deleted', 'createdAt', 'updatedAt'].map((name) => [
    name,
    'has no effect: it cannot be changed',
  ]),
)
const ignoredWithin = { to: ofSubscriber, actor: ofSubscriber }

const byTransactionId = z.object({
  transactionId: z.string().meta({ description: 'Transaction id of the trigger, from its request or its response.' }),
})

const eventView = z
  .object({
    _id: z.string(),
    transactionId: z.string(),
    workflowIdentifier: z.string(),
    status: z.enum(eventStatusCodes).meta({ description: 'Progress of the gateway.' }),
    outcome: z.enum(eventOutcomeCodes).meta({
      description: 'Whether anything arrived at the recipients: all of them for `delivered`, some for `partly`.',
    }),
    reason: z
      .enum(eventReasonCodes)
      .optional()
      .meta({ description: 'Reason why the event was skipped or failed. Absent for other events.' }),
    detail: z.string().optional().meta({ description: 'Reason in a sentence. Absent if there is no reason.' }),
    recipients: z
      .object({
        total: count,
        delivered: count,
        failed: count,
        nothing: count,
        pending: count,
        groups: z
          .array(
            z.object({
              outcome: z.enum(RunOutcome),
              reason: z
                .string()
                .optional()
                .meta({ description: 'Reason why nothing arrived. Absent if there is none.' }),
              count,
            }),
          )
          .meta({ description: 'Recipients by outcome and reason, the largest group first. Adds up to `total`.' }),
      })
      .meta({ description: 'Number of recipients that have a run, by the outcome of the run.' }),
    messages: z
      .object({ pending: count, sent: count, failed: count, cancelled: count, notifications: count })
      .meta({ description: 'Number of messages by status, and of notifications written to in-app feeds.' }),
    createdAt: timestamp,
    cancelledAt: timestamp.optional().meta({ description: 'Time of the cancellation. Absent if there was none.' }),
  })
  .meta({ id: 'Event', description: 'An accepted trigger, and what arrived of it.' })

async function showEvent(scope: DoorScope, row: Event): Promise<z.input<typeof eventView>> {
  const { id, transactionId, workflowIdentifier, detail, createdAt, cancelledAt } = row
  const [{ runs, messages, notifications }, recipients] = await Promise.all([
    tallyOf(scope, { eventId: id }),
    recipientCounts(scope, { eventId: id }),
  ])
  return {
    _id: id,
    transactionId,
    workflowIdentifier,
    status: statusOf(row, runs),
    outcome: outcomeOf(row, recipients),
    ...present({ reason: reasonOf(row), detail }),
    recipients: {
      ...recipients,
      groups: recipients.groups.map(({ outcome, reason, count }) => ({ outcome, ...present({ reason }), count })),
    },
    messages: { ...messages, notifications },
    createdAt: createdAt.toISOString(),
    ...present({ cancelledAt: cancelledAt?.toISOString() }),
  }
}

const newTrigger = triggerEvent.definition.input.meta({
  id: 'Trigger',
  description: 'A trigger of a workflow for one or more recipients.',
})
const { events } = triggerEvents.definition.input.shape

const example = {
  name: 'welcome',
  to: { subscriberId: 'user-1', firstName: 'Ada' },
  payload: { plan: 'pro' },
  context: { tenant: { id: 'acme', data: { name: 'Acme' } } },
}

export const eventRoutes = [
  route({
    method: 'post',
    path: '/v1/events/trigger',
    summary: 'Trigger a workflow',
    example,
    body: newTrigger,
    ignored,
    ignoredWithin,
    resolver: triggerEvent,
    statuses: [201],
    response: triggeredView,
    refusals: { 400: malformedTrigger },
    viewMalformed: showMalformed,
    view: (result, _scope, { warnings }) => showTriggered(result, warnings),
  }),
  route({
    method: 'post',
    path: '/v1/events/trigger/bulk',
    summary: 'Send up to 100 triggers; each succeeds or fails on its own',
    example: { events: [example] },
    // The resolver validates each trigger separately.
    body: z.object({ events: events.meta({ items: bulkItem('Trigger') }) }),
    resolver: triggerEvents,
    input: ({ body }) => ({ events: body.events.map((given) => withoutIgnored(given, ignored, ignoredWithin).kept) }),
    statuses: [201],
    response: z.array(triggeredView),
    refusals: { 400: malformedTrigger },
    viewMalformed: showMalformed,
    view: (results, _scope, { body }) =>
      results.map((result, index) =>
        showTriggered(result, withoutIgnored(body.events[index], ignored, ignoredWithin).warnings),
      ),
  }),
  route({
    method: 'get',
    path: '/v1/events/{transactionId}',
    summary: 'Read the status of an event, and what arrived at its recipients',
    params: byTransactionId,
    resolver: event,
    statuses: [200],
    response: eventView,
    view: async (row, scope, { params: { transactionId } }) => showEvent(scope, found(row, 'Event', transactionId)),
  }),
  route({
    method: 'delete',
    path: '/v1/events/trigger/{transactionId}',
    reserved: ['broadcast'],
    summary: 'Cancel the messages of an event that have not been sent yet',
    params: byTransactionId,
    resolver: cancelEvent,
    statuses: [200],
    response: z.boolean().meta({
      description: 'True if the event was cancelled. False if it does not exist or was already cancelled.',
    }),
    view: (cancelled) => cancelled,
  }),
]
