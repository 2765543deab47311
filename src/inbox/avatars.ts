// The avatars of notifications: the image if the page allows its host, otherwise initials.
import { html, type ReactiveControllerHost, type TemplateResult } from 'lit'

export class Avatars {
  readonly #host: ReactiveControllerHost
  /** The addresses of images that could not be loaded. */
  readonly #broken = new Set<string>()

  constructor(host: ReactiveControllerHost) {
    this.#host = host
  }

  /**
   * @param name the text whose initials stand for the image.
   * @param hosts the hosts that the page allows beside its own, such as `images.example`, `*.example` or `*`, separated
   *   by spaces.
   */
  render(url: string, name: string, hosts: string): TemplateResult {
    if (this.#broken.has(url) || !isAllowed(url, hosts)) {
      return html`<span class="avatar" aria-hidden="true">${initialsOf(name)}</span>`
    }
    const onError = () => {
      this.#broken.add(url)
      this.#host.requestUpdate()
    }
    return html`<img class="avatar" src=${url} alt="" loading="lazy" @error=${onError} />`
  }
}

/** An image of another host would be an error in the console of each page whose security policy does not allow it. */
function isAllowed(url: string, hosts: string): boolean {
  if (!URL.canParse(url, document.baseURI)) return false
  const { origin, host, protocol } = new URL(url, document.baseURI)
  if (origin === location.origin) return true
  const isNamed = (name: string) =>
    name === '*' || name === host || (name.startsWith('*.') && host.endsWith(name.slice(1)))
  return ['http:', 'https:'].includes(protocol) && hosts.toLowerCase().split(/\s+/).some(isNamed)
}

/** The first letters of the first two words. */
function initialsOf(name: string): string {
  const words = name.match(/[\p{L}\p{N}]+/gu) ?? []
  const letters = words.slice(0, 2).map((word) => String.fromCodePoint(word.codePointAt(0) ?? 0))
  return letters.join('').toLocaleUpperCase()
}
