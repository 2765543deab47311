// The content of messages and feed entries, from the rendered templates of their steps.
import { createHash } from 'node:crypto'
import { MAX_FEED_DATA, MAX_INCIDENT_KEY } from '../../domain/channel/channel.ts'
import type { AttachedFile } from '../../domain/channel/attachment-file.ts'
import type { Content, EmailDetails, FeedContent } from '../../domain/channel/content.ts'
import { filledData } from '../../domain/channel/data-templates.ts'
import { addressesIn, type EmailAddress, parseAddresses } from '../../domain/channel/email-address.ts'
import {
  type AddressList,
  emailTemplates,
  isBare,
  objectionToField,
  objectionToTotal,
} from '../../domain/channel/email-step.ts'
import type { ChannelStep } from '../../domain/workflow-step.ts'
import { fieldName } from '../../lib/validation.ts'
import { present } from '../../lib/present.ts'
import type { JsonObject } from '../../lib/validation.ts'
import { type Rendered, templateName } from './step-rendering.ts'

/**
 * An http or https URL, or a path on the site that shows the feed. Rejects `javascript:` URLs, and paths with `//` or
 * `/\`, which browsers follow to another site.
 */
const link = /^(?:\/(?![/\\])|https?:\/\/)\S+$|^\/$/i

/** Returns a rendered text, or null if the template is absent or rendered to an empty text. */
const optional = (rendered: Rendered, name: string) => rendered[name]?.trim() || null

type FeedStep = Extract<ChannelStep, { type: 'in_app' }>

const isTooLarge = (value: JsonObject) => Buffer.byteLength(JSON.stringify(value)) > MAX_FEED_DATA

/** Returns the fields of the event's payload that the step names. Null if it names none, undefined if they are too large. */
export function namedPayload({ payloadFields = [] }: FeedStep, payload: JsonObject): JsonObject | null | undefined {
  if (payloadFields.length === 0) return null
  const named = Object.fromEntries(Object.entries(payload).filter(([name]) => payloadFields.includes(name)))
  return isTooLarge(named) ? undefined : named
}

/** Returns the data with its rendered templates. */
function renderedData({ data }: FeedStep, rendered: Rendered): JsonObject {
  const hasTemplates = Object.keys(rendered).some((name) => name.startsWith(templateName(['data', ''])))
  return hasTemplates ? filledData(data, ['data'], (path) => rendered[templateName(path)]) : data
}

/**
 * @param payload the fields that the step names, from `namedPayload`.
 * @returns the content of the feed entry, or what is wrong: a rendered URL that is not a link, or data that is too large.
 */
export function feedContent(
  step: FeedStep,
  rendered: Rendered,
  payload: JsonObject | null | undefined,
): FeedContent | string {
  const urls = { avatar: optional(rendered, 'avatar'), url: optional(rendered, 'url') }
  const actions = step.actions.map(({ target }, index) => ({
    label: rendered[templateName(['actions', index, 'label'])] ?? '',
    url: rendered[templateName(['actions', index, 'url'])] ?? '',
    ...present({ target }),
  }))
  const named = [...Object.entries(urls), ...actions.map(({ url }) => ['url of an action', url] as const)]
  const wrong = named.find(([, url]) => url !== null && !link.test(url))
  if (wrong !== undefined) {
    return `${wrong[0]} must render to an http or https URL, or to a path that starts with "/"`
  }
  const { target = null } = step
  const content = { ...urls, target, subject: optional(rendered, 'subject'), body: rendered['body'] ?? '', actions }
  const data = renderedData(step, rendered)
  if (payload === undefined || (data !== step.data && isTooLarge(data))) {
    const field = payload === undefined ? 'the payload fields' : 'data'
    return `${field} must be at most ${MAX_FEED_DATA} bytes of JSON in a notification`
  }
  return { ...content, data, payload }
}

/** The key of an incident is part of URLs, in which `.` and `..` have a meaning of their own. */
const isIncidentKey = (key: string) => key !== '' && key.length <= MAX_INCIDENT_KEY && !/^\.\.?$/.test(key)

/** What is wrong with a key that the log would have to mask: two incidents would look like one. */
export const SECRET_KEY = 'incidentKey must not contain a secret payload field'

