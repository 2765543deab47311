// Which addresses of the network are public, and how names are resolved to no others.
import type { LookupAddress } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'

/** All addresses of a host name. */
export type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>

/** The prefix by which a network of IPv6 alone reaches an IPv4 address, which is in the last four bytes (RFC 6052). */
const translated = ipaddr.IPv6.parseCIDR('64:ff9b::/96')

/** All that is handed out of IPv6 for the internet (RFC 4291, section 2.4). The rest has old forms that hold IPv4. */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3')

/**
 * Whether anybody on the internet may be behind an address. What is not known to be public is not: loopback, private,
 * link-local, shared, multicast and reserved ranges, and IPv6 forms that hold an IPv4 address of these.
 */
export function isPublic(address: string): boolean {
  if (!ipaddr.isValid(address)) return false
  const parsed = ipaddr.process(address)
  if (parsed instanceof ipaddr.IPv4) return parsed.range() === 'unicast'
  if (parsed.match(translated)) return new ipaddr.IPv4(parsed.toByteArray().slice(-4)).range() === 'unicast'
  return parsed.match(globalUnicast) && parsed.range() === 'unicast'
}

/** The refusal to connect to a host because of where it is. */
export class PrivateAddress extends Error {
  constructor(host: string) {
    super(`${host} is a private address, which this gateway does not call: set ALLOW_PRIVATE_ADDRESSES=on to allow it`)
    this.name = 'PrivateAddress'
  }
}

/** @throws PrivateAddress when a host is an address, and not a public one. No name is resolved for such a host. */
export function assertPublicLiteral(host: string): void {
  if (isIP(host) !== 0 && !isPublic(host)) throw new PrivateAddress(host)
}

/**
 * Resolves names for `net.connect`, which connects to what it is given here and asks no second time: a name that changes
 * its mind after the check leads nowhere else. Fails with a PrivateAddress when no address of the name is allowed.
 */
export function lookupOf(resolve: Resolve, isAllowed: (address: string) => boolean): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname).then(
      (found) => {
        const allowed = found.filter(({ address }) => isAllowed(address))
        const [first] = allowed
        if (first === undefined) callback(new PrivateAddress(hostname), [])
        else if (options.all === true) callback(null, allowed)
        else callback(null, first.address, first.family)
      },
      (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), []),
    )
  }
}
