// What an export of a subscriber has from its addresses: their suppressions, and the texts that it sent.
import type { Subscriber } from '../../data/prisma/client.ts'
import { suppressionsOfAddress } from '../../data/suppression/suppression.ts'
import { textsFrom } from '../../data/suppression/inbound-text.ts'
import { type Address, addressKeyOf, hashAddress, normalizeAddress } from '../address/address.ts'
import type { EnvironmentScope } from '../resolver/scope.ts'

/** Reads what is stored under the addresses in a profile, without hashes and ciphertexts. */
export async function storedUnderAddresses(
  scope: EnvironmentScope,
  { email, phone }: Pick<Subscriber, 'email' | 'phone'>,
) {
  const addresses: readonly Address[] = [
    ...(email ? [{ channel: 'email', address: email } as const] : []),
    ...(phone ? [{ channel: 'sms', address: phone } as const] : []),
  ]
  const addressKey = await addressKeyOf(scope)
  const found = await Promise.all(
    addressKey === null
      ? []
      : addresses.map(async (one) => {
          const key = { channel: one.channel, addressHash: hashAddress(scope, addressKey, one) }
          return (await scope.load(suppressionsOfAddress, key)).map((row) => ({
            ...{ channel: row.channel, address: normalizeAddress(one), reason: row.reason, detail: row.detail },
            ...{ contextKeys: row.contextKeys, expiresAt: row.expiresAt, createdAt: row.createdAt },
          }))
        }),
  )
  const numbers = addresses.filter(({ channel }) => channel === 'sms').map(normalizeAddress)
  return { suppressions: found.flat(), inboundTexts: await textsFrom(scope, numbers) }
}
