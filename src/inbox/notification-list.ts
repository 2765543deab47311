// The list of notifications, with the actions on each.
import { html, nothing, type TemplateResult } from 'lit'
import { repeat } from 'lit/directives/repeat.js'
import type { FeedNotification } from './documents.ts'
import { archiveIcon, readIcon, unreadIcon } from './icons.ts'
import type { Mark } from './marks.ts'
import { absoluteTime, relativeTime } from './relative-time.ts'
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

type ItemOptions = Pick<NotificationListOptions, 'texts' | 'locale' | 'avatar' | 'onOpen' | 'onMark'>

function item(notification: FeedNotification, { texts, locale, avatar, onOpen, onMark }: ItemOptions): TemplateResult {
  const { subject, body, actions, createdAt, readAt, archivedAt } = notification
  const isUnread = readAt === null
  const time = new Date(createdAt)
  return html`
    <li class="notification ${isUnread ? 'unread' : ''}">
      ${notification.avatar === null ? nothing : avatar(notification.avatar, subject ?? body)}
      <div class="text">
        <button class="open" @click=${() => onOpen(notification)}>
          ${subject === null ? nothing : html`<div class="subject">${subject}</div>`}
          <div class="body">${body}</div>
          <time datetime=${createdAt} title=${absoluteTime(time, locale)}
            >${relativeTime(time, Date.now(), locale)}</time
          >
        </button>
        ${
          actions.length === 0
            ? nothing
            : html`<div class="actions">
                ${actions.filter(({ url }) => isSafe(url)).map(({ label, url }) => html`<a href=${url}>${label}</a>`)}
              </div>`
        }
      </div>
      <div class="tools">
        ${tool('read', isUnread ? texts.markRead : texts.markUnread, isUnread ? readIcon : unreadIcon, () =>
          onMark(notification, isUnread ? 'READ' : 'UNREAD'),
        )}
        ${tool('archive', archivedAt === null ? texts.archive : texts.unarchive, archiveIcon, () =>
          onMark(notification, archivedAt === null ? 'ARCHIVED' : 'UNARCHIVED'),
        )}
      </div>
    </li>
  `
}

const tool = (name: string, label: string, icon: TemplateResult, onClick: () => void) =>
  html`<button data-tool=${name} aria-label=${label} title=${label} @click=${onClick}>${icon}</button>`

/** True for an address that is safe in a link: a page, an email address or a phone number, but no script. */
export const isSafe = (url: string): boolean =>
  URL.canParse(url, document.baseURI) &&
  ['http:', 'https:', 'mailto:', 'tel:'].includes(new URL(url, document.baseURI).protocol)
