// Leaves out addresses that are suppressed: when a step is decided, and again at each attempt, because an address may be
// suppressed in between. Only called in environments with suppressions.
import type { Suppression } from '../../data/prisma/client.ts'
import type { Channel } from '../../data/prisma/enums.ts'
import type { Subscriber } from '../../data/subscriber.ts'
import { type AddressChannel, addressChannels, normalizeAddress } from '../../domain/address/address.ts'
import { findSuppression, type SuppressedMessage, suppressionInWords } from '../../domain/address/suppressed.ts'
import type { ProviderChannel } from '../../domain/channel/channel.ts'
import type { Content } from '../../domain/channel/content.ts'
import type { EmailAddress } from '../../domain/channel/email-address.ts'
import type { ResolvedTarget } from '../../domain/channel/provider-directory.ts'
import { asObject } from '../../domain/channel/stored-json.ts'
import { endpointsUnder } from '../../domain/execution/subscriber-target.ts'
import type { Target } from '../../domain/execution/target.ts'
import type { EnvironmentScope } from '../../domain/resolver/scope.ts'
import { present } from '../../lib/present.ts'

/** The lists of an email with further recipients. */
const lists = ['to', 'cc', 'bcc'] as const

/** The maximum number of addresses that a detail names. */
const MAX_NAMED = 10

const isAddressed = (channel: Channel): channel is AddressChannel => addressChannels.some((one) => one === channel)

/** The environment, and the message whose addresses are looked up. */
interface Lookup extends SuppressedMessage {
  readonly scope: EnvironmentScope
  /** The encrypted address key of the environment. */
  readonly addressKey: string
}

/** A suppression, and the address in the spelling of the message. */
interface Found {
  readonly address: string
  readonly suppression: Suppression
}

async function find(lookup: Lookup, channel: AddressChannel, address: string): Promise<Found | undefined> {
  const { scope, addressKey, ...message } = lookup
  const suppression = await findSuppression(scope, addressKey, { channel, address }, message)
  return suppression && { address, suppression }
}

/** The content without suppressed copies. */
interface Copies {
  readonly content: Content
  /** The addresses that were left out, each with its suppression in words. */
  readonly leftOut: readonly string[]
  readonly first: Suppression | undefined
}

/** Removes addresses from the further recipients of an email. */
function withoutAddresses(content: Content, dropped: ReadonlySet<string>): Content {
  const { email } = content
  if (email === undefined) return content
  const rest = (list: readonly EmailAddress[] | undefined) => {
    const kept = list?.filter(({ address }) => !dropped.has(normalizeAddress({ channel: 'email', address })))
    return kept?.length === 0 ? undefined : kept
  }
  const { to, cc, bcc, ...others } = email
  return { ...content, email: { ...others, ...present({ to: rest(to), cc: rest(cc), bcc: rest(bcc) }) } }
}

/** The further recipients of an email, each with the list that it is in. */
const copiesOf = ({ email }: Content) =>
  lists.flatMap((list) => (email?.[list] ?? []).map(({ address }) => ({ list, address })))

async function withoutCopies(lookup: Lookup, content: Content): Promise<Copies & { readonly dropped: Set<string> }> {
  const found = await Promise.all(
    copiesOf(content).map(async ({ list, address }) => {
      const one = await find(lookup, 'email', address)
      return one && { list, ...one }
    }),
  )
  const suppressed = found.filter((one) => one !== undefined)
  const dropped = new Set(suppressed.map(({ address }) => normalizeAddress({ channel: 'email', address })))
  return {
    content: withoutAddresses(content, dropped),
    leftOut: suppressed.map((one) => `Left out of ${one.list}: ${suppressionInWords(one.address, one.suppression)}`),
    first: suppressed[0]?.suppression,
    dropped,
  }
}

/** What a step would send to one recipient. */
interface Sent<Destination> {
  readonly content: Content
  readonly secretContent?: Content | undefined
  readonly destinations: readonly Destination[]
}

/** What a step sends, or why it sends nothing. */
type Allowed<Destination> =
  | (Sent<Destination> & { readonly leftOut: readonly string[] })
  | { readonly suppressed: string; readonly namedId: string | undefined }

interface Addressed {
  readonly target: Target
  readonly integrationId: string | null
}

interface StepLookup extends Omit<Lookup, 'integrationId'> {
  readonly channel: ProviderChannel
  readonly subscriber: Subscriber
}

