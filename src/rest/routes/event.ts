// Triggers at the REST door.
import { z } from 'zod'
import { eventStatuses, type Triggered, triggerEvent, triggerEvents } from '../../domain/event.ts'
import { cancelEvent } from '../../engine/cancel.ts'
import type { Refusal } from '../../lib/errors.ts'
import { errorObject } from '../errors.ts'
import { route } from '../route.ts'

const triggeredView = z
  .object({
    acknowledged: z.boolean(),
    status: z.enum(eventStatuses),
    transactionId: z.string(),
    error: z.array(z.string()).optional().meta({ description: 'Why it was refused.' }),
  })
  .meta({ id: 'TriggeredEvent', description: 'What became of a trigger.' })

const malformedTrigger = errorObject
  .extend({
    type: z.string().meta({ description: 'What kind of error it is, for programs.' }),
    errors: z
      .array(z.object({ field: z.string(), message: z.string(), value: z.unknown().optional() }))
      .meta({ description: 'Which fields were wrong; empty when the request could not be read at all.' }),
  })
  .meta({ id: 'MalformedTrigger', description: 'A trigger that cannot be read.' })

/** What clients parse out of the 400 (CALLERS: Errors). */
function showMalformed({ issues }: Refusal) {
  const errors = issues.map(({ path, message, value }) => ({ field: path.join('.'), message, value }))
  return { type: 'PAYLOAD_VALIDATION_ERROR', errors }
}

function showTriggered({ status, transactionId, errors }: Triggered): z.input<typeof triggeredView> {
  return { acknowledged: true, status, transactionId, ...(errors.length > 0 ? { error: [...errors] } : {}) }
}

const byTransactionId = z.object({
  transactionId: z.string().meta({ description: 'Of the trigger: the one that it was given, or else answered with.' }),
})

const newTrigger = triggerEvent.definition.input.meta({ id: 'Trigger', description: 'A trigger as it is written.' })
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
    summary: 'Trigger a workflow for a subscriber',
    example,
    body: newTrigger,
    resolver: triggerEvent,
    input: ({ body }) => body,
    statuses: [201],
    answer: triggeredView,
    refusals: { 400: malformedTrigger },
    viewMalformed: showMalformed,
    view: showTriggered,
  }),
  route({
    method: 'post',
    path: '/v1/events/trigger/bulk',
    summary: 'Trigger up to 100 times; one that is refused leaves the others alone',
    example: { events: [example] },
    // Each is read by itself, because a bad one fails alone.
    body: z.object({ events: events.meta({ items: { $ref: '#/components/schemas/Trigger' } }) }),
    resolver: triggerEvents,
    input: ({ body }) => body,
    statuses: [201],
    answer: z.array(triggeredView),
    refusals: { 400: malformedTrigger },
    viewMalformed: showMalformed,
    view: (results) => results.map(showTriggered),
  }),
  route({
    method: 'delete',
    path: '/v1/events/trigger/{transactionId}',
    summary: 'Cancel what of an event has not been sent yet',
    params: byTransactionId,
    resolver: cancelEvent,
    input: ({ params }) => params,
    statuses: [200],
    answer: z.boolean().meta({
      description: 'Whether it is cancelled now: false when there is no such event, or it was cancelled before.',
    }),
    view: (cancelled) => cancelled,
  }),
]
