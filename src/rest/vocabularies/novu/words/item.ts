// Notifications as items of a feed, in the client's words.
import { z } from 'zod'
import { Severity } from '../../../../data/prisma/enums.ts'
import { linkTargets } from '../../../../domain/channel/channel.ts'
import { asObject } from '../../../../domain/channel/stored-json.ts'
import { notificationSource } from '../../../../domain/feed/notification-source.ts'
import {
  actionsOf,
  creationOf,
  linkTargetOf,
  type Notification,
  type NotificationAction,
} from '../../../../domain/notification.ts'
import type { DoorScope } from '../../../../domain/resolver/door-scope.ts'
import type { Subscriber } from '../../../../domain/subscriber.ts'
import type { Workflow } from '../../../../domain/workflow.ts'
import { present } from '../../../../lib/present.ts'
import { ownData, timestamp } from '../../../views.ts'

const redirect = z.object({ url: z.string(), target: z.enum(linkTargets).optional() })

const action = z
  .object({ label: z.string(), isCompleted: z.boolean(), redirect: redirect.optional() })
  .meta({ id: 'NovuAction', description: 'A button of a notification.' })

export const workflowInWords = z
  .object({
    id: z.string(),
    identifier: z.string(),
    name: z.string(),
    critical: z.boolean(),
    severity: z.enum(Severity),
    tags: z.array(z.string()),
    data: ownData,
  })
  .meta({ id: 'NovuWorkflowOfItem', description: 'The current version of a workflow.' })

/** A notification of a feed. The client refuses null in optional fields. */
export const itemView = z
  .object({
    id: z.string(),
    transactionId: z.string().meta({ description: 'Transaction id of the event, or its id if it was deleted.' }),
    subject: z.string().optional(),
    body: z.string(),
    avatar: z.string().optional(),
    to: z.object({
      id: z.string(),
      subscriberId: z.string(),
      firstName: z.string().optional(),
      lastName: z.string().optional(),
      avatar: z.string().optional(),
    }),
    isRead: z.boolean(),
    isSeen: z.boolean(),
    isArchived: z.boolean(),
    isSnoozed: z.boolean(),
    readAt: timestamp.optional(),
    firstSeenAt: timestamp.optional(),
    archivedAt: timestamp.optional(),
    snoozedUntil: timestamp.optional(),
    deliveredAt: z.array(timestamp).optional().meta({ description: 'Returns from a snooze, oldest first.' }),
    createdAt: timestamp,
    primaryAction: action.optional(),
    secondaryAction: action.optional(),
    redirect: redirect.optional(),
    channelType: z.literal('in_app'),
    tags: z.array(z.string()),
    data: ownData,
    severity: z.enum(Severity),
    workflow: workflowInWords.optional().meta({ description: 'Absent if the workflow was deleted.' }),
  })
  .meta({ id: 'NovuNotification', description: "An entry of a subscriber's in-app feed." })

export type FeedItem = z.input<typeof itemView>

/** Returns where a link leads. Undefined if there is none. */
function redirectOf(link: {
  readonly url: string | null
  readonly target?: string | null
}): z.input<typeof redirect> | undefined {
  return link.url === null ? undefined : { url: link.url, ...present({ target: linkTargetOf(link) }) }
}

const showRecipient = ({ id, subscriberId, firstName, lastName, avatar }: Subscriber) => ({
  id,
  subscriberId,
  ...present({ firstName, lastName, avatar }),
})

export const showWorkflowInWords = ({ id, identifier, name, critical, severity, tags, data }: Workflow) => ({
  ...{ id, identifier, name, critical, severity, tags },
  data: asObject(data),
})

const showAction = (given: NotificationAction | undefined) =>
  given && {
    label: given.label,
    isCompleted: given.completedAt !== undefined,
    ...present({ redirect: redirectOf(given) }),
  }

/** Shows a notification that the caller may read. Batched: a constant number of statements for any number of rows. */
export async function showItem(row: Notification, scope: DoorScope): Promise<FeedItem> {
  const { id, subject, body, avatar, tags, severity } = row
  const { subscriber, transactionId, workflow } = await notificationSource(scope, row)
  const [primary, secondary] = actionsOf(row)
  return {
    id,
    transactionId: transactionId ?? row.eventId,
    body,
    ...present({ subject, avatar }),
    to: showRecipient(subscriber),
    isRead: row.readAt !== null,
    isSeen: row.seenAt !== null,
    isArchived: row.archivedAt !== null,
    isSnoozed: row.snoozedUntil !== null,
    ...present({
      readAt: row.readAt?.toISOString(),
      firstSeenAt: row.seenAt?.toISOString(),
      archivedAt: row.archivedAt?.toISOString(),
      snoozedUntil: row.snoozedUntil?.toISOString(),
      deliveredAt: row.deliveredAt.length === 0 ? undefined : row.deliveredAt.map((time) => time.toISOString()),
    }),
    createdAt: creationOf(row).toISOString(),
    ...present({
      primaryAction: showAction(primary),
      secondaryAction: showAction(secondary),
      redirect: redirectOf(row),
    }),
    channelType: 'in_app',
    tags,
    data: asObject(row.data),
    severity,
    ...present({ workflow: workflow && showWorkflowInWords(workflow) }),
  }
}
