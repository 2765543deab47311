// Notifications as the REST API shows them.
import { z } from 'zod'
import { Severity } from '../../data/prisma/enums.ts'
import { linkTargets } from '../../domain/channel/channel.ts'
import { asObject } from '../../domain/channel/stored-json.ts'
import { notificationFilter } from '../../domain/notification-filter.ts'
import { actionsOf, creationOf, type Notification, linkTargetOf } from '../../domain/notification.ts'
import { present } from '../../lib/present.ts'
import { bySubscriberId, ownData, timestamp } from '../views.ts'

export const notificationView = z
  .object({
    _id: z.string(),
    subscriberId: z.string(),
    contextKeys: z.array(z.string()).meta({ description: 'Contexts, each as `<type>:<id>`, sorted.' }),
    workflowIdentifier: z.string(),
    subject: z.string().optional(),
    body: z.string(),
    avatar: z.string().optional().meta({ description: 'URL of an image.' }),
    url: z.string().optional().meta({ description: 'URL that a click opens.' }),
    target: z.enum(linkTargets).optional().meta({ description: 'Where the URL opens.' }),
    actions: z
      .array(
        z.object({
          label: z.string(),
          url: z.string(),
          target: z.enum(linkTargets).optional(),
          completedAt: timestamp.optional(),
        }),
      )
      .meta({ description: 'Buttons, in display order.' }),
    data: ownData,
    payload: ownData.optional().meta({ description: 'Fields of the payload that the step names in `payloadFields`.' }),
    severity: z.enum(Severity),
    tags: z.array(z.string()),
    seenAt: timestamp.optional(),
    readAt: timestamp.optional(),
    archivedAt: timestamp.optional(),
    snoozedUntil: timestamp.optional().meta({ description: 'When the snoozed notification returns.' }),
    deliveredAt: z
      .array(timestamp)
      .optional()
      .meta({ description: 'The last 100 returns from a snooze, oldest first. Absent without any.' }),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'Notification', description: "An entry of a subscriber's in-app feed." })

export function showNotification(row: Notification): z.input<typeof notificationView> {
  const { id, subscriberId, contextKeys, workflowIdentifier, subject, body, avatar, url, data, severity, tags } = row
  return {
    _id: id,
    subscriberId,
    contextKeys,
    workflowIdentifier,
    ...present({ subject }),
    body,
    ...present({ avatar, url }),
    ...present({ target: linkTargetOf(row) }),
    actions: actionsOf(row).map(({ target, ...action }) => ({
      ...action,
      ...present({ target: linkTargetOf({ ...present({ target }) }) }),
    })),
    data: asObject(data),
    ...present({ payload: row.payload === null ? undefined : asObject(row.payload) }),
    severity,
    tags,
    ...present({
      seenAt: row.seenAt?.toISOString(),
      readAt: row.readAt?.toISOString(),
      archivedAt: row.archivedAt?.toISOString(),
      snoozedUntil: row.snoozedUntil?.toISOString(),
      deliveredAt: row.deliveredAt.length === 0 ? undefined : row.deliveredAt.map((time) => time.toISOString()),
    }),
    createdAt: creationOf(row).toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  }
}

/** Data in a query: a JSON object as text. What is no JSON is for the resolver to reject. */
export const dataText = z
  .preprocess((text): unknown => {
    try {
      return typeof text === 'string' ? JSON.parse(text) : text
    } catch {
      return text
    }
  }, notificationFilter.shape.data)
  .meta({ description: 'Filter by fields of the data: a JSON object as text. Matches if all of them are equal.' })

/** Path parameters of one notification. */
export const byNotificationId = bySubscriberId.extend({
  id: z.string().meta({ description: '`_id` of the notification.' }),
})
