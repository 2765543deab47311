// Puts the panel above the page: into the top layer, beside the bell, where no box of the page can clip or cover it.
import type { LitElement, ReactiveController } from 'lit'

/** The distance to the bell, and to the edges of the window, in pixels. */
const GAP = 4
const MARGIN = 8

export class PanelLayer implements ReactiveController {
  readonly #host: LitElement
  #panel: HTMLElement | null = null

  constructor(host: LitElement) {
    this.#host = host
    host.addController(this)
  }

  /** A panel that was moved with the element has left the top layer. */
  hostConnected(): void {
    this.#host.requestUpdate()
  }

  hostUpdated(): void {
    const panel = this.#host.renderRoot.querySelector<HTMLElement>('.panel')
    if (panel === this.#panel) return
    this.hostDisconnected()
    this.#panel = panel
    if (panel === null) return
    // Older browsers show it below the bell, within the boxes of the page.
    if (typeof panel.showPopover === 'function') panel.showPopover()
    window.addEventListener('resize', this.#place)
    document.addEventListener('scroll', this.#place, {
      capture: true,
      passive: true,
    })
    this.#place()
  }

  hostDisconnected(): void {
    this.#panel = null
    window.removeEventListener('resize', this.#place)
    document.removeEventListener('scroll', this.#place, { capture: true })
  }

  readonly #place = (): void => {
    const panel = this.#panel
    const bell = this.#host.renderRoot.querySelector('.bell')?.getBoundingClientRect()
    if (panel === null || bell === undefined) return
    if (typeof panel.showPopover !== 'function') {
      panel.classList.remove('other-side')
      const { left, right } = panel.getBoundingClientRect()
      panel.classList.toggle('other-side', left < 0 || right > window.innerWidth)
      return
    }
    const { offsetWidth: width, offsetHeight: height } = panel
    const isRightToLeft = getComputedStyle(this.#host).direction === 'rtl'
    const left = isRightToLeft ? bell.left : bell.right - width
    const below = bell.bottom + GAP
    const above = bell.top - GAP - height
    const top = below + height > window.innerHeight - MARGIN && above >= MARGIN ? above : below
    // Not style attributes, which a security policy may forbid.
    panel.style.setProperty('--left', `${within(left, window.innerWidth - width)}px`)
    panel.style.setProperty('--top', `${within(top, window.innerHeight - height)}px`)
  }
}

/** The position that is nearest to the wanted one and leaves a margin. */
const within = (wanted: number, room: number) => Math.max(MARGIN, Math.min(wanted, room - MARGIN))
