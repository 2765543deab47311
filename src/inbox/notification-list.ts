// The list of notifications, with the actions on each.
import { html, nothing, type TemplateResult } from 'lit'
import { repeat } from 'lit/directives/repeat.js'
import type { FeedNotification } from './documents.ts'
import type { Mark } from './feed.ts'
import { archiveIcon, readIcon, unreadIcon } from './icons.ts'
import type { Texts } from './texts.ts'

interface ListOptions {
  readonly notifications: readonly FeedNotification[]
  readonly hasMore: boolean
  readonly texts: Texts
  readonly locale: string | undefined
  readonly onOpen: (notification: FeedNotification) => void
  readonly onMark: (notification: FeedNotification, as: Mark) => void
  readonly onMore: () => void
}

export function notificationList({ notifications, hasMore, texts, onMore, ...options }: ListOptions): TemplateResult {
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

type ItemOptions = Pick<ListOptions, 'texts' | 'locale' | 'onOpen' | 'onMark'>

function item(notification: FeedNotification, { texts, locale, onOpen, onMark }: ItemOptions): TemplateResult {
  const { subject, body, avatar, actions, createdAt, readAt, archivedAt } = notification
  const isUnread = readAt === null
  const when = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' }).format(new Date(createdAt))
  return html`
    <li class="notification ${isUnread ? 'unread' : ''}">
      ${avatar === null ? nothing : html`<img class="avatar" src=${avatar} alt="" loading="lazy" />`}
      <div class="text">
        <button class="open" @click=${() => onOpen(notification)}>
          ${subject === null ? nothing : html`<div class="subject">${subject}</div>`}
          <div class="body">${body}</div>
          <time datetime=${createdAt}>${when}</time>
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
        ${tool(isUnread ? texts.markRead : texts.markUnread, isUnread ? readIcon : unreadIcon, () =>
          onMark(notification, isUnread ? 'READ' : 'UNREAD'),
        )}
        ${tool(archivedAt === null ? texts.archive : texts.unarchive, archiveIcon, () =>
          onMark(notification, archivedAt === null ? 'ARCHIVED' : 'UNARCHIVED'),
        )}
      </div>
    </li>
  `
}

const tool = (label: string, icon: TemplateResult, onClick: () => void) =>
  html`<button aria-label=${label} title=${label} @click=${onClick}>${icon}</button>`

/** True for an address that is safe in a link: a page, an email address or a phone number, but no script. */
export const isSafe = (url: string): boolean =>
  URL.canParse(url, document.baseURI) &&
  ['http:', 'https:', 'mailto:', 'tel:'].includes(new URL(url, document.baseURI).protocol)
