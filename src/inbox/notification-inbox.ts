// <notification-inbox>: a bell with a count, which opens the subscriber's notifications and preferences.
import { html, LitElement, nothing, type PropertyValues, type TemplateResult } from 'lit'
import type { FeedNotification } from './documents.ts'
import { Feed, type Filter } from './feed.ts'
import { backIcon, bellIcon, closeIcon, settingsIcon } from './icons.ts'
import { isSafe, notificationList } from './notification-list.ts'
import { preferenceList } from './preference-list.ts'
import type { Identity } from './session.ts'
import { styles } from './styles.ts'
import { english, type Texts } from './texts.ts'

/** The largest number on the bell. */
const MAX_COUNT = 99

/** Properties that select another subscriber when they change. */
const identifying = ['gateway', 'environment', 'subscriberId', 'subscriberHash', 'context', 'contextHash']

/**
 * @fires notification-click with the notification as `detail`. Its default action opens `url`.
 * @fires counts-change with `{ unread, unseen }` as `detail`.
 * @fires inbox-error with the error as `detail`.
 */
export class NotificationInbox extends LitElement {
  static override readonly styles = styles
  static override readonly properties = {
    gateway: {},
    environment: {},
    subscriberId: { attribute: 'subscriber-id' },
    subscriberHash: { attribute: 'subscriber-hash' },
    context: { type: Object },
    contextHash: { attribute: 'context-hash' },
    locale: {},
    texts: { attribute: false },
    open: { type: Boolean, reflect: true },
    view: { state: true },
  }

  /** The address of the gateway. Default: where this module was loaded from. */
  declare gateway: string
  /** The public identifier of the environment. */
  declare environment: string | undefined
  declare subscriberId: string | undefined
  declare subscriberHash: string | undefined
  declare context: Record<string, unknown> | undefined
  declare contextHash: string | undefined
  /** The locale of dates. Default: the browser's. */
  declare locale: string | undefined
  /** Texts that replace the English ones. */
  declare texts: Partial<Texts>
  /** True while the panel is shown. */
  declare open: boolean
  declare private view: 'notifications' | 'preferences'

  readonly #feed = new Feed(this, (error) => this.#fire('inbox-error', error))

  constructor() {
    super()
    this.gateway = new URL('.', import.meta.url).href
    this.texts = {}
    this.open = false
    this.view = 'notifications'
  }

