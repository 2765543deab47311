// Events: accepted triggers.
import { z } from 'zod'
import { eventPages } from '../data/event.ts'
import { enqueue } from '../data/job.ts'
import { rowBatch } from '../data/loader.ts'
import { keepWorkflows } from '../data/lock.ts'
import type { Event } from '../data/prisma/client.ts'
import { storeSnapshot } from '../data/workflow-snapshot.ts'
import { Refusal, refuse } from '../lib/errors.ts'
import { order, pageRequest } from '../lib/page.ts'
import { filterOf, jsonObject, parse, text } from '../lib/validation.ts'
import { contextInput, contextKeysFilter, ensureContexts } from './context.ts'
import { eventReasonCodes, idlenessOf } from './event-status.ts'
import { assertPayload, checkPayloads, type PayloadChecks } from './payload-check.ts'
import { actor, recipients, writeActor, writeRecipients } from './recipient.ts'
import { preparedMutation, query } from './resolver.ts'
import type { Scope } from './scope.ts'
import { asObject } from './stored-json.ts'
import { digestAhead, loadTriggeredWorkflow, snapshotOf } from './triggered-workflow.ts'
import { stepsOf } from './workflow-step.ts'
import { type Workflow, workflowNotFound } from './workflow.ts'

export type { Event }

/** Events in one bulk (CALLERS: trigger). */
export const MAX_EVENTS = 100

/** Maximum size of a payload, in bytes of JSON (CALLERS: Errors). */
export const MAX_PAYLOAD = 512 * 1024

/** The input schema of one trigger. */
export const trigger = z.object({
  /** The workflow's identifier (SPEC: trigger). */
  name: text(255, 1),
  to: recipients,
  payload: jsonObject({ maxBytes: Infinity }).nullish(),
  context: contextInput,
  transactionId: text(255, 1).nullish(),
  overrides: jsonObject().nullish(),
  actor,
})
type Trigger = z.output<typeof trigger>

/** The result of a trigger (CALLERS: trigger). */
export const eventStatuses = [
  'processed',
  'error',
  'trigger_not_active',
  'no_workflow_active_steps_defined',
  'no_workflow_steps_defined',
  'no_tenant_found',
  'invalid_recipients',
] as const

export interface Triggered {
  readonly status: (typeof eventStatuses)[number]
  readonly transactionId: string
  /** Null if the trigger failed. */
  readonly event: Event | null
  /** True if an event with this transaction id existed: `event` is that one, and the trigger had no effect. */
  readonly duplicate: boolean
  /** Why the trigger failed or does nothing. Otherwise empty. */
  readonly errors: readonly string[]
}

/** Returns the result for an accepted event. An event that does nothing is also accepted (CALLERS: trigger). */
async function triggered(scope: Scope, event: Event, duplicate: boolean): Promise<Triggered> {
  const idle = idlenessOf(await loadTriggeredWorkflow(scope, event))
  const { transactionId } = event
  return { status: idle?.status ?? 'processed', transactionId, event, duplicate, errors: idle ? [idle.error] : [] }
}

/** What the trigger asked for and the gateway did not do, each in a sentence. */
export const notesOf = ({ overrides }: Pick<Event, 'overrides'>): string[] =>
  Object.keys(asObject(overrides)).length === 0
    ? []
    : ['The overrides were not applied: providers do not support them yet.']

/** Returns the workflow of a trigger and locks it against deletion until the transaction ends. */
async function requireWorkflow(scope: Scope, name: string): Promise<Workflow> {
  const { db, environmentId } = scope
  const [kept] = await keepWorkflows(scope, [name])
  const found = kept && (await db.workflow.findUnique({ where: { environmentId_id: { environmentId, id: kept.id } } }))
  if (!found) throw workflowNotFound(name, 'name')
  return found
}

function assertPayloadSize(payload: Trigger['payload']): void {
  const size = Buffer.byteLength(JSON.stringify(payload ?? {}))
  if (size > MAX_PAYLOAD) {
    throw refuse(
      'PAYLOAD_TOO_LARGE',
      `payload must be at most ${MAX_PAYLOAD} bytes of JSON, and has ${size}`,
      'payload',
    )
  }
}

