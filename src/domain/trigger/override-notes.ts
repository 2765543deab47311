// Notes of an event about its overrides: each that no step could use is named.
import { z } from 'zod'
import { type MessageWay, messageWays, tallies } from '../../data/event.ts'
import type { Event } from '../../data/prisma/client.ts'
import type { Path } from '../../lib/errors.ts'
import { isJsonObject } from '../channel/json-merge.ts'
import { fieldName, type Json, type JsonObject } from '../../lib/validation.ts'
import { channels, type ProviderChannel } from '../channel/channel.ts'
import { emailOverrideFields } from '../channel/email-override.ts'
import { nameOfProvider, type ProviderId, providerIds } from '../channel/provider-id.ts'
import { isOfEmail } from '../channel/sent-content.ts'
import { asObject } from '../channel/stored-json.ts'
import { query } from '../resolver/resolver.ts'
import { statusOf } from './event-status.ts'

/** What an event has sent. */
export interface Sent {
  readonly ways: readonly MessageWay[]
  /** True if it has written to feeds. */
  readonly hasNotifications: boolean
}

/** A part of the overrides, and why it was of no use unless something was sent through it. */
interface Part {
  readonly path: Path
  readonly otherwise: string
  /** Undefined if nothing can ever be sent through it. */
  readonly isUsed?: (sent: Sent) => boolean
}

const UNKNOWN = 'the gateway does not know it'
const LAYOUTS = 'the gateway has no layouts'

const isProvider = (name: string): name is ProviderId => providerIds.some((id) => id === name)

const through =
  (fits: (way: MessageWay) => boolean) =>
  ({ ways }: Sent): boolean =>
    ways.some(fits)

function* unknownFields(given: JsonObject, known: readonly string[], at: Path): Generator<Part> {
  for (const name of Object.keys(given)) if (!known.includes(name)) yield { path: [...at, name], otherwise: UNKNOWN }
}

function* partsOfChannel(channel: ProviderChannel, given: JsonObject): Generator<Part> {
  if (channel === 'email') {
    yield* unknownFields(given, emailOverrideFields, [channel])
    if (!emailOverrideFields.some((name) => name in given)) return
  }
  yield {
    path: [channel],
    otherwise: `no step sent a message through the ${channels[channel].label} channel`,
    isUsed: through((way) => way.channel === channel),
  }
}

/** @param stepId undefined for the messages of all steps. */
function* partsOfProvider(id: string, given: Json, at: Path, stepId?: string): Generator<Part> {
  if (!isProvider(id)) {
    yield { path: at, otherwise: 'the gateway does not know the provider' }
    return
  }
  if (isOfEmail(id) && isJsonObject(given)) {
    yield* unknownFields(given, emailOverrideFields, at)
    if (!emailOverrideFields.some((name) => name in given)) return
  }
  const step = stepId === undefined ? 'no step' : `the step "${stepId}" has not`
  yield {
    path: at,
    otherwise: `${step} sent a message through ${nameOfProvider(id)}`,
    isUsed: through((way) => way.providerId === id && (stepId === undefined || way.stepId === stepId)),
  }
}

function* partsOfProviders(given: Json | undefined, at: Path, stepId?: string): Generator<Part> {
  for (const [id, one] of Object.entries(isJsonObject(given) ? given : {})) {
    yield* partsOfProvider(id, one, [...at, id], stepId)
  }
}

function* partsOfSteps(given: JsonObject): Generator<Part> {
  for (const [stepId, one] of Object.entries(given)) {
    if (!isJsonObject(one)) continue
    const at = ['steps', stepId]
    yield* partsOfProviders(one['providers'], [...at, 'providers'], stepId)
    if ('layoutId' in one) yield { path: [...at, 'layoutId'], otherwise: LAYOUTS }
    yield* unknownFields(one, ['providers', 'layoutId'], at)
  }
}

function* partsOfChannels(given: JsonObject): Generator<Part> {
  const { email, ...others } = given
  const fields = isJsonObject(email) ? email : {}
  if ('layoutId' in fields) yield { path: ['channels', 'email', 'layoutId'], otherwise: LAYOUTS }
  yield* unknownFields(fields, ['layoutId'], ['channels', 'email'])
  yield* unknownFields(others, [], ['channels'])
}

function* partsOf(overrides: JsonObject): Generator<Part> {
  for (const [name, given] of Object.entries(overrides)) {
    const object = isJsonObject(given) ? given : {}
    const path = [name]
    if (name === 'email' || name === 'sms' || name === 'push' || name === 'chat') yield* partsOfChannel(name, object)
    else if (name === 'channels') yield* partsOfChannels(object)
    else if (name === 'providers') yield* partsOfProviders(object, path)
    else if (name === 'steps') yield* partsOfSteps(object)
    else if (name === 'layoutIdentifier') yield { path, otherwise: LAYOUTS }
    else if (name === 'severity') {
      const isUsed = ({ ways, hasNotifications }: Sent) => ways.length > 0 || hasNotifications
      yield { path, otherwise: 'no step sent a message', isUsed }
    } else if (isProvider(name)) yield* partsOfProvider(name, given, path)
    else yield { path, otherwise: UNKNOWN }
  }
}

/** Returns a sentence about each override of no use. @param sent undefined as long as more may be sent. */
export const notesAbout = (overrides: JsonObject, sent: Sent | undefined): string[] =>
  [...partsOf(overrides)]
    .filter(({ isUsed }) => isUsed === undefined || (sent !== undefined && !isUsed(sent)))
    .map(({ path, otherwise }) => `${fieldName(['overrides', ...path])} was not used: ${otherwise}.`)
    // The database keeps no order of names.
    .toSorted()

/**
 * Returns sentences about overrides that no step could use: those that never have an effect at once, all others when the
 * event has ended. Batched.
 */
export const notesOf = query({
  name: 'event.getNotes',
  permission: 'event:read',
  input: z.object({ event: z.custom<Event>() }),
  async run({ load }, { event }) {
    const overrides = asObject(event.overrides)
    if (![...partsOf(overrides)].some(({ isUsed }) => isUsed)) return notesAbout(overrides, undefined)
    const [tally, ways] = await Promise.all([load(tallies, event.id), load(messageWays, event.id)])
    const status = statusOf(event, tally.runs)
    const isOpen = status === 'accepted' || status === 'running'
    return notesAbout(overrides, isOpen ? undefined : { ways, hasNotifications: tally.notifications > 0 })
  },
})
