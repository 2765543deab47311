// The fields of an email step besides subject and body: their schema, their templates, and what is wrong with them.
import { z } from 'zod'
import { hasMarkup } from '../../evaluation/template.ts'
import type { Issue, Path } from '../../lib/errors.ts'
import { text } from '../../lib/validation.ts'
import { type EmailAddress, hasNoControls, parseAddresses } from './email-address.ts'
import { MAX_EMAIL_HEADERS, MAX_HEADER_VALUE, objectionToHeader } from './email-header.ts'
import type { StepReading } from './step-reading.ts'

/** Maximum number of addresses in one email, with the recipient. */
export const MAX_ADDRESSES = 50
/** Maximum length of the name of a sender, in characters. */
export const MAX_SENDER_NAME = 255

/** The limits of the templates, in characters. */
export const MAX_PREHEADER = 500
export const MAX_TEXT_BODY = 100_000
export const MAX_THREAD_KEY = 255
/** For an address, the name of a sender or the value of a header. */
export const MAX_FIELD = 2000

export const addressLists = ['replyTo', 'cc', 'bcc'] as const
export type AddressList = (typeof addressLists)[number]

/** The schema of the fields. */
export function emailFields({ template, added }: StepReading) {
  const one = (max: number, description: string) => added(template(max).nullable(), null).meta({ description })
  const addresses = (description: string) =>
    added(z.array(template(MAX_FIELD)).max(MAX_ADDRESSES), []).meta({ description })
  return {
    preheader: one(MAX_PREHEADER, 'The preview text in lists of emails, hidden at the start of the HTML.'),
    textBody: one(MAX_TEXT_BODY, 'The plain text, instead of one that is created from the HTML.'),
    from: one(MAX_FIELD, "The sender's address, instead of the one of the integration."),
    senderName: one(MAX_FIELD, "The sender's name, instead of the one of the integration."),
    replyTo: addresses('The addresses that replies go to.'),
    cc: addresses('The addresses that get a copy.'),
    bcc: addresses('The addresses that get a copy that nobody else sees.'),
    headers: added(
      z.array(z.object({ name: text(76, 1), value: template(MAX_FIELD) })).max(MAX_EMAIL_HEADERS),
      [],
    ).meta({ description: 'Further headers. The value of each is a Liquid template.' }),
    attachments: added(z.boolean(), true).meta({
      description: 'True if the email has the attachments of its events. True by default.',
    }),
    threadKey: one(MAX_THREAD_KEY, 'The key of the thread. Emails to a subscriber with the same key form a thread.'),
  }
}

type Texts = readonly string[] | undefined
type Text = string | null | undefined

/** The fields of a step. Steps of earlier versions have none. */
export interface EmailFields {
  readonly preheader?: Text
  readonly textBody?: Text
  readonly from?: Text
  readonly senderName?: Text
  readonly replyTo?: Texts
  readonly cc?: Texts
  readonly bcc?: Texts
  readonly headers?: readonly { readonly name: string; readonly value: string }[] | undefined
  readonly threadKey?: Text
  readonly attachments?: boolean | undefined
}

/** True if the emails of a step have the attachments of their events, as in steps of earlier versions. */
export const hasAttachments = ({ attachments = true }: EmailFields): boolean => attachments

/** True if a step has none of the fields. */
export const isBare = (step: EmailFields): boolean =>
  !(step.preheader || step.textBody || step.from || step.senderName || step.threadKey) &&
  !(step.replyTo?.length || step.cc?.length || step.bcc?.length || step.headers?.length)

interface FieldTemplate {
  readonly path: Path
  readonly text: Text
}

