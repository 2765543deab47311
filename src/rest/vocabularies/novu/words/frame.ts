// Notifications as messages: the form of live events, which the messages of version 1 extend.
import { z } from 'zod'
import { present } from '../../../../lib/present.ts'
import { type FeedItem, itemView } from './item.ts'

const { shape: item } = itemView
const { shape: redirect } = item.redirect.unwrap()
const { shape: recipient } = item.to

const buttonType = z.enum(['primary', 'secondary'])

/** What a click does. An object even if a click does nothing: the page reads its fields. */
const callToAction = z.object({
  type: z.literal('redirect').optional(),
  data: z.object(redirect).optional(),
  action: z
    .object({
      buttons: z.array(z.object({ type: buttonType, content: z.string(), ...z.object(redirect).partial().shape })),
      status: z.enum(['pending', 'done']),
      result: z
        .object({ type: buttonType })
        .optional()
        .meta({ description: 'The completed button: the primary one if both are completed.' }),
    })
    .optional(),
})

/** The message of a live event. */
export const frameView = z
  .object({
    _id: item.id,
    transactionId: item.transactionId,
    content: item.body,
    subject: item.subject,
    avatar: item.avatar,
    read: item.isRead,
    seen: item.isSeen,
    archived: item.isArchived,
    createdAt: item.createdAt,
    lastReadDate: item.readAt,
    firstSeenDate: item.firstSeenAt,
    archivedAt: item.archivedAt,
    snoozedUntil: item.snoozedUntil,
    deliveredAt: item.deliveredAt,
    channel: item.channelType,
    subscriber: item.to.omit({ id: true }).extend({ _id: recipient.id }),
    cta: callToAction,
    tags: item.tags,
    data: item.data,
    workflow: item.workflow,
    severity: item.severity,
  })
  .meta({ id: 'NovuMessageFrame', description: 'A notification as live events show it.' })

function callToActionOf({ redirect, primaryAction, secondaryAction }: FeedItem): z.input<typeof callToAction> {
  const actions = [
    { type: 'primary' as const, action: primaryAction },
    { type: 'secondary' as const, action: secondaryAction },
  ]
  const buttons = actions.flatMap(({ type, action }) =>
    action ? [{ type, content: action.label, ...action.redirect }] : [],
  )
  const completed = actions.find(({ action }) => action?.isCompleted)
  return {
    ...(redirect && { type: 'redirect', data: redirect }),
    ...(buttons.length > 0 && {
      action: {
        buttons,
        status: completed ? 'done' : 'pending',
        ...(completed && { result: { type: completed.type } }),
      },
    }),
  }
}

/** Returns an item of a feed as a message. */
export function frameOf(shown: FeedItem): z.input<typeof frameView> {
  const { id, transactionId, subject, avatar, body, createdAt, archivedAt, snoozedUntil, deliveredAt } = shown
  const { to, tags, data, workflow, severity } = shown
  const { id: _id, ...named } = to
  return {
    _id: id,
    transactionId,
    content: body,
    ...present({ subject, avatar }),
    read: shown.isRead,
    seen: shown.isSeen,
    archived: shown.isArchived,
    createdAt,
    ...present({ lastReadDate: shown.readAt, firstSeenDate: shown.firstSeenAt }),
    ...present({ archivedAt, snoozedUntil, deliveredAt }),
    channel: shown.channelType,
    subscriber: { _id, ...named },
    cta: callToActionOf(shown),
    tags,
    data,
    ...present({ workflow }),
    severity,
  }
}