/** The address of a target. Undefined if it is none that can be suppressed. */
async function addressOfTarget(
  { scope, channel, subscriber: { subscriberId }, contextKeys }: StepLookup,
  target: Target,
): Promise<string | undefined> {
  if (target.kind === 'email') return target.address
  if (target.kind === 'phone') return target.phoneNumber
  if (target.kind !== 'endpoint' || target.type !== 'phone') return undefined
  // Read already, to find the destination.
  const endpoints = await scope.load(endpointsUnder, { subscriberId, channel, contextKeys })
  const number = asObject(endpoints.find(({ id }) => id === target.id)?.endpoint ?? {})['phoneNumber']
  return typeof number === 'string' ? number : undefined
}

const named = (sentences: readonly string[]) =>
  sentences.length <= MAX_NAMED
    ? sentences
    : [...sentences.slice(0, MAX_NAMED), `${sentences.length - MAX_NAMED} more addresses were left out.`]

/** The email whose recipients an override replaces, to those that are not suppressed. */
function readdressed<Destination extends Addressed>(
  sent: Sent<Destination>,
  { content, leftOut, first, dropped }: Awaited<ReturnType<typeof withoutCopies>>,
): Allowed<Destination> {
  const [recipient] = copiesOf(content)
  if (recipient === undefined) return { suppressed: named(leftOut).join(' '), namedId: first?.id }
  const target = { kind: 'email', address: recipient.address } as const
  const destinations = sent.destinations.map((one) =>
    one.target.kind === 'email' && one.target.address !== recipient.address ? { ...one, target } : one,
  )
  const secretContent = sent.secretContent && withoutAddresses(sent.secretContent, dropped)
  return { content, secretContent, destinations, leftOut: named(leftOut) }
}

/** Leaves out the destinations and copies of a step whose addresses are suppressed. Batched. */
export async function exceptSuppressed<Destination extends Addressed>(
  { channel, ...others }: StepLookup,
  sent: Sent<Destination>,
): Promise<Allowed<Destination>> {
  if (!isAddressed(channel)) return { ...sent, leftOut: [] }
  const lookup = { channel, ...others }
  const [first] = sent.destinations
  const copies = await withoutCopies({ ...others, integrationId: first?.integrationId ?? null }, sent.content)
  if (sent.content.email?.replacesTo === true) return readdressed(sent, copies)
  const found = await Promise.all(
    sent.destinations.map(async ({ target, integrationId }) => {
      const address = await addressOfTarget(lookup, target)
      return address === undefined ? undefined : find({ ...others, integrationId }, channel, address)
    }),
  )
  const suppressed = found.filter((one) => one !== undefined)
  const destinations = sent.destinations.filter((_one, index) => found[index] === undefined)
  const sentences = suppressed.map((one) => suppressionInWords(one.address, one.suppression))
  if (destinations.length === 0) {
    return { suppressed: named(sentences).join(' '), namedId: suppressed[0]?.suppression.id }
  }
  const leftOut = named([...sentences.map((sentence) => `Left out: ${sentence}`), ...copies.leftOut])
  const secretContent = sent.secretContent && withoutAddresses(sent.secretContent, copies.dropped)
  return { content: copies.content, secretContent, destinations, leftOut }
}

/** A message that is about to be sent. */
interface ComposedMessage {
  readonly channel: Channel
  readonly target: ResolvedTarget
  readonly content: Content
}

/** The address of a target with its secrets. Undefined if it is none that can be suppressed. */
function addressOfResolved(target: ResolvedTarget): string | undefined {
  if (target.kind === 'email') return target.address
  if (target.kind === 'phone') return target.phoneNumber
  return target.kind === 'endpoint' && target.endpoint.type === 'phone' ? target.endpoint.phoneNumber : undefined
}

/** Checks the addresses of a message again. @returns it without suppressed copies, or why it must not be sent. */
export async function recheck<Message extends ComposedMessage>(
  lookup: Lookup,
  message: Message,
): Promise<Message | { readonly suppressed: string }> {
  const { channel, target } = message
  if (!isAddressed(channel)) return message
  const { content, leftOut } = await withoutCopies(lookup, message.content)
  if (content.email?.replacesTo === true) {
    return copiesOf(content).length > 0 ? { ...message, content } : { suppressed: leftOut.join(' ') }
  }
  const address = addressOfResolved(target)
  const found = address === undefined ? undefined : await find(lookup, channel, address)
  if (found) return { suppressed: suppressionInWords(found.address, found.suppression) }
  return leftOut.length === 0 ? message : { ...message, content }
}