/** Whom a message is for. */
interface Recipient {
  readonly environmentId: string
  /** The row id of the subscriber. */
  readonly subscriberRowId: string
  /** The files of an email. Default: none. */
  readonly files?: readonly AttachedFile[]
  /** The link of its headers. Empty without one. */
  readonly unsubscribe: string
}

type EmailStep = Extract<ChannelStep, { type: 'email' }>

/** The same for every email to a subscriber with the same key. Different environments and subscribers share no thread. */
function threadOf({ environmentId, subscriberRowId }: Recipient, key: string): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([environmentId, subscriberRowId, key]))
    .digest('hex')
  return BigInt(`0x${hash}`).toString(32)
}

/** Returns the first rendered field that is invalid, with what it may be. */
function objectionToEmail(step: EmailStep, rendered: Rendered): string | undefined {
  for (const { path } of emailTemplates(step)) {
    const objection = objectionToField(path, rendered[templateName(path)] ?? '')
    if (objection !== undefined) return `${fieldName(path)} must render to ${objection}`
  }
  return undefined
}

const optionalList = <Item>(items: readonly Item[]) => (items.length === 0 ? undefined : items)

/**
 * @param isMasked true if the texts have masks, which are no addresses. They are shown as they are.
 * @returns the rendered fields, or what is wrong with one. Undefined if the step has none.
 */
function emailDetails(
  step: EmailStep,
  rendered: Rendered,
  { files = [], ...recipient }: Recipient,
  isMasked: boolean,
): EmailDetails | string | undefined {
  const attachments = optionalList(files)
  if (isBare(step)) return attachments && { attachments }
  const objection = isMasked ? undefined : objectionToEmail(step, rendered)
  if (objection !== undefined) return objection
  const read = (text: string): readonly EmailAddress[] =>
    isMasked
      ? addressesIn(text).map(({ name, address }) => (address === '' ? { name: '', address: name } : { name, address }))
      : (parseAddresses(text) ?? [])
  const list = (name: AddressList) =>
    (step[name] ?? []).flatMap((_text, index) => read(optional(rendered, templateName([name, index])) ?? ''))
  const lists = { replyTo: list('replyTo'), cc: list('cc'), bcc: list('bcc') }
  const total = objectionToTotal(lists)
  if (total !== undefined) return `${total.list} must render to ${total.allowed}`
  const headers = (step.headers ?? []).flatMap(({ name }, index) => {
    const value = optional(rendered, templateName(['headers', index, 'value']))
    return value === null ? [] : [{ name, value }]
  })
  const key = optional(rendered, 'threadKey')
  return present({
    from: read(optional(rendered, 'from') ?? '')[0],
    senderName: optional(rendered, 'senderName'),
    replyTo: optionalList(lists.replyTo),
    cc: optionalList(lists.cc),
    bcc: optionalList(lists.bcc),
    headers: optionalList(headers),
    thread: key === null ? null : threadOf(recipient, key),
    preheader: optional(rendered, 'preheader'),
    text: optional(rendered, 'textBody'),
    attachments,
  })
}

/** What is wrong with a thread that the log would have to mask: the log would show another one than the email has. */
export const SECRET_THREAD = 'threadKey must not contain a secret payload field'

/**
 * @param isMasked true if the texts have masks in place of secret values.
 * @returns the content of a message, or what is wrong with a rendered field.
 */
export function messageContent(
  step: ChannelStep,
  rendered: Rendered,
  recipient: Recipient,
  isMasked: boolean,
): Content | string {
  const content = { subject: rendered['subject'] ?? null, body: rendered['body'] ?? '' }
  if (step.type === 'email') {
    const email = emailDetails(step, rendered, recipient, isMasked)
    if (typeof email === 'string') return email
    const { unsubscribe } = recipient
    return { ...content, ...(email && { email }), ...(unsubscribe !== '' && { unsubscribe }) }
  }
  if (step.type !== 'tool' || !step.incidentKey) return content
  const key = (rendered['incidentKey'] ?? '').trim()
  if (!isIncidentKey(key)) {
    return `incidentKey must render to 1 to ${MAX_INCIDENT_KEY} characters, and not to "." or ".."`
  }
  return { ...content, incident: { key, action: step.incidentAction ?? 'trigger' } }
}
