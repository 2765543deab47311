// What a screen reader says while the inbox works: a new notification, what a mark did, and once that something failed.
import { html, type ReactiveControllerHost, type TemplateResult } from 'lit'
import { keyed } from 'lit/directives/keyed.js'

export class Announcer {
  readonly #host: ReactiveControllerHost
  #text = ''
  /** Makes the same text a new one. */
  #number = 0
  #problem = ''

  constructor(host: ReactiveControllerHost) {
    this.#host = host
  }

  say(text: string): void {
    this.#text = text
    this.#number += 1
    this.#host.requestUpdate()
  }

  /**
   * Says a problem once, however often the attempts fail.
   *
   * @param problem empty for none.
   * @param isShown true if the panel shows the problem, and says it by itself.
   */
  sayOnce(problem: string, isShown: boolean): void {
    const isNew = problem !== this.#problem
    if (isShown && this.#text === this.#problem) this.#text = ''
    else if (isNew && !isShown) this.say(problem)
    this.#problem = problem
  }

  render(): TemplateResult {
    return html`<div class="spoken" role="status">${keyed(this.#number, html`<span>${this.#text}</span>`)}</div>`
  }
}
