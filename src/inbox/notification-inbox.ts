// <notification-inbox>: a bell with a count, which opens the subscriber's notifications and preferences.
import { html, LitElement, nothing, type PropertyValues, type TemplateResult } from 'lit'
import { Announcer } from './announcer.ts'
import { Avatars } from './avatars.ts'
import { bell } from './bell.ts'
import type { FeedNotification } from './documents.ts'
import { advise, SignInError } from './errors.ts'
import { Feed } from './feed.ts'
import { FocusKeeper } from './focus-keeper.ts'
import { identifying, sessionOf } from './identity.ts'
import { openLink } from './link.ts'
import { panel, sentenceOf, type View } from './panel.ts'
import { PanelLayer } from './panel-layer.ts'
import { Preferences } from './preferences.ts'
import { styles } from './styles.ts'
import { english, type Texts, withCount } from './texts.ts'
import { Ticker } from './ticker.ts'

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
    avatarHosts: { attribute: 'avatar-hosts' },
    texts: { attribute: false },
    open: { type: Boolean, reflect: true },
    view: { state: true },
    snoozingId: { state: true },
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
  /** The hosts from which avatars are loaded, beside the page's own: `images.example`, `*.example` or `*`. */
  declare avatarHosts: string
  /** Texts that replace the English ones. */
  declare texts: Partial<Texts>
  /** True while the panel is shown. */
  declare open: boolean
  declare private view: View
  /** The notification whose times of return are offered. */
  declare private snoozingId: string | undefined

  readonly #feed = new Feed(this, {
    onError: (error) => this.#onError(error),
    onOccurrence: (occurrence) => this.#announcer.say(withCount(this.#texts()[occurrence], this.#feed.counts.unread)),
  })
  readonly #preferences = new Preferences(this, (error) => this.#onError(error))
  readonly #avatars = new Avatars(this)
  readonly #announcer = new Announcer(this)

  constructor() {
    super()
    this.gateway = new URL('.', import.meta.url).href
    this.avatarHosts = ''
    this.texts = {}
    this.open = false
    this.view = 'notifications'
    new PanelLayer(this)
    new FocusKeeper(this)
    new Ticker(this)
  }

  override connectedCallback(): void {
    super.connectedCallback()
    document.addEventListener('pointerdown', this.#closeFromOutside)
    document.addEventListener('keydown', this.#onKey)
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback()
    document.removeEventListener('pointerdown', this.#closeFromOutside)
    document.removeEventListener('keydown', this.#onKey)
  }

  protected override willUpdate(changed: PropertyValues): void {
    if (identifying.some((name) => changed.has(name))) {
      const session = sessionOf(this)
      this.#feed.identify(session)
      this.#preferences.identify(session)
    }
    if (!this.open) this.snoozingId = undefined
    this.#feed.show(this.open && this.view === 'notifications')
    const { error } = this.#feed
    this.#announcer.sayOnce(error === undefined ? '' : sentenceOf(error, this.#texts()), this.open)
  }

  #countsBefore = this.#feed.counts
  protected override updated(changed: PropertyValues): void {
    if (changed.get('open') === false) this.renderRoot.querySelector<HTMLElement>('.panel')?.focus()
    const { counts } = this.#feed
    if (counts.unread === this.#countsBefore.unread && counts.unseen === this.#countsBefore.unseen) return
    this.#countsBefore = counts
    this.#fire('counts-change', counts)
  }

  protected override render(): TemplateResult {
    const texts = this.#texts()
    const { counts, error } = this.#feed
    return html`
      ${bell({
        texts,
        unread: counts.unread,
        hasProblem: error !== undefined,
        isOpen: this.open,
        onClick: () => this.#toggle(),
      })}
      ${this.#announcer.render()} ${this.open ? this.#panel(texts) : nothing}
    `
  }

  #panel(texts: Texts): TemplateResult {
    return panel({
      texts,
      view: this.view,
      feed: this.#feed,
      preferences: this.#preferences,
      locale: this.locale,
      avatar: (url, name) => this.#avatars.render(url, name, this.avatarHosts),
      snoozingId: this.snoozingId,
      onOpen: (notification) => this.#openNotification(notification),
      onSnoozing: (id) => (this.snoozingId = id),
      onView: (view) => this.#show(view),
      onRetry: () => this.#retry(),
      onClose: () => this.#toggle(),
    })
  }

  #show(view: View): void {
    this.view = view
    if (view === 'preferences') void this.#preferences.load()
  }

  #retry(): void {
    this.#feed.retry()
    if (this.view === 'preferences') void this.#preferences.load()
  }

  #openNotification(notification: FeedNotification): void {
    if (notification.readAt === null) void this.#feed.mark(notification, 'READ')
    const isWanted = this.#fire('notification-click', notification)
    if (isWanted) openLink(notification)
  }

  #toggle(): void {
    this.open = !this.open
    this.view = 'notifications'
    if (!this.open) this.renderRoot.querySelector<HTMLElement>('.bell')?.focus()
  }

  /** On the document, because what had the focus may have disappeared. */
  readonly #onKey = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape' || !this.open || event.defaultPrevented) return
    const hasFocus = this.shadowRoot?.activeElement !== null
    if (!hasFocus && document.activeElement !== document.body) return
    event.preventDefault()
    if (this.snoozingId === undefined) this.#toggle()
    else this.snoozingId = undefined
  }

  readonly #closeFromOutside = (event: Event): void => {
    if (!event.composedPath().includes(this)) this.open = false
  }

  #onError(error: Error): void {
    // What worked once needs no advice, unless the sign-in fails.
    if (error instanceof SignInError || this.#feed.notifications === undefined) advise(error, this.gateway)
    this.#fire('inbox-error', error)
  }

  #texts(): Texts {
    return { ...english, ...this.texts }
  }

  /** @returns false if a listener prevented the default action. */
  #fire(type: string, detail: unknown): boolean {
    return this.dispatchEvent(
      new CustomEvent(type, {
        detail,
        bubbles: true,
        composed: true,
        cancelable: true,
      }),
    )
  }
}