/** Returns the templates of the fields with their paths. */
export function emailTemplates(step: EmailFields): readonly FieldTemplate[] {
  if (isBare(step)) return []
  const { preheader, textBody, from, senderName, headers = [], threadKey } = step
  return [
    ...Object.entries({ preheader, textBody, from, senderName, threadKey }).map(([name, text]) => ({
      path: [name],
      text,
    })),
    ...addressLists.flatMap((name) => (step[name] ?? []).map((text, index) => ({ path: [name, index], text }))),
    ...headers.map(({ value }, index) => ({ path: ['headers', index, 'value'], text: value })),
  ]
}

/** What the text of a field may be, as the end of a sentence. */
const allowed = {
  addresses: 'an empty text or email addresses, separated by commas, without control characters',
  from: 'an empty text or one email address, without control characters',
  senderName: `at most ${MAX_SENDER_NAME} characters, without control characters`,
  value: `at most ${MAX_HEADER_VALUE} characters, without control characters`,
  total: `at most ${MAX_ADDRESSES} addresses, with the recipient and those of the other fields`,
}

/** What is allowed in a field whose text is invalid. Undefined if it is valid. */
type Objection = string | undefined

const objectionToAddresses = (text: string): Objection => (parseAddresses(text) ? undefined : allowed.addresses)

function objectionToFrom(text: string): Objection {
  const found = parseAddresses(text)
  return found && found.length <= 1 ? undefined : allowed.from
}

const objectionToSenderName = (text: string): Objection =>
  text.length <= MAX_SENDER_NAME && hasNoControls(text) ? undefined : allowed.senderName

const objectionToValue = (text: string): Objection =>
  text.length <= MAX_HEADER_VALUE && hasNoControls(text) ? undefined : allowed.value

/** Returns what the field at a path may be if `text` is not allowed there. The text is trimmed first. */
export function objectionToField([name]: Path, text: string): Objection {
  const trimmed = text.trim()
  if (name === 'from') return objectionToFrom(trimmed)
  if (name === 'senderName') return objectionToSenderName(trimmed)
  if (name === 'headers') return objectionToValue(trimmed)
  return addressLists.some((list) => list === name) ? objectionToAddresses(trimmed) : undefined
}

/**
 * Returns the first list with which an email has too many addresses, and how many are allowed.
 *
 * @param recipients the recipient, and those that an override adds.
 */
export function objectionToTotal(
  lists: Readonly<Record<AddressList, readonly unknown[]>>,
  recipients: readonly unknown[] = [null],
): { readonly list: AddressList | 'to'; readonly allowed: string } | undefined {
  let total = recipients.length
  if (total > MAX_ADDRESSES) return { list: 'to', allowed: allowed.total }
  for (const list of addressLists) {
    total += lists[list].length
    if (total > MAX_ADDRESSES) return { list, allowed: allowed.total }
  }
  return undefined
}

const literalAddresses = (texts: Texts): readonly EmailAddress[] =>
  (texts ?? []).flatMap((text) => (hasMarkup(text) ? [] : (parseAddresses(text.trim()) ?? [])))

/** Yields what is known to be wrong before the templates are rendered. @param at the path of the step. */
export function* emailObjections(step: EmailFields, at: Path): Generator<Issue> {
  const names = new Set<string>()
  for (const [index, { name }] of (step.headers ?? []).entries()) {
    const lower = name.toLowerCase()
    const message = names.has(lower)
      ? 'must be the name of one header only, in any case'
      : objectionToHeader(name, Boolean(step.threadKey))
    if (message !== undefined) yield { path: [...at, 'headers', index, 'name'], message }
    names.add(lower)
  }
  for (const { path, text } of emailTemplates(step)) {
    const objection = text && !hasMarkup(text) ? objectionToField(path, text) : undefined
    if (objection !== undefined) yield { path: [...at, ...path], message: `must be ${objection}` }
  }
  const { replyTo, cc, bcc } = step
  const total = objectionToTotal({
    replyTo: literalAddresses(replyTo),
    cc: literalAddresses(cc),
    bcc: literalAddresses(bcc),
  })
  if (total !== undefined) yield { path: [...at, total.list], message: `must have ${total.allowed}` }
}
