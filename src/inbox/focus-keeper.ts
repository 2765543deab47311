// Keeps the focus in the panel when what has it disappears, and returns it to the bell when the panel closes.
import type { LitElement, ReactiveController } from 'lit'

/** What had the focus before an update. */
interface Place {
  readonly element: HTMLElement
  /** The position in the list of notifications. -1 outside the list. */
  readonly index: number
}

export class FocusKeeper implements ReactiveController {
  readonly #host: LitElement
  #before: Place | undefined

  constructor(host: LitElement) {
    this.#host = host
    host.addController(this)
  }

  hostUpdate(): void {
    const element = this.#focused()
    const item = element?.closest('li')
    const index = item ? [...(item.parentElement?.children ?? [])].indexOf(item) : -1
    this.#before = element && { element, index }
  }

  hostUpdated(): void {
    if (this.#before === undefined || this.#focused() === this.#before.element) return
    const { element } = this.#before
    const target = element.isConnected ? element : (this.#neighbour(this.#before) ?? this.#find('.panel'))
    ;(target ?? this.#find('.bell'))?.focus()
  }

  #focused(): HTMLElement | undefined {
    const root = this.#host.renderRoot
    const element = root instanceof ShadowRoot ? root.activeElement : null
    return element instanceof HTMLElement ? element : undefined
  }

  /** The same button of the notification that took the place of the one that disappeared, or of the last one. */
  #neighbour({ element, index }: Place): HTMLElement | undefined {
    if (index === -1 || element.dataset['tool'] === undefined) return undefined
    const buttons = [...this.#host.renderRoot.querySelectorAll<HTMLElement>(`[data-tool=${element.dataset['tool']}]`)]
    return buttons[Math.min(index, buttons.length - 1)]
  }

  #find(selector: string): HTMLElement | null {
    return this.#host.renderRoot.querySelector<HTMLElement>(selector)
  }
}
