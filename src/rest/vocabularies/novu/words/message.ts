// Messages of version 1: notifications of feeds, and the messages of other channels.
import { z } from 'zod'
import { Channel, type DeliveryStatus } from '../../../../data/prisma/enums.ts'
import type { Delivery } from '../../../../domain/execution/delivery.ts'
import { eventOfDelivery } from '../../../../domain/execution/delivery.ts'
import { findStepRun, runOfStep } from '../../../../domain/execution/run.ts'
import { isNotification, type AnyMessage } from '../../../../domain/execution/message.ts'
import type { Notification } from '../../../../domain/notification.ts'
import type { DoorScope } from '../../../../domain/resolver/door-scope.ts'
import { workflowOfEvent } from '../../../../domain/trigger/triggered-workflow.ts'
import { present } from '../../../../lib/present.ts'
import { frameOf, frameView } from './frame.ts'
import { showItem } from './item.ts'
import { wordOfProvider } from './names.ts'

export const messageView = frameView
  // The client reads a subscriber of a message as a whole one.
  .omit({ subscriber: true, workflow: true })
  .extend({
    _environmentId: z.string(),
    _organizationId: z.string(),
    _notificationId: z.string().meta({ description: '`_id` of the activity, or of the step if it was deleted.' }),
    _jobId: z.string(),
    _subscriberId: z.string(),
    _templateId: z.string().meta({ description: '`_id` of the workflow, or its identifier if it was deleted.' }),
    templateIdentifier: z.string(),
    channel: z.enum(Channel),
    status: z.enum(['sent', 'error', 'warning']),
    providerId: z.string().optional(),
    email: z.string().optional(),
    phone: z.string().optional(),
    errorId: z.string().optional().meta({ description: 'Why the message was not sent: a code.' }),
    severity: frameView.shape.severity.optional(),
    contextKeys: z.array(z.string()),
  })
  .meta({ id: 'NovuMessage', description: 'A notification of a feed, or a message of another channel.' })
type ShownMessage = z.input<typeof messageView>

/** Shows a notification of a feed. Batched: a constant number of statements for any number of rows. */
export async function showNotificationAsMessage(row: Notification, scope: DoorScope): Promise<ShownMessage> {
  const [item, step] = await Promise.all([showItem(row, scope), findStepRun(scope, { id: row.stepRunId })])
  const { subscriber, workflow, ...frame } = frameOf(item)
  return {
    ...frame,
    _environmentId: row.environmentId,
    _organizationId: scope.caller.organizationId,
    _notificationId: step?.runId ?? row.stepRunId,
    _jobId: row.stepRunId,
    _subscriberId: subscriber._id,
    _templateId: workflow?.id ?? row.workflowIdentifier,
    templateIdentifier: row.workflowIdentifier,
    status: 'sent',
    contextKeys: row.contextKeys,
  }
}

const statuses = {
  pending: 'warning',
  sent: 'sent',
  failed: 'error',
  cancelled: 'warning',
} as const satisfies Record<DeliveryStatus, ShownMessage['status']>

const addressField = { email: 'email', sms: 'phone' } as const

const addressOf = ({ channel, destination }: Delivery) =>
  channel === 'email' || channel === 'sms' ? { [addressField[channel]]: destination } : {}

/** Shows a message of another channel. Batched, as `showNotificationAsMessage`. */
async function showDelivery(row: Delivery, scope: DoorScope): Promise<ShownMessage> {
  const { id, channel, content, stepRunId } = row
  const [event, run] = await Promise.all([eventOfDelivery(scope, { stepRunId }), runOfStep(scope, { stepRunId })])
  const workflow = await workflowOfEvent(scope, event)
  return {
    _id: id,
    _environmentId: row.environmentId,
    _organizationId: scope.caller.organizationId,
    _notificationId: run.id,
    _jobId: stepRunId,
    _subscriberId: run.subscriberRowId,
    _templateId: workflow.id,
    templateIdentifier: workflow.identifier,
    transactionId: event.transactionId,
    content: content.body,
    ...present({ subject: content.subject }),
    channel,
    ...{ read: false, seen: false, archived: false, cta: {} },
    createdAt: row.createdAt.toISOString(),
    status: statuses[row.status],
    providerId: wordOfProvider(row.providerId),
    ...addressOf(row),
    ...present({ errorId: row.cause }),
    tags: [...workflow.tags],
    data: {},
    contextKeys: event.contextKeys,
  }
}

export const showMessage = (row: AnyMessage, scope: DoorScope): Promise<ShownMessage> =>
  isNotification(row) ? showNotificationAsMessage(row, scope) : showDelivery(row, scope)
