// The panel: its header, its filters, and the list or what is said instead of it.
import { html, nothing, type TemplateResult } from 'lit'
import { SignInError } from './errors.ts'
import type { Feed } from './feed.ts'
import type { Filter } from './feed-pages.ts'
import { backIcon, closeIcon, settingsIcon } from './icons.ts'
import { notificationList, type NotificationListOptions } from './notification-list.ts'
import { preferenceList } from './preference-list.ts'
import type { Preferences } from './preferences.ts'
import { timeOf } from './snooze.ts'
import type { Texts } from './texts.ts'

export type View = 'notifications' | 'preferences'

interface PanelOptions extends Pick<
  NotificationListOptions,
  'locale' | 'avatar' | 'snoozingId' | 'onOpen' | 'onSnoozing'
> {
  readonly view: View
  readonly feed: Feed
  readonly preferences: Preferences
  readonly texts: Texts
  readonly onView: (view: View) => void
  readonly onRetry: () => void
  readonly onClose: () => void
}

export function panel(options: PanelOptions): TemplateResult {
  const { view, texts, onView, onClose } = options
  const isPreferences = view === 'preferences'
  const title = isPreferences ? texts.preferences : texts.notifications
  return html`
    <div class="panel" part="panel" role="dialog" popover="manual" tabindex="-1" aria-label=${title}>
      <header part="header">
        ${isPreferences ? iconButton(texts.back, backIcon, () => onView('notifications')) : nothing}
        <h2>${title}</h2>
        ${isPreferences ? nothing : iconButton(texts.preferences, settingsIcon, () => onView('preferences'))}
        ${iconButton(texts.close, closeIcon, onClose)}
      </header>
      ${isPreferences ? nothing : filters(options)}
      <div class="scroll">${isPreferences ? preferencesView(options) : notificationsView(options)}</div>
    </div>
  `
}

/** The sentence for an error. The developer of the page reads more in the console. */
export const sentenceOf = (error: Error, texts: Texts): string =>
  error instanceof SignInError ? texts.rejected : texts.failed

const iconButton = (label: string, icon: TemplateResult, onClick: () => void) =>
  html`<button aria-label=${label} title=${label} @click=${onClick}>${icon}</button>`

function filters({ feed, texts }: PanelOptions): TemplateResult {
  const button = (filter: Filter, label: string) =>
    html`<button aria-pressed=${feed.filter === filter} @click=${() => void feed.select(filter)}>${label}</button>`
  return html`
    <div class="filters">
      ${button('all', texts.all)} ${button('unread', texts.onlyUnread)} ${button('archived', texts.archived)}
      ${button('snoozed', texts.snoozed)}
      ${
        feed.counts.unread === 0
          ? nothing
          : html`<button class="end" @click=${() => void feed.markAllRead()}>${texts.markAllRead}</button>`
      }
    </div>
  `
}

function notificationsView({ feed, texts, onRetry, ...options }: PanelOptions): TemplateResult {
  const { locale, avatar, snoozingId, onOpen, onSnoozing } = options
  const { notifications, hasMore, error } = feed
  const list =
    notifications &&
    notificationList({
      ...{ notifications, hasMore, texts, locale, avatar, snoozingId, onOpen, onSnoozing },
      onMark: (notification, as) => void feed.mark(notification, as),
      onSnooze: (notification, name) => {
        onSnoozing(undefined)
        void feed.snooze(notification, timeOf(name, new Date()))
      },
      onReturn: (notification) => void feed.unsnooze(notification),
      onMore: () => void feed.loadMore(),
    })
  return view({ state: feed, content: list, error, texts, onRetry })
}

function preferencesView({ preferences, feed, texts, onRetry }: PanelOptions): TemplateResult {
  const list =
    preferences.read &&
    preferenceList({
      preferences: preferences.read,
      texts,
      onChange: (...change) => void preferences.set(...change),
      onMore: () => void preferences.loadMore(),
    })
  return view({
    state: preferences,
    content: list,
    error: preferences.error ?? feed.error,
    texts,
    onRetry,
  })
}

interface ViewOptions extends Pick<PanelOptions, 'texts' | 'onRetry'> {
  readonly state: { readonly isUnsaved: boolean }
  readonly content: TemplateResult | undefined
  readonly error: Error | undefined
}

/** What was read stays on the screen below an error. */
function view({ state, content, error, texts, onRetry }: ViewOptions): TemplateResult {
  return html`
    ${
      error === undefined
        ? nothing
        : html`<div class="note" role="alert">
            <p>${sentenceOf(error, texts)}</p>
            <button @click=${onRetry}>${texts.retry}</button>
          </div>`
    }
    ${state.isUnsaved ? html`<p class="note" role="alert">${texts.unsaved}</p>` : nothing}
    ${content ?? (error === undefined ? html`<p class="note" aria-busy="true">${texts.loading}</p>` : nothing)}
  `
}
