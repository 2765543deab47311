// Routes of events: trigger and cancel.
import { z } from 'zod'
import { triggerEvent, triggerEvents } from '../../domain/trigger/event.ts'
import { eventStatuses, type Triggered } from '../../domain/trigger/trigger.ts'
import { cancelEvent } from '../../engine/cancel.ts'
import type { Refusal } from '../../lib/errors.ts'
import { errorObject } from '../errors.ts'
import { asWarnings, type IgnoredFields, warningsView, withoutIgnored } from '../ignored-fields.ts'
import { route } from '../route.ts'
import { bulkItem } from '../views.ts'

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

function showTriggered(
  { status, transactionId, errors }: Triggered,
  warnings: readonly string[],
): z.input<typeof triggeredView> {
  const error = errors.length > 0 ? { error: [...errors] } : {}
  return { acknowledged: true, status, transactionId, ...error, ...asWarnings(warnings) }
}

/** Fields of triggers of published clients. */
const ignored: IgnoredFields = {
  tenant: 'has no effect; send it as a context: "context": { "tenant": "acme" }',
  bridgeUrl: 'has no effect: workflows run in the gateway',
  agentId: 'has no effect: there are no agents',
}

const byTransactionId = z.object({
  transactionId: z.string().meta({ description: 'Transaction id of the trigger, from its request or its response.' }),
})

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
    input: ({ body }) => ({ events: body.events.map((given) => withoutIgnored(given, ignored).kept) }),
    statuses: [201],
    response: z.array(triggeredView),
    refusals: { 400: malformedTrigger },
    viewMalformed: showMalformed,
    view: (results, _scope, { body }) =>
      results.map((result, index) => showTriggered(result, withoutIgnored(body.events[index], ignored).warnings)),
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
