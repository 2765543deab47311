// Traces of triggers that create no event, because they repeat a transaction id or are rejected. They wait in memory until
// housekeeping writes them, so that no request waits for them. They contain no values of payloads.
import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { Event } from '../../data/prisma/client.ts'
import type { UnprocessedTrigger } from '../../data/unprocessed-trigger.ts'
import { errorKinds, type Issue, issueReasons, type Refusal } from '../../lib/errors.ts'
import { shorten } from '../../lib/shorten.ts'
import type { Scope } from '../resolver/scope.ts'

/** The codes of the errors that leave a trace. Others say nothing about the trigger, such as an exceeded rate limit. */
export const rejectionCodes = [
  'BAD_USER_INPUT',
  'NOT_FOUND',
  'FORBIDDEN',
  'CONFLICT',
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
] as const
const traced: ReadonlySet<string> = new Set(rejectionCodes)

/** An error of a rejected trigger, as stored. */
const storedError = z.object({
  /** The path of the field, in the words of the API that the caller used. Empty if the error is about no field. */
  field: z.array(z.string()),
  message: z.string(),
  reason: z.enum(issueReasons).nullable(),
})
export const storedErrors = z.array(storedError)
export type TriggerError = z.output<typeof storedError>

/** The maximum number of recipients and errors in a trace, and of characters in a text. */
export const MAX_TRACED = 10
const MAX_TEXT = 255
const MAX_MESSAGE = 500

/** Identical triggers are one trace for this many milliseconds. */
const HOUR = 3_600_000

type Tracing = Pick<Scope, 'environmentId' | 'caller' | 'now' | 'newId' | 'triggerTraces' | 'afterCommit'>

/** Text that can be stored: rejected triggers can contain any. */
const storable = (text: string, max = MAX_TEXT) => shorten(text.toWellFormed().replaceAll('\0', '\u{FFFD}'), max)

const idOf = z.string().transform((id) => storable(id))
const bySubscriber = z.object({ subscriberId: idOf })
const byTopic = z.object({ topicKey: idOf })
const everyone = z.object({ everyone: z.literal(true) })

/** A recipient in the words of the REST API or of the graph. */
const givenRecipient = z.union([
  idOf.transform((subscriberId) => ({ subscriberId })),
  bySubscriber,
  byTopic,
  everyone,
  z.object({ subscriber: bySubscriber }).transform(({ subscriber }) => subscriber),
  z.object({ topic: byTopic }).transform(({ topic }) => topic),
])

/** The recipients of a trace, as stored. */
export const tracedRecipients = z.array(z.union([bySubscriber, byTopic, everyone]))

/** What is left of a trigger, whatever the caller sent. */
const givenTrigger = z.object({
  workflowIdentifier: idOf.nullish().catch(null),
  name: idOf.nullish().catch(null),
  transactionId: idOf.nullish().catch(null),
  to: z.unknown().optional(),
})

const givenBulk = z.object({ events: z.array(z.unknown()) })

/** The first recipients of a list, and the number of all. Lists of a rejected trigger can be of any length. */
function recipientsIn(to: unknown): Pick<UnprocessedTrigger, 'recipients' | 'recipientCount'> {
  const all: readonly unknown[] = Array.isArray(to) ? to : to == null ? [] : [to]
  const recipients = all.slice(0, MAX_TRACED).flatMap((one) => givenRecipient.safeParse(one).data ?? [])
  return { recipients, recipientCount: all.length }
}

/** What a trace says about a trigger. A bulk request that was rejected as a whole has the recipients of all triggers. */
function described(given: unknown) {
  const bulk = givenBulk.safeParse(given).data?.events
  const { workflowIdentifier, name, transactionId, to } = givenTrigger.safeParse(bulk ? {} : given).data ?? {}
  const recipients = bulk?.flatMap((one) => givenTrigger.safeParse(one).data?.to ?? []) ?? to
  return {
    workflowIdentifier: workflowIdentifier ?? name ?? null,
    transactionId: transactionId ?? null,
    ...recipientsIn(recipients),
  }
}

type Trace = Pick<
  UnprocessedTrigger,
  'kind' | 'workflowIdentifier' | 'transactionId' | 'recipients' | 'recipientCount' | 'code' | 'errors' | 'eventId'
>

function trace({ environmentId, caller, now, newId, triggerTraces, afterCommit }: Tracing, found: Trace): void {
  const at = now()
  const apiKeyId = caller.kind === 'apiKey' || caller.kind === 'dashboard' ? caller.apiKeyId : null
  const { kind, workflowIdentifier, transactionId, recipients, recipientCount, code, errors, eventId } = found
  const named = [workflowIdentifier, transactionId, recipients, recipientCount]
  const identity = [Math.floor(at.getTime() / HOUR), apiKeyId, kind, ...named, code, errors, eventId]
  const fingerprint = createHash('sha256').update(JSON.stringify(identity)).digest('base64url')
  afterCommit(() => {
    const times = { count: 1, createdAt: at, updatedAt: at }
    triggerTraces.add({
      ...found,
      environmentId,
      id: newId(),
      fingerprint,
      apiKeyId,
      ...times,
    })
  })
}

/** Leaves a trace of a trigger without effect, because an event has its transaction id. */
export function traceRepeated(scope: Tracing, given: unknown, { id, transactionId }: Event): void {
  trace(scope, { ...described(given), transactionId, kind: 'repeated', code: null, errors: [], eventId: id })
}

/** An error without its value. Without a field, a message may quote the body after a colon. */
const tracedError = ({ path, message, reason }: Pick<Issue, 'path' | 'message' | 'reason'>): TriggerError => ({
  field: path.map((key) => storable(String(key))),
  message: storable(path.length === 0 ? message.replace(/:.*/s, '') : message, MAX_MESSAGE),
  reason: reason ?? null,
})

/**
 * Leaves a trace of a rejected trigger, if its caller has access to the environment: browser sessions and public callers
 * cannot trigger, and must not fill the list.
 *
 * @param given the trigger or the bulk request as the caller sent it, in the words of the REST API or of the graph.
 */
export function traceRejected(scope: Tracing, given: unknown, { kind, message, issues }: Refusal): void {
  const { code } = errorKinds[kind]
  if ((scope.caller.kind !== 'apiKey' && scope.caller.kind !== 'dashboard') || !traced.has(code)) return
  const all = issues.length > 0 ? issues : [{ path: [], message }]
  const errors = all.slice(0, MAX_TRACED).map(tracedError)
  trace(scope, { ...described(given), kind: 'rejected', code, errors, eventId: null })
}