/** Accepts a trigger, or returns the existing event with the same transaction id. */
export async function accept(scope: Scope, given: Trigger, checks: PayloadChecks): Promise<Triggered> {
  const { db, environmentId, newId, now } = scope
  assertPayloadSize(given.payload)
  const transactionId = given.transactionId ?? newId()
  const where = { environmentId_transactionId: { environmentId, transactionId } }
  const createdAt = now()
  // The first write: of two triggers with the same transaction id, the second waits here and then writes nothing.
  const { count } = await db.event.createMany({
    data: {
      environmentId,
      id: newId(),
      transactionId,
      workflowIdentifier: given.name,
      recipients: [],
      payload: given.payload ?? {},
      overrides: given.overrides ?? {},
      contextKeys: [],
      // Set below, in the same transaction.
      snapshotHash: '',
      createdAt,
      updatedAt: createdAt,
    },
    skipDuplicates: true,
  })
  if (count === 0) return triggered(scope, await db.event.findUniqueOrThrow({ where }), true)

  const workflow = await requireWorkflow(scope, given.name)
  await assertPayload(workflow, given, checks)
  const contextKeys = await ensureContexts(scope, given.context)
  const recipients = await writeRecipients(scope, given.to)
  const actor = await writeActor(scope, given.actor)
  const idle = idlenessOf({ ...workflow, steps: stepsOf(workflow.steps) })
  const event = await db.event.update({
    where,
    data: {
      workflowIdentifier: workflow.identifier,
      snapshotHash: await storeSnapshot(scope, snapshotOf(workflow)),
      recipients,
      ...(idle && { reason: idle.reason, detail: `${idle.error}.` }),
      contextKeys,
      actor,
    },
  })
  if (idle === undefined) {
    const digestWorkflowId = digestAhead(await loadTriggeredWorkflow(scope, event), 0)
    await enqueue(scope, [{ queue: 'fan_out', data: { eventId: event.id }, dueAt: createdAt, digestWorkflowId }])
  }
  return triggered(scope, event, false)
}

/**
 * Triggers a workflow: writes the given subscribers, creates missing contexts and records the event. A repeated
 * transaction id changes nothing and returns the first event.
 */
export const triggerEvent = preparedMutation({
  name: 'event.trigger',
  permission: 'event:write',
  rate: { category: 'trigger', cost: 1 },
  input: trigger,
  async prepare(scope, given) {
    const checks = await checkPayloads(scope, [given])
    return (inner) => accept(inner, given, checks)
  },
})

const named = z.object({ transactionId: z.string() })

/** Returns the result of `work`, or the refusal that it throws. */
function attempt<Result>(work: () => Result): Result | Refusal {
  try {
    return work()
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
}

/** Runs many triggers. Each succeeds or fails alone. */
export const triggerEvents = preparedMutation({
  name: 'event.triggerBulk',
  permission: 'event:write',
  rate: { category: 'trigger', cost: 100 },
  input: z.object({ events: z.array(z.unknown()).min(1).max(MAX_EVENTS) }),
  async prepare(scope, { events }) {
    const parsed = events.map((given) => ({ given, parsed: attempt(() => parse(trigger, given)) }))
    const checks = await checkPayloads(
      scope,
      parsed.flatMap(({ parsed }) => (parsed instanceof Refusal ? [] : [parsed])),
    )
    return async (inner): Promise<Triggered[]> => {
      const results: Triggered[] = []
      for (const { given, parsed: read } of parsed) {
        try {
          if (read instanceof Refusal) throw read
          results.push(await inner.transaction((own) => accept(own, read, checks)))
        } catch (error) {
          if (!(error instanceof Refusal)) throw error
          const transactionId = named.safeParse(given).data?.transactionId ?? inner.newId()
          results.push({ status: 'error', transactionId, event: null, duplicate: false, errors: [error.message] })
        }
      }
      return results
    }
  },
})

const eventsById = rowBatch<Event>(
  ({ db, environmentId }, ids) => db.event.findMany({ where: { environmentId, id: { in: ids } } }),
  ({ id }) => id,
)

const eventsByTransactionId = rowBatch<Event>(
  ({ db, environmentId }, ids) => db.event.findMany({ where: { environmentId, transactionId: { in: ids } } }),
  ({ transactionId }) => transactionId,
)

export const event = query({
  name: 'event.get',
  permission: 'event:read',
  input: z.union([z.object({ transactionId: text(255) }), z.object({ id: z.uuid() })]),
  run: ({ load }, named) =>
    'transactionId' in named ? load(eventsByTransactionId, named.transactionId) : load(eventsById, named.id),
})

export const events = query({
  name: 'event.list',
  permission: 'event:read',
  input: z.object({
    page: pageRequest,
    orderBy: order,
    filter: filterOf({
      workflow: text(255),
      contextKeys: contextKeysFilter,
      reason: z.enum(eventReasonCodes),
    }),
  }),
  run: ({ load, environmentId }, { page, orderBy, filter: { workflow, ...filter } }) =>
    load(eventPages, {
      parent: environmentId,
      order: orderBy,
      request: page,
      filter: { workflowIdentifier: workflow, ...filter },
    }),
})
