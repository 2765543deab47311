// The page of an unsubscribe link. GET and HEAD change nothing, because mail servers open links to scan them. The button of
// a mail client posts `List-Unsubscribe=One-Click` (RFC 8058), and the button of the page `confirm=yes`.
import { html } from 'hono/html'
import { followLink } from '../domain/link/follow-link.ts'
import { linkPage, type LinkSubject } from '../domain/link/link-page.ts'
import { Refusal } from '../lib/errors.ts'
import type { Answered, LinkRequest } from './link-request.ts'
import type { Texts } from './language/texts.ts'
import { type Html, noticePage, type ShownPage, successPage } from './page/page.ts'

/** The actions of the page, each with the field of a form that asks for it. */
const actions = [
  { field: 'List-Unsubscribe', value: 'One-Click', isOn: false, source: 'one_click' },
  { field: 'confirm', value: 'yes', isOn: false, source: 'preference_page' },
  { field: 'undo', value: 'yes', isOn: true, source: 'preference_page' },
] as const

/** A form with one button. */
const button = (field: string, label: string, className = ''): Html =>
  html`<form method="post">
    <input type="hidden" name="${field}" value="yes" />
    <button class="${className}">${label}</button>
  </form>`

const toPreferences = (token: string, { allPreferences }: Texts): Html =>
  html`<p><a href="../p/${token}">${allPreferences}</a></p>`

/** The sentence about a subject, with or without its name. */
function sentence(
  { name, channel }: LinkSubject,
  { by }: Texts,
  about: (name: string, by: string) => string,
  aboutAll: (by: string) => string,
): string {
  return name === null ? aboutAll(by[channel]) : about(name, by[channel])
}

/** The page for what a link turns off. @param acted true if a button led here. */
function pageOf(subject: LinkSubject | undefined, token: string, texts: Texts, acted: boolean): ShownPage {
  const { done, undone, doneForGood, unsubscribe, undo, mistake, always } = texts
  if (subject === undefined) {
    return successPage({ title: done.title, text: doneForGood }, toPreferences(token, texts))
  }
  if (subject.isCritical) return noticePage(always, toPreferences(token, texts))
  if (subject.isOff) {
    const text = sentence(subject, texts, done.about, texts.doneAll)
    const more = html`${button('undo', undo, 'plain')}${toPreferences(token, texts)}`
    return successPage(
      { title: done.title, text },
      html`<p class="dimmed small">${mistake}</p>
        ${more}`,
    )
  }
  if (acted) {
    const text = sentence(subject, texts, undone.about, texts.undoneAll)
    return successPage({ title: undone.title, text }, toPreferences(token, texts))
  }
  const text = sentence(subject, texts, texts.ask, texts.askAll)
  const more = html`${button('confirm', unsubscribe)}${toPreferences(token, texts)}`
  return noticePage({ title: unsubscribe, text }, more)
}

/** @throws Refusal `MALFORMED` for a form without exactly one of the fields. */
export async function answerUnsubscribe({ link, scope, form, token }: LinkRequest): Promise<Answered> {
  // A link of the preference page unsubscribes from nothing.
  if (link.scope === null) throw new Refusal('NOT_FOUND', 'The link is one of the preference page')
  if (form === undefined) {
    const { reader, subject } = await linkPage(scope, { link })
    return { reader, page: (texts) => pageOf(subject, token, texts, false) }
  }
  const [action, ...others] = actions.filter(({ field, value }) => form.get(field) === value)
  if (action === undefined || others.length > 0) throw new Refusal('MALFORMED', 'The form asks for nothing')
  const { isOn, source } = action
  const { reader, subject } = await followLink(scope, { link, isOn, source })
  return { reader, page: (texts) => pageOf(subject, token, texts, true) }
}
