// The bell: a button with the number of unread notifications, or a sign that there is a problem.
import { html, nothing, type TemplateResult } from 'lit'
import { bellIcon } from './icons.ts'
import { type Texts, withCount } from './texts.ts'

/** The largest number on the bell. */
const MAX_COUNT = 99

interface BellOptions {
  readonly unread: number
  readonly hasProblem: boolean
  readonly isOpen: boolean
  readonly texts: Texts
  readonly onClick: () => void
}

export function bell({ unread, hasProblem, isOpen, texts, onClick }: BellOptions): TemplateResult {
  const { badge, state } = stateOf(unread, hasProblem, texts)
  return html`
    <button
      class="bell"
      part="bell"
      aria-label=${state === undefined ? texts.notifications : `${texts.notifications}, ${state}`}
      aria-haspopup="dialog"
      aria-expanded=${isOpen}
      @click=${onClick}
    >
      ${bellIcon}
      ${badge === undefined ? nothing : html`<span class="count" part="count" aria-hidden="true">${badge}</span>`}
    </button>
  `
}

function stateOf(unread: number, hasProblem: boolean, texts: Texts): { badge?: string; state?: string } {
  if (hasProblem) return { badge: '!', state: texts.unavailable }
  if (unread === 0) return {}
  return {
    badge: unread > MAX_COUNT ? `${MAX_COUNT}+` : `${unread}`,
    state: withCount(texts.unread, unread),
  }
}
