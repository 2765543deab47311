// Renders the panel again and again while it is open, so that the times on it age.
import type { ReactiveController, ReactiveControllerHost } from 'lit'

/** The time between two updates, in milliseconds: a quarter of the smallest unit that is shown. */
const TICK = 15_000

export class Ticker implements ReactiveController {
  readonly #host: ReactiveControllerHost & { readonly open: boolean }
  #timer: ReturnType<typeof setInterval> | undefined

  constructor(host: ReactiveControllerHost & { readonly open: boolean }) {
    this.#host = host
    host.addController(this)
  }

  hostConnected(): void {
    this.#timer = setInterval(() => this.#host.open && this.#host.requestUpdate(), TICK)
  }

  hostDisconnected(): void {
    clearInterval(this.#timer)
  }
}
