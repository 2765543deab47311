// Events: accepted triggers.
import { z } from 'zod'
import {
  type EventFilter,
  eventPages,
  eventsByContext,
  eventsBySubscriber,
  eventsByWorkflow,
} from '../../data/event-list.ts'
import { eventsById, eventsByTransactionId } from '../../data/event.ts'
import type { Event } from '../../data/prisma/client.ts'
import { Refusal, refuse } from '../../lib/errors.ts'
import { severalOf, valuesOf } from '../../lib/several.ts'
import { createdConditions, order, pageRequest } from '../../lib/page.ts'
import { filterOf, parse, text, storableText } from '../../lib/validation.ts'
import { contextKeysFilter } from '../context.ts'
import { eventOutcomeCodes } from './event-outcome.ts'
import { eventReasonCodes, eventStatusCodes, failureReasons, listedStatus, skipReasons } from './event-status.ts'
import { referenceOf, rowId } from '../resolver/reference.ts'
import { query, unwrappedMutation } from '../resolver/resolver.ts'
import type { Scope } from '../resolver/scope.ts'
import { traceRejected } from './trigger-trace.ts'
import { trigger, type Trigger } from './trigger-input.ts'
import { accept, acceptAll, type Triggered, withFiles } from './trigger.ts'

export type { Event }

/** Maximum events in one bulk request (CALLERS: trigger). */
export const MAX_EVENTS = 100

/**
 * Triggers a workflow: writes the given subscribers, creates missing contexts and records the event. A repeated
 * transaction id changes nothing and returns the first event.
 */
export const triggerEvent = unwrappedMutation({
  name: 'event.trigger',
  permission: 'event:write',
  rate: { category: 'trigger', cost: 1 },
  input: trigger,
  rejected: traceRejected,
  run: async (scope, given) => accept(scope, await withFiles(scope, given)),
})

const named = z.object({ transactionId: storableText })

/** A trigger of a bulk request that its door could not convert to the input of `triggerEvent`. */
export class Unconverted {
  readonly transactionId: unknown
  readonly refusal: Refusal

  constructor(given: unknown, refusal: Refusal) {
    this.transactionId = named.safeParse(given).data?.transactionId
    this.refusal = refusal
  }
}

/** Returns the parsed trigger with its files, or the reason why it is invalid. */
async function read(scope: Scope, given: unknown): Promise<Trigger | Refusal> {
  if (given instanceof Unconverted) return given.refusal
  try {
    return await withFiles(scope, parse(trigger, given))
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
}

/** Triggers many workflows. Each trigger succeeds or fails alone. The door reports each rejected one. */
export const triggerEvents = unwrappedMutation({
  name: 'event.triggerBulk',
  permission: 'event:write',
  rate: { category: 'trigger', cost: 100 },
  input: z.object({ events: z.array(z.unknown()).min(1).max(MAX_EVENTS) }),
  rejected: traceRejected,
  async run(scope, { events }): Promise<Triggered[]> {
    const given: (Trigger | Refusal)[] = []
    for (const one of events) given.push(await read(scope, one))
    const results = await acceptAll(scope, given)
    return results.map((result, index) => {
      if (!(result instanceof Refusal)) return result
      const transactionId = named.safeParse(events[index]).data?.transactionId ?? scope.newId()
      return {
        status: 'error',
        transactionId,
        event: null,
        duplicate: false,
        errors: [result.message],
        refusal: result,
      }
    })
  },
})

/** The fields of an input that name an existing event. */
export const eventReference = { transactionId: text(255, 1).nullish(), id: rowId }

export const event = query({
  name: 'event.get',
  permission: 'event:read',
  input: z.object({ transactionId: text(255).nullish(), id: rowId }),
  run({ load }, { transactionId, id }) {
    const event = referenceOf({ transactionId }, { id })
    return 'id' in event ? load(eventsById, event.id) : load(eventsByTransactionId, event.transactionId)
  },
})

/** Returns the event of a row. Batched. @throws Refusal `NOT_FOUND` if it was just deleted with the row. */
export async function loadEvent({ load }: Pick<Scope, 'load'>, id: string): Promise<Event> {
  const found = await load(eventsById, id)
  if (found === null) throw refuse('NOT_FOUND', `Event "${id}" not found`)
  return found
}

const filter = filterOf({
  transactionId: text(255),
  workflowIdentifier: text(255),
  workflowIdentifiers: severalOf(text(255)),
  subscriberId: text(255),
  subscriberIds: severalOf(text(255)),
  contextKeys: contextKeysFilter,
  status: z.enum(eventStatusCodes),
  statuses: severalOf(z.enum(eventStatusCodes)),
  outcome: z.enum(eventOutcomeCodes),
  outcomes: severalOf(z.enum(eventOutcomeCodes)),
  reason: z.enum(eventReasonCodes),
  reasons: severalOf(z.enum(eventReasonCodes)),
  ...createdConditions,
})

const storedFilter = ({ transactionId, contextKeys, ...given }: z.output<typeof filter>): EventFilter => ({
  transactionId,
  contextKeys,
  createdAfter: given.createdAfter,
  createdBefore: given.createdBefore,
  workflowIdentifier: valuesOf(given.workflowIdentifier, given.workflowIdentifiers),
  subscriberId: valuesOf(given.subscriberId, given.subscriberIds),
  status: valuesOf(given.status, given.statuses)?.map(listedStatus),
  outcome: valuesOf(given.outcome, given.outcomes)?.map((outcome) => ({
    outcome,
    failures: failureReasons,
    skips: skipReasons,
  })),
  reason: valuesOf(given.reason, given.reasons),
})

const listed = z.object({ page: pageRequest, orderBy: order, filter })

export const events = query({
  name: 'event.list',
  permission: 'event:read',
  input: listed,
  run: ({ load, environmentId }, { page, orderBy, filter }) =>
    load(eventPages, { parent: environmentId, orderBy, page, filter: storedFilter(filter) }),
})

/** Lists the events that concerned a subscriber, in which the subscriber has a run. Batched. */
export const eventsOfSubscriber = query({
  name: 'event.listOfSubscriber',
  permission: 'event:read',
  input: listed.extend({ subscriberId: storableText }),
  run: ({ load }, { subscriberId, page, orderBy, filter }) =>
    load(eventsBySubscriber, { parent: subscriberId, orderBy, page, filter: storedFilter(filter) }),
})

/** Lists the events with exactly one context, by its key. Batched. */
export const eventsOfContext = query({
  name: 'event.listOfContext',
  permission: 'event:read',
  input: listed.extend({ key: storableText }),
  run: ({ load }, { key, page, orderBy, filter }) =>
    load(eventsByContext, { parent: key, orderBy, page, filter: storedFilter(filter) }),
})

/** Lists the events of a workflow, by the workflow's identifier. Batched. */
export const eventsOfWorkflow = query({
  name: 'event.listOfWorkflow',
  permission: 'event:read',
  input: listed.extend({ identifier: storableText }),
  run: ({ load }, { identifier, page, orderBy, filter }) =>
    load(eventsByWorkflow, { parent: identifier, orderBy, page, filter: storedFilter(filter) }),
})
