// Routes of events: trigger, read and cancel.
import { z } from 'zod'
import { RunOutcome } from '../../data/prisma/enums.ts'
import { dispositions } from '../../domain/channel/attachment-file.ts'
import { attachmentsOf, type SizedAttachment } from '../../domain/trigger/attachment.ts'
import { event, type Event } from '../../domain/trigger/event.ts'
import { eventOutcomeCodes, outcomeOf, recipientCounts } from '../../domain/trigger/event-outcome.ts'
import {
  eventAdviceOf,
  eventReasonCodes,
  eventStatusCodes,
  reasonOf,
  statusOf,
  tallyOf,
} from '../../domain/trigger/event-status.ts'
import { notesOf } from '../../domain/trigger/override-notes.ts'
import { workflowOfEvent } from '../../domain/trigger/triggered-workflow.ts'
import { cancelEvent } from '../../engine/cancel.ts'
import type { DoorScope } from '../../domain/resolver/door-scope.ts'
import { present } from '../../lib/present.ts'
import type { IgnoredFields } from '../ignored-fields.ts'
import { route } from '../route.ts'
import { found, timestamp } from '../views.ts'
import { triggerRoutesIn } from './trigger.ts'

const count = z.int()

const byTransactionId = z.object({
  transactionId: z.string().meta({ description: 'Transaction id of the trigger, from its request or its response.' }),
})

const attachedView = z.object({
  _id: z.string().optional().meta({ description: 'Absent if the file is at a URL that has not been fetched yet.' }),
  name: z.string(),
  contentType: z.string().optional(),
  size: z.int().optional().meta({ description: 'Size in bytes.' }),
  contentId: z.string().optional(),
  disposition: z.enum(dispositions),
  url: z.string().optional(),
})

const showAttached = ({ attachmentId, name, isInline, ...file }: SizedAttachment): z.input<typeof attachedView> => {
  const { contentType, size, contentId, url } = file
  const disposition = isInline ? 'inline' : 'attachment'
  return { ...present({ _id: attachmentId }), name, ...present({ contentType, size, contentId, url }), disposition }
}

const eventView = z
  .object({
    _id: z.string(),
    transactionId: z.string(),
    workflowIdentifier: z.string(),
    workflowVersion: z.int().optional().meta({
      description: 'Version of the workflow that the event runs. Absent for events of earlier versions of the gateway.',
    }),
    status: z.enum(eventStatusCodes).meta({ description: 'Progress of the gateway.' }),
    outcome: z.enum(eventOutcomeCodes).meta({
      description: 'Whether anything arrived at the recipients: all of them for `delivered`, some for `partly`.',
    }),
    reason: z
      .enum(eventReasonCodes)
      .optional()
      .meta({ description: 'Reason why the event was skipped or failed. Absent for other events.' }),
    detail: z.string().optional().meta({ description: 'Reason in a sentence. Absent if there is no reason.' }),
    advice: z
      .string()
      .optional()
      .meta({ description: 'What to do, so that the workflow runs. Absent if there is no reason.' }),
    notes: z
      .array(z.string())
      .optional()
      .meta({ description: 'Sentences about overrides that no step could use. Absent if there are none.' }),
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
    attachments: z
      .array(attachedView)
      .optional()
      .meta({ description: 'Files of the emails, in the order of the trigger. Absent if there are none.' }),
    createdAt: timestamp,
    cancelledAt: timestamp.optional().meta({ description: 'Time of the cancellation. Absent if there was none.' }),
  })
  .meta({ id: 'Event', description: 'An accepted trigger, and what arrived of it.' })

async function showEvent(scope: DoorScope, row: Event): Promise<z.input<typeof eventView>> {
  const { id, transactionId, workflowIdentifier, detail, createdAt, cancelledAt } = row
  const { attachmentCount } = row
  const [{ workflowVersion }, { runs, messages, notifications }, recipients, notes, attachments] = await Promise.all([
    workflowOfEvent(scope, row),
    tallyOf(scope, { eventId: id }),
    recipientCounts(scope, { eventId: id }),
    notesOf(scope, { event: row }),
    attachmentsOf(scope, { eventId: id, attachmentCount }),
  ])
  return {
    _id: id,
    transactionId,
    workflowIdentifier,
    ...present({ workflowVersion }),
    status: statusOf(row, runs),
    outcome: outcomeOf(row, recipients),
    ...present({ reason: reasonOf(row), detail, advice: eventAdviceOf(row) }),
    ...(notes.length > 0 && { notes }),
    recipients: {
      ...recipients,
      groups: recipients.groups.map(({ outcome, reason, count }) => ({ outcome, ...present({ reason }), count })),
    },
    messages: { ...messages, notifications },
    ...(attachments.length > 0 && { attachments: attachments.map(showAttached) }),
    createdAt: createdAt.toISOString(),
    ...present({ cancelledAt: cancelledAt?.toISOString() }),
  }
}

/** Fields of triggers of published clients. */
const ignored: IgnoredFields = {
  tenant: 'has no effect; send it as a context: "context": { "tenant": "acme" }',
  bridgeUrl: 'has no effect: workflows run in the gateway',
  agentId: 'has no effect: there are no agents',
}

const example = {
  name: 'welcome',
  to: { subscriberId: 'user-1', firstName: 'Ada' },
  payload: { plan: 'pro' },
  context: { tenant: { id: 'acme', data: { name: 'Acme' } } },
}

export const eventRoutes = [
  ...triggerRoutesIn({ prefix: '', convert: (given) => given, fields: {}, ignored, example }),
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
