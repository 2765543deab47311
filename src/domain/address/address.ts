// Addresses to which messages go: one spelling of each, and the hash by which its suppressions are found.
import { createHmac, randomBytes } from 'node:crypto'
import { addressKeys, keepAddressKey } from '../../data/suppression/address-key.ts'
import { isEmailAddress, withAsciiDomain } from '../channel/email-address.ts'
import type { EnvironmentScope } from '../resolver/scope.ts'

/** The channels whose messages go to addresses that can be suppressed. */
export const addressChannels = ['email', 'sms'] as const
export type AddressChannel = (typeof addressChannels)[number]

/** An address of a channel, in any spelling. */
export interface Address {
  readonly channel: AddressChannel
  readonly address: string
}

/** The length of the random key of an environment, in bytes. */
const KEY_BYTES = 32

const withoutSeparators = (number: string) => number.replaceAll(/[\s().\-/]/g, '').replace(/^00(?=[1-9])/, '+')

/**
 * Spells an address in the way in which equal ones are the same. Email: trimmed, in lower case, with an international
 * domain in ASCII. Mail servers may tell the case before the `@` apart, but none is known that does. Phone number:
 * without separators, and with `+` in place of `00`.
 */
export function normalizeAddress({ channel, address }: Address): string {
  const trimmed = address.trim()
  if (channel === 'sms') return withoutSeparators(trimmed)
  return withAsciiDomain({ name: '', address: trimmed.toLowerCase() }).address
}

/** True for an email address, or for a phone number in E.164 format with or without separators. */
export const isAddress = (given: Address): boolean => {
  const address = normalizeAddress(given)
  return given.channel === 'email' ? isEmailAddress(address) : /^\+[1-9]\d{6,14}$/.test(address)
}

type Hashing = Pick<EnvironmentScope, 'cipher' | 'environmentId'>

/** The hash of an address in an environment. @param addressKey the encrypted address key of the environment. */
export const hashAddress = ({ cipher, environmentId }: Hashing, addressKey: string, address: Address): string =>
  createHmac('sha256', cipher.signingKey(addressKey, environmentId)).update(normalizeAddress(address)).digest('hex')

/** The encrypted address key of the environment. Null if it never had a suppression. */
export const addressKeyOf = async ({ load, environmentId }: EnvironmentScope): Promise<string | null> =>
  (await load(addressKeys, environmentId))?.cipher ?? null

/** The encrypted address key of the environment, which is created if there is none. */
export async function ensureAddressKey(scope: EnvironmentScope): Promise<string> {
  const { cipher, environmentId } = scope
  const existing = await addressKeyOf(scope)
  if (existing !== null) return existing
  const created = cipher.encrypt(randomBytes(KEY_BYTES).toString('base64'), environmentId)
  return keepAddressKey(scope, created, scope.now())
}
