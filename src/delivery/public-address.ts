// Recognizes public IP addresses, and resolves host names to public addresses only.
import type { LookupAddress } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'

/** All addresses of a host name. */
export type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>

/** The NAT64 prefix. The last four bytes are an IPv4 address (RFC 6052). */
const translated = ipaddr.IPv6.parseCIDR('64:ff9b::/96')

/** The global unicast range (RFC 4291, section 2.4). Outside of it are obsolete forms that embed IPv4 addresses. */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3')

/**
 * True if an address is known to be public. False for loopback, private, link-local, shared, multicast and reserved
 * ranges, and for IPv6 addresses that embed an IPv4 address of these.
 */
export function isPublic(address: string): boolean {
  if (!ipaddr.isValid(address)) return false
  const parsed = ipaddr.process(address)
  if (parsed instanceof ipaddr.IPv4) return parsed.range() === 'unicast'
  if (parsed.match(translated)) return new ipaddr.IPv4(parsed.toByteArray().slice(-4)).range() === 'unicast'
  return parsed.match(globalUnicast) && parsed.range() === 'unicast'
}

/** A connection to a private address was blocked. */
export class PrivateAddress extends Error {
  constructor(host: string) {
    super(`${host} is a private address, which is blocked: set ALLOW_PRIVATE_ADDRESSES=on to allow it`)
    this.name = 'PrivateAddress'
  }
}

/** @throws PrivateAddress if the host is an IP address that is not public. Literal addresses are never looked up. */
export function assertPublicLiteral(host: string): void {
  if (isIP(host) !== 0 && !isPublic(host)) throw new PrivateAddress(host)
}

/**
 * A lookup function for `net.connect`. The connection uses the address that was checked here, so DNS rebinding has no
 * effect. Fails with PrivateAddress if none of the addresses is allowed.
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