  override connectedCallback(): void {
    super.connectedCallback()
    document.addEventListener('pointerdown', this.#closeFromOutside)
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback()
    document.removeEventListener('pointerdown', this.#closeFromOutside)
  }

  protected override willUpdate(changed: PropertyValues): void {
    if (identifying.some((name) => changed.has(name))) this.#feed.identify(this.#identity())
  }

  #countsBefore = this.#feed.counts
  protected override updated(changed: PropertyValues): void {
    if (changed.get('open') === false) this.#place(this.renderRoot.querySelector<HTMLElement>('.panel'))
    const { counts } = this.#feed
    if (counts.unread === this.#countsBefore.unread && counts.unseen === this.#countsBefore.unseen) return
    this.#countsBefore = counts
    this.#fire('counts-change', counts)
  }

  protected override render(): TemplateResult {
    const texts = this.#texts()
    const { unread } = this.#feed.counts
    const label =
      unread === 0 ? texts.notifications : `${texts.notifications}, ${texts.unread.replace('{count}', `${unread}`)}`
    return html`
      <button
        class="bell"
        part="bell"
        aria-label=${label}
        aria-haspopup="dialog"
        aria-expanded=${this.open}
        @click=${() => this.#toggle()}
      >
        ${bellIcon}
        ${
          unread === 0
            ? nothing
            : html`<span class="count" part="count" aria-hidden="true"
                >${unread > MAX_COUNT ? `${MAX_COUNT}+` : unread}</span
              >`
        }
      </button>
      ${this.open ? this.#panel(texts) : nothing}
    `
  }

  #panel(texts: Texts): TemplateResult {
    const isPreferences = this.view === 'preferences'
    const title = isPreferences ? texts.preferences : texts.notifications
    return html`
      <div class="panel" part="panel" role="dialog" tabindex="-1" aria-label=${title} @keydown=${this.#onKey}>
        <header part="header">
          ${
            isPreferences
              ? html`<button aria-label=${texts.back} title=${texts.back} @click=${() => this.#show('notifications')}>
                  ${backIcon}
                </button>`
              : nothing
          }
          <h2>${title}</h2>
          ${
            isPreferences
              ? nothing
              : html`<button
                  aria-label=${texts.preferences}
                  title=${texts.preferences}
                  @click=${() => this.#show('preferences')}
                >
                  ${settingsIcon}
                </button>`
          }
          <button aria-label=${texts.close} title=${texts.close} @click=${() => this.#toggle()}>${closeIcon}</button>
        </header>
        ${isPreferences ? nothing : this.#filters(texts)}
        <div class="scroll">${this.#content(texts)}</div>
      </div>
    `
  }

  #filters(texts: Texts): TemplateResult {
    const button = (filter: Filter, label: string) =>
      html`<button aria-pressed=${this.#feed.filter === filter} @click=${() => void this.#feed.select(filter)}>
        ${label}
      </button>`
    return html`
      <div class="filters">
        ${button('all', texts.all)} ${button('unread', texts.onlyUnread)} ${button('archived', texts.archived)}
        ${
          this.#feed.counts.unread === 0
            ? nothing
            : html`<button class="end" @click=${() => void this.#feed.markAllRead()}>${texts.markAllRead}</button>`
        }
      </div>
    `
  }

  #content(texts: Texts): TemplateResult {
    const { notifications, hasMore, preferences, error } = this.#feed
    if (error !== undefined) {
      return html`<div class="note" role="alert">
        <p>${texts.failed}</p>
        <button @click=${() => this.#reload()}>${texts.retry}</button>
      </div>`
    }
    if (this.view === 'preferences' && preferences !== undefined) {
      return preferenceList({
        preferences,
        texts,
        onChange: (...change) => void this.#feed.setPreference(...change),
        onMore: () => void this.#feed.loadMorePreferences(),
      })
    }
    if (this.view === 'preferences' || notifications === undefined) {
      return html`<p class="note" role="status">${texts.loading}</p>`
    }
    return notificationList({
      notifications,
      hasMore,
      texts,
      locale: this.locale,
      onOpen: (notification) => this.#openNotification(notification),
      onMark: (notification, as) => void this.#feed.mark(notification, as),
      onMore: () => void this.#feed.loadMore(),
    })
  }

  #show(view: 'notifications' | 'preferences'): void {
    this.view = view
    this.#reload()
  }

  #reload(): void {
    void (this.view === 'preferences' ? this.#feed.loadPreferences() : this.#feed.load())
  }

  #openNotification(notification: FeedNotification): void {
    if (notification.readAt === null) void this.#feed.mark(notification, 'READ')
    const isWanted = this.#fire('notification-click', notification)
    if (isWanted && notification.url !== null && isSafe(notification.url)) window.location.assign(notification.url)
  }

  #toggle(): void {
    this.open = !this.open
    this.view = 'notifications'
    if (this.open) void this.#feed.load()
    else this.renderRoot.querySelector<HTMLElement>('.bell')?.focus()
  }

  readonly #onKey = ({ key }: KeyboardEvent): void => {
    if (key === 'Escape') this.#toggle()
  }

  readonly #closeFromOutside = (event: Event): void => {
    if (!event.composedPath().includes(this)) this.open = false
  }

  /** Focuses the panel, and opens it to the other side if it would leave the window. */
  #place(panel: HTMLElement | null): void {
    if (panel === null) return
    const { left, right } = panel.getBoundingClientRect()
    panel.classList.toggle('other-side', left < 0 || right > window.innerWidth)
    panel.focus()
  }

  #texts(): Texts {
    return { ...english, ...this.texts }
  }

  #identity(): Identity | undefined {
    const { gateway, environment, subscriberId, subscriberHash, context = null, contextHash = null } = this
    if (environment === undefined || subscriberId === undefined || subscriberHash === undefined) return undefined
    return { gateway, environment, subscriberId, subscriberHash, context, contextHash }
  }

  /** @returns false if a listener prevented the default action. */
  #fire(type: string, detail: unknown): boolean {
    return this.dispatchEvent(new CustomEvent(type, { detail, bubbles: true, composed: true, cancelable: true }))
  }
}
