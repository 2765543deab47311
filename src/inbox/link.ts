// The links of notifications: which are safe, and where they open.
import type { FeedNotification } from './documents.ts'

/** The words of HTML. */
const words = {
  SELF: '_self',
  BLANK: '_blank',
  PARENT: '_parent',
  TOP: '_top',
  UNFENCED_TOP: '_unfencedTop',
} as const satisfies Record<NonNullable<FeedNotification['target']>, string>

/** Returns where a link opens, in the words of HTML. Undefined if the step does not say: then the page decides. */
export const wordOf = (target: FeedNotification['target']): string | undefined =>
  target === null ? undefined : words[target]

/** True for an address that is safe in a link: a page, an email address or a phone number, but no script. */
export const isSafe = (url: string): boolean =>
  URL.canParse(url, document.baseURI) &&
  ['http:', 'https:', 'mailto:', 'tel:'].includes(new URL(url, document.baseURI).protocol)

/** Opens the link of a notification, if it has a safe one. A new tab cannot reach the page that opened it. */
export function openLink({ url, target }: Pick<FeedNotification, 'url' | 'target'>): void {
  if (url === null || !isSafe(url)) return
  const word = wordOf(target) ?? '_self'
  if (word === '_self') window.location.assign(url)
  else window.open(url, word, 'noopener')
}
