// Routes of triggers in the client's words.
import { z } from 'zod'
import { triggerEvent, triggerEvents, Unconverted } from '../../../../domain/trigger/event.ts'
import { reportRejection } from '../../../../domain/resolver/resolver.ts'
import { Refusal } from '../../../../lib/errors.ts'
import { withoutPayloadFiles } from '../../../body-files.ts'
import { withoutIgnored } from '../../../ignored-fields.ts'
import {
  eventRoutes,
  ignoredWithin,
  malformedTrigger,
  newTrigger,
  showMalformed,
  showTriggered,
  triggeredView,
} from '../../../routes/event.ts'
import { bulkItem } from '../../../views.ts'
import { route } from '../../../route.ts'
import { reuse } from '../../../vocabulary.ts'
import { prefix } from '../words/prefix.ts'
import { triggerFrom } from '../words/trigger.ts'

const convert = (given: unknown) => withoutPayloadFiles(triggerFrom(given))

/** Converts a trigger of a bulk request, of which each fails on its own. */
function convertItem(given: unknown): unknown {
  try {
    return withoutIgnored(convert(given), {}, ignoredWithin).kept
  } catch (error) {
    if (error instanceof Refusal) return new Unconverted(given, error)
    throw error
  }
}

const example = { name: 'welcome', to: 'user-1', payload: { plan: 'pro' }, tenant: 'acme' }

export const novuEventRoutes = [
  ...reuse(prefix, eventRoutes, ['DELETE /v1/events/trigger/{transactionId}']),
  route({
    method: 'post',
    path: `${prefix}/v1/events/trigger`,
    summary: 'Trigger a workflow; a tenant is the context of that type',
    example,
    body: newTrigger,
    hasFiles: true,
    convert,
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
    path: `${prefix}/v1/events/trigger/bulk`,
    summary: 'Send up to 100 triggers; each succeeds or fails on its own',
    example: { events: [example] },
    // The resolver validates each trigger separately.
    body: z.object({
      events: triggerEvents.definition.input.shape.events.meta({ items: bulkItem('Trigger') }),
    }),
    resolver: triggerEvents,
    input: ({ body }) => ({ events: body.events.map(convertItem) }),
    statuses: [201],
    response: z.array(triggeredView),
    refusals: { 400: malformedTrigger },
    viewMalformed: showMalformed,
    view: (results, scope, { body }) =>
      results.map((result, index) => {
        if (result.refusal !== null) reportRejection(scope, triggerEvents, body.events[index], result.refusal)
        return showTriggered(result, [])
      }),
  }),
]
