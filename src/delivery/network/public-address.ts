// Decides which addresses may be called, and resolves host names to those only.
import type { LookupAddress } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'

type Address = ipaddr.IPv4 | ipaddr.IPv6
type Range = readonly [Address, number]

/** All addresses of a host name. */
export type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>

/** The NAT64 prefix. The last four bytes are an IPv4 address (RFC 6052). */
const translated = ipaddr.IPv6.parseCIDR('64:ff9b::/96')

/**
 * The global unicast range (RFC 4291, section 2.4). Outside this range are obsolete forms that embed IPv4 addresses.
 */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3')

/** Services with which cloud providers give every program on a machine its metadata, including credentials. */
const platforms: readonly Range[] = [
  ipaddr.IPv4.parseCIDR('168.63.129.16/32'),
  ipaddr.IPv4.parseCIDR('169.254.169.253/32'),
  ipaddr.IPv4.parseCIDR('169.254.169.254/32'),
  ipaddr.IPv4.parseCIDR('169.254.170.0/23'),
  ipaddr.IPv4.parseCIDR('100.100.100.200/32'),
  ipaddr.IPv4.parseCIDR('192.0.0.192/32'),
  ipaddr.IPv6.parseCIDR('fd00:ec2::/32'),
  ipaddr.IPv6.parseCIDR('fd20:ce::/32'),
  ipaddr.IPv6.parseCIDR('fd00:c1::/32'),
  ipaddr.IPv6.parseCIDR('fe80::a9fe:a9fe/128'),
]

/** Names under which cloud providers serve a machine's metadata, including credentials. */
const metadataNames: ReadonlySet<string> = new Set([
  'instance-data',
  'instance-data.ec2.internal',
  'metadata',
  'metadata.azure.internal',
  'metadata.google.internal',
  'metadata.goog',
])

const isWithin = (address: Address, [network, length]: Range) =>
  address.kind() === network.kind() && address.match(network, length)

/** True for ISATAP (RFC 5214): the interface id is 0:5efe or 200:5efe, then an IPv4 address. */
function isTunnelled(address: ipaddr.IPv6): boolean {
  const [first = 0, second = 0, third = 0, fourth = 0] = address.toByteArray().slice(8)
  // The two lowest bits of the first byte, which mark an id as universal or as that of a group.
  return first <= 3 && second === 0 && third === 0x5e && fourth === 0xfe
}

/** The address itself, or the IPv4 address that it represents. Undefined if the text is not an address. */
function effective(text: string): Address | undefined {
  if (!ipaddr.isValid(text)) return undefined
  const parsed = ipaddr.process(text)
  return parsed instanceof ipaddr.IPv6 && parsed.match(translated)
    ? new ipaddr.IPv4(parsed.toByteArray().slice(-4))
    : parsed
}

/**
 * True if an address is known to be public. False for loopback, private, link-local, shared, multicast and reserved
 * ranges, for services of cloud platforms, and for IPv6 addresses that embed such an IPv4 address.
 */
export function isPublic(text: string): boolean {
  const address = effective(text)
  if (address?.range() !== 'unicast' || platforms.some((range) => isWithin(address, range))) return false
  return address instanceof ipaddr.IPv4 || (address.match(globalUnicast) && !isTunnelled(address))
}

const v4 = (bytes: readonly number[]) => new ipaddr.IPv4([...bytes])

/**
 * Prefixes of IPv6 addresses that embed an IPv4 address, and how to read it: IPv4-compatible and IPv4-mapped (RFC
 * 4291), translated (RFC 2765, 6052 and 8215), 6to4 (RFC 3056), and the client of Teredo, which is inverted (RFC 4380).
 */
