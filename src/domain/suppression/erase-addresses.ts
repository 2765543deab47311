// Erases what is stored under the addresses of persons: their suppressions and the texts that they sent.
import { deleteTextsFrom } from '../../data/suppression/inbound-text.ts'
import { addressesInUse, eraseSuppressions } from '../../data/suppression/suppression.ts'
import { addressChannels, addressKeyOf, hashAddress, isAddress, normalizeAddress } from '../address/address.ts'
import type { EnvironmentScope } from '../resolver/scope.ts'

/**
 * Erases the suppressions of the addresses among these marks, and the texts from the numbers among them. An address that
 * another subscriber has stays suppressed: it belongs to that person too. Call it once the subscribers are deleted.
 *
 * @param keepsHashes true if suppressions stay without their addresses.
 */
export async function eraseAddresses(
  scope: EnvironmentScope,
  marks: readonly string[],
  keepsHashes: boolean,
): Promise<void> {
  const addresses = marks.flatMap((address) =>
    addressChannels
      .filter((channel) => isAddress({ channel, address }))
      .map((channel) => ({ channel, address: normalizeAddress({ channel, address }) })),
  )
  if (addresses.length === 0) return
  const used = await addressesInUse(
    scope,
    addresses.map(({ address }) => address),
  )
  const free = addresses.filter(({ address }) => !used.has(address))
  await deleteTextsFrom(
    scope,
    free.filter(({ channel }) => channel === 'sms').map(({ address }) => address),
  )
  const addressKey = await addressKeyOf(scope)
  if (addressKey === null) return
  const hashes = free.map((one) => hashAddress(scope, addressKey, one))
  await eraseSuppressions(scope, hashes, keepsHashes)
}
