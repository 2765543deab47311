// The list of notifications, with the actions on each.
import { html, nothing, type TemplateResult } from 'lit'
import { repeat } from 'lit/directives/repeat.js'
import type { FeedNotification } from './documents.ts'
import { archiveIcon, readIcon, returnIcon, snoozeIcon, unreadIcon } from './icons.ts'
import { isSafe, wordOf } from './link.ts'
import type { Mark } from './marks.ts'
import { absoluteTime, relativeTime } from './relative-time.ts'
import { type SnoozeTime, snoozeTimes } from './snooze.ts'
import type { Texts } from './texts.ts'

export interface NotificationListOptions {
  readonly notifications: readonly FeedNotification[]
  readonly hasMore: boolean
  readonly texts: Texts
  readonly locale: string | undefined
  /** @param name the text whose initials stand for the image. */
  readonly avatar: (url: string, name: string) => TemplateResult
  readonly onOpen: (notification: FeedNotification) => void
  readonly onMark: (notification: FeedNotification, as: Mark) => void
  /** The notification whose times of return are offered. */
  readonly snoozingId: string | undefined
  /** Offers the times of return of a notification, or of none. */
  readonly onSnoozing: (id: string | undefined) => void
  readonly onSnooze: (notification: FeedNotification, name: SnoozeTime) => void
  readonly onReturn: (notification: FeedNotification) => void
  readonly onMore: () => void
}

export function notificationList({
  notifications,
  hasMore,
  texts,
  onMore,
  ...options
}: NotificationListOptions): TemplateResult {
  if (notifications.length === 0) return html`<p class="note">${texts.empty}</p>`
  return html`
    <ul>
      ${repeat(
        notifications,
        ({ id }) => id,
        (notification) => item(notification, { texts, ...options }),
      )}
    </ul>
    ${hasMore ? html`<p class="note"><button @click=${onMore}>${texts.more}</button></p>` : nothing}
  `
}

type ItemOptions = Omit<NotificationListOptions, 'notifications' | 'hasMore' | 'onMore'>

function item(notification: FeedNotification, options: ItemOptions): TemplateResult {
  const { texts, avatar, onOpen } = options
  const { subject, body, actions, readAt } = notification
  const isUnread = readAt === null
  return html`
    <li class="notification ${isUnread ? 'unread' : ''}">
      ${notification.avatar === null ? nothing : avatar(notification.avatar, subject ?? body)}
      <div class="text">
        <button class="open" @click=${() => onOpen(notification)}>
          ${subject === null ? nothing : html`<div class="subject">${subject}</div>`}
          <div class="body">${body}</div>
          ${timeIn(notification, options)}
        </button>
        ${
          actions.length === 0
            ? nothing
            : html`<div class="actions">
                ${actions
                  .filter(({ url }) => isSafe(url))
                  .map(
                    ({ label, url, target, isCompleted }) =>
                      html`<a href=${url} target=${wordOf(target) ?? nothing}>${label}</a>${
                          isCompleted ? html`<span class="muted">${texts.completed}</span> ` : nothing
                        }`,
                  )}
              </div>`
        }
        ${notification.id === options.snoozingId ? snoozeChoices(notification, options) : nothing}
      </div>
      <div class="tools">
        ${notification.snoozedUntil === null ? tools(notification, options) : returnTool(notification, options)}
      </div>
    </li>
  `
}

function timeIn({ createdAt, snoozedUntil }: FeedNotification, { texts, locale }: ItemOptions): TemplateResult {
  const time = new Date(snoozedUntil ?? createdAt)
  const exact = absoluteTime(time, locale)
  const text = snoozedUntil === null ? relativeTime(time, Date.now(), locale) : texts.returns.replace('{time}', exact)
  return html`<time datetime=${time.toISOString()} title=${exact}>${text}</time>`
}

function tools(notification: FeedNotification, { texts, snoozingId, onMark, onSnoozing }: ItemOptions): TemplateResult {
  const { id, readAt, archivedAt } = notification
  const isUnread = readAt === null
  const isSnoozing = id === snoozingId
  return html`
    ${tool('read', isUnread ? texts.markRead : texts.markUnread, isUnread ? readIcon : unreadIcon, () =>
      onMark(notification, isUnread ? 'READ' : 'UNREAD'),
    )}
    <button
      data-tool="snooze"
      aria-label=${texts.snooze}
      title=${texts.snooze}
      aria-expanded=${isSnoozing}
      @click=${() => onSnoozing(isSnoozing ? undefined : id)}
    >
      ${snoozeIcon}
    </button>
    ${tool('archive', archivedAt === null ? texts.archive : texts.unarchive, archiveIcon, () =>
      onMark(notification, archivedAt === null ? 'ARCHIVED' : 'UNARCHIVED'),
    )}
  `
}

const returnTool = (notification: FeedNotification, { texts, onReturn }: ItemOptions) =>
  tool('return', texts.returnNow, returnIcon, () => onReturn(notification))

/** The times of return. They have the name of the tool, which gets the focus when they disappear. */
const snoozeChoices = (notification: FeedNotification, { texts, onSnooze }: ItemOptions) => html`
  <div class="choices" role="group" aria-label=${texts.snooze}>
    ${snoozeTimes.map(
      (name) => html`<button data-tool="snooze" @click=${() => onSnooze(notification, name)}>${texts[name]}</button>`,
    )}
  </div>
`

const tool = (name: string, label: string, icon: TemplateResult, onClick: () => void) =>
  html`<button data-tool=${name} aria-label=${label} title=${label} @click=${onClick}>${icon}</button>`
