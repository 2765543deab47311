// The content of a notification, in the feed or in a preview.
import {
  actionsOf,
  type Notification,
  type NotificationAction as NotificationActionRow,
  linkTargetOf,
} from '../../domain/notification.ts'
import { LinkTarget } from '../link-target.ts'
import { builder, type ObjectFields } from '../schema/builder.ts'

const NotificationAction = builder.objectRef<NotificationActionRow>('NotificationAction').implement({
  description: 'A button of a notification.',
  fields: (t) => ({
    label: t.exposeString('label', { description: 'The label.' }),
    url: t.exposeString('url', { description: 'The link.' }),
    target: t.field({
      type: LinkTarget,
      nullable: true,
      description: 'Where the link opens. Null if the step does not say.',
      resolve: linkTargetOf,
    }),
    isCompleted: t.boolean({
      description: 'True if the action was completed.',
      resolve: ({ completedAt }) => completedAt !== undefined,
    }),
    completedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'The time the action was completed. Null if it is open.',
      resolve: ({ completedAt }) => (completedAt === undefined ? null : new Date(completedAt)),
    }),
  }),
})

/** The fields of a notification's content, in the feed or in a preview. */
export const contentFields = (t: ObjectFields<Notification>) => ({
  subject: t.exposeString('subject', { nullable: true, description: 'The heading. Null if there is none.' }),
  body: t.exposeString('body', { description: 'The text.' }),
  avatar: t.exposeString('avatar', {
    nullable: true,
    description: 'The URL of an image. Null if there is none.',
  }),
  url: t.exposeString('url', { nullable: true, description: 'The link. Null if there is none.' }),
  target: t.field({
    type: LinkTarget,
    nullable: true,
    description: 'Where the link opens. Null if the step does not say.',
    resolve: linkTargetOf,
  }),
  actions: t.field({
    type: t.listRef(NotificationAction),
    description: 'The buttons, in order.',
    resolve: (row) => actionsOf(row),
  }),
  data: t.expose('data', { type: 'JSONObject', description: "Custom data from the workflow's step, rendered." }),
  payload: t.expose('payload', {
    type: 'JSONObject',
    nullable: true,
    description:
      "The fields of the event's payload that the workflow's step names. Secret fields have a mask. Null if it names none.",
  }),
})
