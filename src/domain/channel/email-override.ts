// The fields of an email that an override replaces: what is wrong with them, and an email with them.
import { isJsonObject } from './json-merge.ts'
import type { Issue, Path } from '../../lib/errors.ts'
import { present } from '../../lib/present.ts'
import type { Json, JsonObject } from '../../lib/validation.ts'
import { MAX_SUBJECT } from './channel.ts'
import type { Content, EmailDetails } from './content.ts'
import { type EmailAddress, hasNoControls, parseAddresses } from './email-address.ts'
import { type EmailHeader, MAX_EMAIL_HEADERS, objectionToHeader, setsThread } from './email-header.ts'
import { addressLists, MAX_TEXT_BODY, objectionToField, objectionToTotal } from './email-step.ts'

const lists = ['to', ...addressLists] as const
const texts = ['from', 'senderName', 'subject', 'text'] as const

/** The fields that an override of an email may have. */
export const emailOverrideFields: readonly string[] = [...lists, ...texts, 'headers', 'replaceToRecipient']

const isAbsent = (value: Json | undefined): value is null | undefined => value === null || value === undefined

/** Returns the addresses of a list, or of a text that separates them by commas. Undefined if it has anything else. */
function addressesOf(value: Json | undefined): readonly EmailAddress[] | undefined {
  if (isAbsent(value)) return []
  const given = Array.isArray(value) ? value : [value]
  const found: EmailAddress[] = []
  for (const one of given) {
    const addresses = typeof one === 'string' ? parseAddresses(one.trim()) : undefined
    if (addresses === undefined) return undefined
    found.push(...addresses)
  }
  return found
}

function* objectionsToList(value: Json | undefined, at: Path): Generator<Issue> {
  const message = 'must be email addresses, separated by commas, without control characters'
  if (!Array.isArray(value)) {
    if (addressesOf(value) === undefined) yield { path: at, message }
    return
  }
  for (const [index, one] of value.entries()) {
    if (addressesOf([one]) === undefined) yield { path: [...at, index], message }
  }
}

function objectionToText(name: (typeof texts)[number], value: string): string | undefined {
  const objection = objectionToField([name], value)
  if (objection !== undefined) return `must be ${objection}`
  if (name === 'subject' && (value.length > MAX_SUBJECT || !hasNoControls(value))) {
    return `must be at most ${MAX_SUBJECT} characters, without control characters`
  }
  return name === 'text' && value.length > MAX_TEXT_BODY ? `must be at most ${MAX_TEXT_BODY} characters` : undefined
}

function* objectionsToHeaders(value: Json | undefined, at: Path): Generator<Issue> {
  if (isAbsent(value)) return
  if (!isJsonObject(value)) {
    yield { path: at, message: 'must be an object' }
    return
  }
  const entries = Object.entries(value)
  if (entries.length > MAX_EMAIL_HEADERS) yield { path: at, message: `must be at most ${MAX_EMAIL_HEADERS} headers` }
  const names = new Set<string>()
  for (const [name, text] of entries) {
    const path = [...at, name]
    const lower = name.toLowerCase()
    const message = names.has(lower) ? 'must be one header only, in any case' : objectionToHeader(name, false)
    names.add(lower)
    if (message !== undefined) yield { path, message }
    else if (typeof text !== 'string') yield { path, message: 'must be a string' }
    else {
      const objection = objectionToField(['headers'], text)
      if (objection !== undefined) yield { path, message: `must be ${objection}` }
    }
  }
}

/** Yields what is wrong with an override of an email. Unknown fields are allowed, and have no effect. */
export function* objectionsToEmail(given: JsonObject, at: Path): Generator<Issue> {
  for (const name of lists) yield* objectionsToList(given[name], [...at, name])
  for (const name of texts) {
    const value = given[name]
    if (isAbsent(value)) continue
    const message = typeof value === 'string' ? objectionToText(name, value) : 'must be a string'
    if (message !== undefined) yield { path: [...at, name], message }
  }
  yield* objectionsToHeaders(given['headers'], [...at, 'headers'])
  const { replaceToRecipient: replaces } = given
  if (!isAbsent(replaces) && typeof replaces !== 'boolean') {
    yield { path: [...at, 'replaceToRecipient'], message: 'must be a boolean' }
  }
  const [to = [], replyTo = [], cc = [], bcc = []] = lists.map((name) => addressesOf(given[name]))
  if (replaces === true && to.length + cc.length + bcc.length === 0) {
    yield { path: [...at, 'replaceToRecipient'], message: 'must come with an address in to, cc or bcc' }
  }
  const total = objectionToTotal({ replyTo, cc, bcc }, replaces === true ? to : [null, ...to])
  if (total !== undefined) yield { path: [...at, total.list], message: `must have ${total.allowed}` }
}

const textOf = (value: Json | undefined): string | undefined =>
  (typeof value === 'string' ? value.trim() : '') || undefined

/** Returns the addresses that a field has, or those of the step if the override does not have the field. */
const listOf = (value: Json | undefined, own: readonly EmailAddress[] | undefined) =>
  isAbsent(value) ? own : addressesOf(value)

function headersOf(value: Json | undefined, own: readonly EmailHeader[] = []): readonly EmailHeader[] {
  const given = Object.entries(isJsonObject(value) ? value : {}).flatMap(([name, text]) =>
    typeof text === 'string' ? [{ name, value: text.trim() }] : [],
  )
  const replaced = new Set(given.map(({ name }) => name.toLowerCase()))
  return [...own.filter(({ name }) => !replaced.has(name.toLowerCase())), ...given]
}

const unlessNone = <Item>(items: readonly Item[] = []) => (items.length === 0 ? undefined : items)

/** Returns an email with the fields of an override in place of its own. */
export function withEmailOverride(content: Content, given: JsonObject): Content {
  const own: EmailDetails = content.email ?? {}
  const [from] = addressesOf(given['from']) ?? []
  const headers = headersOf(given['headers'], own.headers)
  const email: EmailDetails = present({
    ...own,
    from: from ?? own.from,
    // The name of another sender would be wrong.
    senderName: textOf(given['senderName']) ?? (from?.name || own.senderName),
    to: unlessNone(listOf(given['to'], own.to)),
    replacesTo: given['replaceToRecipient'] === true || own.replacesTo,
    replyTo: unlessNone(listOf(given['replyTo'], own.replyTo)),
    cc: unlessNone(listOf(given['cc'], own.cc)),
    bcc: unlessNone(listOf(given['bcc'], own.bcc)),
    headers: unlessNone(headers),
    thread: headers.some(({ name }) => setsThread(name)) ? undefined : own.thread,
    text: textOf(given['text']) ?? own.text,
  })
  const subject = textOf(given['subject']) ?? content.subject
  return { ...content, subject, ...(Object.keys(email).length > 0 && { email }) }
}

/** Returns what is wrong with the number of addresses of an email after overrides. Undefined if nothing is. */
export function objectionToAddresses({ email }: Content): string | undefined {
  if (email?.to === undefined && email?.replacesTo === undefined) return undefined
  const { to = [], replacesTo, replyTo = [], cc = [], bcc = [] } = email
  const total = objectionToTotal({ replyTo, cc, bcc }, replacesTo ? to : [null, ...to])
  return total && `${total.list} must have ${total.allowed}, after the overrides of the trigger`
}

/** The address of an email whose recipient an override replaces. Undefined if it does not. */
export function replacedRecipient(given: JsonObject): string | undefined {
  if (given['replaceToRecipient'] !== true) return undefined
  return [given['to'], given['cc'], given['bcc']].flatMap((value) => addressesOf(value) ?? [])[0]?.address
}
