// The overrides of a trigger: their forms, what is wrong with them, and what each step and provider gets of them.
import { z } from 'zod'
import { type Channel, Severity } from '../../data/prisma/enums.ts'
import type { Issue, Path } from '../../lib/errors.ts'
import { isJsonObject } from '../channel/json-merge.ts'
import { type Json, jsonObject, type JsonObject } from '../../lib/validation.ts'
import { MAX_TEXT, type ProviderChannel } from '../channel/channel.ts'
import type { Content } from '../channel/content.ts'
import { hasNoControls } from '../channel/email-address.ts'
import { objectionsToEmail, replacedRecipient, withEmailOverride } from '../channel/email-override.ts'
import { objectionsToRequest, objectionsToRequests } from '../channel/override-rules.ts'
import { type ProviderId, providerIds } from '../channel/provider-id.ts'
import { isOfEmail, SMTP } from '../channel/sent-content.ts'

const isProvider = (name: string): name is ProviderId => providerIds.some((id) => id === name)

const severities: readonly string[] = Object.values(Severity)

const isSeverity = (given: Json) => typeof given === 'string' && severities.includes(given.toLowerCase())

const objectIn = (value: Json | undefined): JsonObject => (isJsonObject(value) ? value : {})

const mustBeObject = (path: Path): Issue => ({ path, message: 'must be an object' })

function* objectionsToLayout(value: Json | undefined, path: Path): Generator<Issue> {
  if (value !== undefined && value !== null && typeof value !== 'string') {
    yield { path, message: 'must be a string or null' }
  }
}

function* objectionsToSms({ from, to, content, ...others }: JsonObject, at: Path): Generator<Issue> {
  const isSender = typeof from === 'string' && from.trim() !== '' && from.length <= 255 && hasNoControls(from)
  if (from != null && !isSender) {
    yield { path: [...at, 'from'], message: 'must be 1 to 255 characters, without control characters' }
  }
  if (to != null && !z.e164().safeParse(to).success) {
    const message = 'must be a phone number in E.164 format, such as +4915123456789'
    yield { path: [...at, 'to'], message }
  }
  if (content != null && (typeof content !== 'string' || content === '' || content.length > MAX_TEXT)) {
    yield { path: [...at, 'content'], message: `must be 1 to ${MAX_TEXT} characters` }
  }
  yield* objectionsToRequests('sms', others, at)
}

function* objectionsToProvider(id: ProviderId, given: Json, at: Path): Generator<Issue> {
  if (!isJsonObject(given)) yield mustBeObject(at)
  else {
    yield* objectionsToRequest(id, given, at)
    if (isOfEmail(id)) yield* objectionsToEmail(given, at)
  }
}

/** Names that are no providers are allowed: a provider of a later version, for example. They have no effect. */
function* objectionsToProviders(given: Json | undefined, at: Path): Generator<Issue> {
  if (given === undefined) return
  if (!isJsonObject(given)) {
    yield mustBeObject(at)
    return
  }
  for (const [id, override] of Object.entries(given)) {
    if (isProvider(id)) yield* objectionsToProvider(id, override, [...at, id])
  }
}

function* objectionsToSteps(given: JsonObject, at: Path): Generator<Issue> {
  for (const [stepId, override] of Object.entries(given)) {
    const path = [...at, stepId]
    if (!isJsonObject(override)) yield mustBeObject(path)
    else {
      yield* objectionsToProviders(override['providers'], [...path, 'providers'])
      yield* objectionsToLayout(override['layoutId'], [...path, 'layoutId'])
    }
  }
}

function* objectionsToChannels({ email }: JsonObject, at: Path): Generator<Issue> {
  if (email === undefined) return
  if (!isJsonObject(email)) yield mustBeObject([...at, 'email'])
  else yield* objectionsToLayout(email['layoutId'], [...at, 'email', 'layoutId'])
}

type Objections = (given: JsonObject, at: Path) => Generator<Issue>

/** The forms of overrides whose value is an object, besides providers. */
const forms: Readonly<Record<string, Objections>> = {
  email: objectionsToEmail,
  sms: objectionsToSms,
  push: (given, at) => objectionsToRequests('push', given, at),
  chat: (given, at) => objectionsToRequests('chat', given, at),
  channels: objectionsToChannels,
  providers: objectionsToProviders,
  steps: objectionsToSteps,
}

