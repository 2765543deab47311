// Unprocessed triggers: those that created no event. What they say in words, and their lists.
import { z } from 'zod'
import { UnprocessedTriggerKind } from '../../data/prisma/enums.ts'
import {
  MAX_UNPROCESSED,
  repeatsByEvent,
  unprocessedById,
  type UnprocessedFilter,
  unprocessedPages,
  type UnprocessedTrigger as Row,
} from '../../data/unprocessed-trigger.ts'
import { createdConditions, order, pageRequest } from '../../lib/page.ts'
import { severalOf, valuesOf } from '../../lib/several.ts'
import { filterOf, text } from '../../lib/validation.ts'
import { query } from '../resolver/resolver.ts'
import { rejectionCodes, storedErrors, tracedRecipients, type TriggerError } from './trigger-trace.ts'

export { MAX_UNPROCESSED }

/** Identical triggers that created no event. */
export type UnprocessedTrigger = Row

/** The recipients that the trigger named: at most ten. */
export const tracedRecipientsOf = ({ recipients }: Pick<Row, 'recipients'>) => tracedRecipients.parse(recipients)

/** The errors of a rejected trigger. Empty for a repeated one. */
export const triggerErrorsOf = ({ errors }: Pick<Row, 'errors'>): readonly TriggerError[] => storedErrors.parse(errors)

const storedCode = z.enum(rejectionCodes).nullable()

/** The code of the errors of a rejected trigger. Null for a repeated one. */
export const codeOf = ({ code }: Pick<Row, 'code'>) => storedCode.parse(code)

/** Says why the trigger created no event. */
export function explanationOf({ kind, transactionId, ...row }: Row): string {
  if (kind === 'repeated') {
    return `An event has the transaction id "${transactionId}" already. This trigger had no effect: it created no event, and its recipients and its payload were not used.`
  }
  const messages = triggerErrorsOf(row).map(({ message }) => message.replace(/\.$/, ''))
  return `The trigger was rejected: ${messages.join('; ')}.`
}

/** The advice for an error of a field, by the beginning of the field and the code. Null if there is none. */
function adviceFor([root]: TriggerError['field'], code: ReturnType<typeof codeOf>): string | null {
  switch (root) {
    case 'workflowIdentifier':
    case 'name':
      return code === 'NOT_FOUND'
        ? 'Create the workflow in this environment, or correct its identifier in the code that triggers.'
        : null
    case 'payload':
      return 'Correct the payload in the code that triggers, or the payload schema of the workflow. Then trigger again.'
    case 'to':
      return code === 'NOT_FOUND'
        ? 'Create the topic in this environment, or correct its key in the code that triggers.'
        : null
    default:
      return null
  }
}

/** Says what to do, so that the next trigger creates an event. */
export function adviceOf({ kind, ...row }: Row): string {
  if (kind === 'repeated') return 'To send again, trigger under another transaction id.'
  const code = codeOf(row)
  if (code === 'FORBIDDEN') return 'Trigger with an API key that has the access FULL.'
  const [first] = triggerErrorsOf(row)
  return adviceFor(first?.field ?? [], code) ?? 'Correct the request in the code that triggers. Then trigger again.'
}

export const unprocessedTrigger = query({
  name: 'event.getUnprocessed',
  permission: 'event:read',
  input: z.object({ id: z.uuid() }),
  run: ({ load }, { id }) => load(unprocessedById, id),
})

const filter = filterOf({
  kind: z.enum(UnprocessedTriggerKind),
  workflowIdentifier: text(255),
  workflowIdentifiers: severalOf(text(255)),
  transactionId: text(255),
  subscriberId: text(255),
  subscriberIds: severalOf(text(255)),
  ...createdConditions,
})

const storedFilter = ({
  workflowIdentifiers,
  subscriberIds,
  ...given
}: z.output<typeof filter>): UnprocessedFilter => ({
  ...given,
  workflowIdentifier: valuesOf(given.workflowIdentifier, workflowIdentifiers),
  subscriberId: valuesOf(given.subscriberId, subscriberIds),
})

const listed = z.object({ page: pageRequest, orderBy: order, filter })

export const unprocessedTriggers = query({
  name: 'event.listUnprocessed',
  permission: 'event:read',
  input: listed,
  run: ({ load, environmentId }, { page, orderBy, filter }) =>
    load(unprocessedPages, { parent: environmentId, orderBy, page, filter: storedFilter(filter) }),
})

/** Lists the triggers that repeated the transaction id of an event. Batched. */
export const repeatsOfEvent = query({
  name: 'event.listRepeats',
  permission: 'event:read',
  input: listed.extend({ eventId: z.uuid() }),
  run: ({ load }, { eventId, page, orderBy, filter }) =>
    load(repeatsByEvent, { parent: eventId, orderBy, page, filter: storedFilter(filter) }),
})
