// The content of messages and feed entries, from the rendered templates of their steps.
import { MAX_FEED_DATA, MAX_INCIDENT_KEY } from '../domain/channel/channel.ts'
import type { Content, FeedContent } from '../domain/channel/content.ts'
import { filledData } from '../domain/channel/data-templates.ts'
import type { ChannelStep } from '../domain/workflow-step.ts'
import type { JsonObject } from '../lib/validation.ts'
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
  const actions = step.actions.map((_action, index) => ({
    label: rendered[templateName(['actions', index, 'label'])] ?? '',
    url: rendered[templateName(['actions', index, 'url'])] ?? '',
  }))
  const named = [...Object.entries(urls), ...actions.map(({ url }) => ['url of an action', url] as const)]
  const wrong = named.find(([, url]) => url !== null && !link.test(url))
  if (wrong !== undefined) {
    return `${wrong[0]} must render to an http or https URL, or to a path that starts with "/"`
  }
  const content = { ...urls, subject: optional(rendered, 'subject'), body: rendered['body'] ?? '', actions }
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

/** @returns the content of a message, or what is wrong with the rendered key of an incident. */
export function messageContent(step: ChannelStep, rendered: Rendered): Content | string {
  const content = { subject: rendered['subject'] ?? null, body: rendered['body'] ?? '' }
  if (step.type !== 'tool' || !step.incidentKey) return content
  const key = (rendered['incidentKey'] ?? '').trim()
  if (!isIncidentKey(key)) {
    return `incidentKey must render to 1 to ${MAX_INCIDENT_KEY} characters, and not to "." or ".."`
  }
  return { ...content, incident: { key, action: step.incidentAction ?? 'trigger' } }
}