function* objectionsTo(overrides: JsonObject): Generator<Issue> {
  for (const [name, given] of Object.entries(overrides)) {
    const form = Object.hasOwn(forms, name) ? forms[name] : undefined
    if (form) {
      if (isJsonObject(given)) yield* form(given, [name])
      else yield mustBeObject([name])
    } else if (isProvider(name)) yield* objectionsToProvider(name, given, [name])
    else if (name === 'layoutIdentifier') yield* objectionsToLayout(given, [name])
    else if (name === 'severity' && !isSeverity(given)) {
      yield { path: [name], message: `must be one of ${severities.join(', ')}` }
    }
  }
}

/** The input schema of overrides. */
export const overrides = jsonObject().check(({ value, issues }) => {
  // The check runs even if the value is not an object, which `jsonObject` reports.
  if (!isJsonObject(value)) return
  for (const { path, message } of objectionsTo(value)) {
    issues.push({ code: 'custom', message, path: [...path], input: undefined })
  }
})

/** A message of a step, through a provider. */
export interface OverriddenMessage {
  readonly channel: Channel
  readonly providerId: ProviderId
  readonly stepId: string
}

/** Returns the overrides of a provider, of which later ones win. */
function ofProvider(given: JsonObject, { providerId, stepId }: Omit<OverriddenMessage, 'channel'>): JsonObject[] {
  const { providers, steps } = given
  const own = objectIn(objectIn(steps)[stepId])
  return [given[providerId], objectIn(providers)[providerId], objectIn(own['providers'])[providerId]].filter(
    isJsonObject,
  )
}

/** Returns what is merged into the request of a message. Later ones win. Empty if there is nothing. */
export function requestOverrides(given: JsonObject, message: OverriddenMessage): readonly JsonObject[] {
  if (isOfEmail(message.providerId)) return []
  const { channel } = message
  const { from: _from, to: _to, content: _content, ...ofSms } = objectIn(given['sms'])
  const { push, chat } = given
  const ofChannel = { sms: ofSms, push: objectIn(push), chat: objectIn(chat), email: {}, tool: {}, in_app: {} }[channel]
  return [ofChannel, ...ofProvider(given, message)].filter((one) => Object.keys(one).length > 0)
}

/**
 * Returns the content of a message with the overrides of its channel.
 *
 * @param hasSmtp true if one of its integrations sends by SMTP, whose overrides the content keeps.
 */
export function overriddenContent(
  content: Content,
  given: JsonObject,
  { channel, stepId }: Omit<OverriddenMessage, 'providerId'>,
  hasSmtp: boolean,
): Content {
  if (channel === 'email') {
    const smtp = hasSmtp ? ofProvider(given, { providerId: SMTP, stepId }) : []
    const email = isJsonObject(given['email']) ? withEmailOverride(content, given['email']) : content
    return { ...email, ...(smtp.length > 0 && { smtp }) }
  }
  if (channel !== 'sms') return content
  const { from, to, content: body } = objectIn(given['sms'])
  const sms = { ...(typeof from === 'string' && { from }), ...(typeof to === 'string' && { to }) }
  return {
    ...content,
    ...(typeof body === 'string' && { body }),
    ...(Object.keys(sms).length > 0 && { sms }),
  }
}

/** The address that messages of a channel go to, instead of the one in the subscriber's profile. Undefined if there is none. */
export function overriddenRecipient(
  { email, sms }: JsonObject,
  channel: ProviderChannel,
): { readonly email: string } | { readonly phone: string } | undefined {
  const { to } = objectIn(sms)
  if (channel === 'sms' && typeof to === 'string') return { phone: to }
  const address = channel === 'email' ? replacedRecipient(objectIn(email)) : undefined
  return address === undefined ? undefined : { email: address }
}

/** The severity of an event: its own, or the one of its workflow. */
export function severityOf({ severity }: JsonObject, standard: Severity): Severity {
  const lower = typeof severity === 'string' ? severity.toLowerCase() : undefined
  return Object.values(Severity).find((one) => one === lower) ?? standard
}
