// Routes of triggers. Vocabularies have them under their own paths, and convert what they call otherwise.
import { z } from 'zod'
import { reportRejection } from '../../domain/resolver/resolver.ts'
import { triggerEvent, triggerEvents, Unconverted } from '../../domain/trigger/event.ts'
import { eventStatuses, type Triggered } from '../../domain/trigger/trigger.ts'
import { Refusal } from '../../lib/errors.ts'
import { withoutPayloadFiles } from '../body-files.ts'
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

const REPEATED = 'transactionId was used before: this trigger had no effect'

function showTriggered(
  { status, transactionId, errors, duplicate }: Triggered,
  ignoredFields: readonly string[],
): z.input<typeof triggeredView> {
  const error = errors.length > 0 ? { error: [...errors] } : {}
  const warnings = duplicate ? [...ignoredFields, REPEATED] : ignoredFields
  return { acknowledged: true, status, transactionId, ...error, ...asWarnings(warnings) }
}

/** Fields of the subscribers that the API returns, because clients send them back in triggers. */
const ofSubscriber = Object.fromEntries(
  ['_id', '_organizationId', '_environmentId', 'deleted', 'createdAt', 'updatedAt'].map((name) => [
    name,
    'has no effect: it cannot be changed',
  ]),
)
const ignoredWithin = { to: ofSubscriber, actor: ofSubscriber }

const { input: newTrigger } = triggerEvent.definition
const { events } = triggerEvents.definition.input.shape

interface Example {
  readonly name: string
  readonly payload: object
  readonly [field: string]: unknown
}

const withoutRecipients = ({ to: _to, ...broadcast }: Example): object => broadcast

interface TriggerForm {
  /** The part of the paths before `/v1`. */
  readonly prefix: '' | `/${string}`
  /** Converts a trigger in the words of the vocabulary, before it is validated. @throws Refusal */
  readonly convert: (given: unknown) => unknown
  /** Fields that only the vocabulary has, for the OpenAPI document. */
  readonly fields: z.ZodRawShape
  /** Fields that are accepted and have no effect. */
  readonly ignored: IgnoredFields
  /** A valid trigger. */
  readonly example: Example
}

/** The routes that trigger one workflow, and several. */
export function triggerRoutesIn({ prefix, convert: words, fields, ignored, example }: TriggerForm) {
  const convert = (given: unknown) => withoutPayloadFiles(words(given))

  const documentedBody = newTrigger
    .extend(fields)
    .meta({ id: 'Trigger', description: 'A trigger of a workflow for one or more recipients.' })

  /** Converts a trigger of a bulk request, of which each fails on its own. */
  function convertOne(given: unknown): unknown {
    try {
      return withoutIgnored(convert(given), ignored, ignoredWithin).kept
    } catch (error) {
      if (error instanceof Refusal) return new Unconverted(given, error)
      throw error
    }
  }

  const broadcast = newTrigger.omit({ to: true }).extend({ payload: newTrigger.shape.payload.unwrap().unwrap() })

  return [
    route({
      method: 'post',
      path: `${prefix}/v1/events/trigger/broadcast`,
      operationId: 'event.triggerBroadcast',
      summary: 'Trigger a workflow for every subscriber of the environment, except the actor',
      example: withoutRecipients(example),
      body: broadcast,
      documentedBody: broadcast
        .extend(fields)
        .meta({ id: 'Broadcast', description: 'A trigger of a workflow for every subscriber of the environment.' }),
      hasFiles: true,
      convert,
      ignored,
      ignoredWithin,
      resolver: triggerEvent,
      input: ({ body }) => ({ ...body, to: [{ everyone: true }] }),
      statuses: [201],
      response: triggeredView,
      refusals: { 400: malformedTrigger },
      viewMalformed: showMalformed,
      view: (result, _scope, { warnings }) => showTriggered(result, warnings),
    }),
    route({
      method: 'post',
      path: `${prefix}/v1/events/trigger`,
      summary: 'Trigger a workflow',
      example,
      body: newTrigger,
      documentedBody,
      hasFiles: true,
      convert,
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
      path: `${prefix}/v1/events/trigger/bulk`,
      summary: 'Send up to 100 triggers; each succeeds or fails on its own',
      example: { events: [example] },
      // The resolver validates each trigger separately.
      body: z.object({ events: events.meta({ items: bulkItem('Trigger') }) }),
      resolver: triggerEvents,
      input: ({ body }) => ({ events: body.events.map(convertOne) }),
      statuses: [201],
      response: z.array(triggeredView),
      refusals: { 400: malformedTrigger },
      viewMalformed: showMalformed,
      view: (results, scope, { body }) =>
        results.map((result, index) => {
          const given = body.events[index]
          if (result.refusal !== null) reportRejection(scope, triggerEvents, given, result.refusal)
          return showTriggered(result, withoutIgnored(given, ignored, ignoredWithin).warnings)
        }),
    }),
  ]
}