const embeddings: readonly (readonly [prefix: string, read: (bytes: readonly number[]) => readonly number[]])[] = [
  ['::/96', (bytes) => bytes.slice(12)],
  ['::ffff:0:0/96', (bytes) => bytes.slice(12)],
  ['::ffff:0:0:0/96', (bytes) => bytes.slice(12)],
  ['64:ff9b::/96', (bytes) => bytes.slice(12)],
  ['64:ff9b:1::/48', (bytes) => bytes.slice(12)],
  ['2002::/16', (bytes) => bytes.slice(2, 6)],
  ['2001::/32', (bytes) => bytes.slice(12).map((byte) => byte ^ 0xff)],
]

/** An address, and every IPv4 address that it embeds. */
function formsOf(address: Address): readonly Address[] {
  if (address instanceof ipaddr.IPv4) return [address]
  const bytes = address.toByteArray()
  const embedded = embeddings
    .filter(([prefix]) => isWithin(address, ipaddr.IPv6.parseCIDR(prefix)))
    .map(([, read]) => v4(read(bytes)))
  return [address, ...embedded, ...(isTunnelled(address) ? [v4(bytes.slice(12))] : [])]
}

/** Returns the ranges of a list of addresses and CIDR ranges. @throws Error if one is invalid. */
function parseRanges(list: readonly string[]): readonly Range[] {
  return list.map((entry): Range => {
    if (entry.includes('/')) return ipaddr.parseCIDR(entry)
    const address = ipaddr.parse(entry)
    return [address, address.toByteArray().length * 8]
  })
}

/** True if a text is an IP address or a CIDR range, such as `10.0.0.0/8`. */
export const isAddressRange = (text: string) => (text.includes('/') ? ipaddr.isValidCIDR(text) : isIP(text) !== 0)

/** A connection was blocked. */
export class BlockedAddress extends Error {
  constructor(host: string, reason: string) {
    super(`${host} is ${reason}`)
    this.name = 'BlockedAddress'
  }
}

const privateAddress = 'a private address, which is blocked: set ALLOW_PRIVATE_ADDRESSES=on to allow it'
const platformService = 'a metadata service of a cloud platform, which is always blocked'
const deniedAddress = 'an address that DENIED_ADDRESSES blocks'

/** Returns why a host may not be called, or undefined if it may. The host may be a name. */
export type Objection = (host: string) => string | undefined

/** @param denied addresses and CIDR ranges that are blocked in any case. */
export function createObjection(allowPrivateAddresses: boolean, denied: readonly string[]): Objection {
  const ranges = parseRanges(denied)
  return (host) => {
    const address = effective(host)
    if (address === undefined) {
      const name = host.toLowerCase().replace(/\.$/, '')
      // A private service may have such a name. Its addresses are checked again.
      return !allowPrivateAddresses && metadataNames.has(name) ? privateAddress : undefined
    }
    const forms = formsOf(ipaddr.parse(host))
    const isIn = (list: readonly Range[]) => list.some((range) => forms.some((form) => isWithin(form, range)))
    if (isIn(ranges)) return deniedAddress
    if (!allowPrivateAddresses) return isPublic(host) ? undefined : privateAddress
    return isIn(platforms) ? platformService : undefined
  }
}

/**
 * @throws BlockedAddress for a literal address or a name that is always blocked. Literal addresses are never looked
 *   up.
 */
export function assertAllowed(host: string, objection: Objection): void {
  const reason = objection(host)
  if (reason !== undefined) throw new BlockedAddress(host, reason)
}

/**
 * A lookup function for `net.connect`. The connection uses the address that was checked here, so DNS rebinding has no
 * effect. Fails with BlockedAddress if none of the addresses is allowed.
 */
export function lookupOf(resolve: Resolve, objection: Objection): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname).then(
      (found) => {
        const allowed = found.filter(({ address }) => objection(address) === undefined)
        const [first] = allowed
        if (first === undefined) {
          const [reason = privateAddress] = found.flatMap(({ address }) => objection(address) ?? [])
          callback(new BlockedAddress(hostname, reason), [])
        } else if (options.all === true) callback(null, allowed)
        else callback(null, first.address, first.family)
      },
      (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), []),
    )
  }
}
