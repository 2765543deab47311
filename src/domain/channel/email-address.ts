// Email addresses with display names, as the fields of an email have them.
import { domainToASCII } from 'node:url'
import addressparser from 'nodemailer/lib/addressparser'
import { emailAddress } from '../../lib/validation.ts'

/** An address of an email. */
export interface EmailAddress {
  /** The display name. Empty if there is none. */
  readonly name: string
  readonly address: string
}

/** Maximum length of a text that is searched for addresses, in characters. */
const MAX_ADDRESSES_TEXT = 20_000

/** True if a text has no line breaks, NUL or other control characters, which could begin another header. */
export const hasNoControls = (text: string): boolean => !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text)

/** True for an address that can receive email. */
export const isEmailAddress = (address: string): boolean => emailAddress.safeParse(address).success

/**
 * Spells an international domain in ASCII, as mail servers expect it. Addresses are stored as they were given, so that the
 * erasure of a person finds them.
 */
export function withAsciiDomain({ name, address }: EmailAddress): EmailAddress {
  const at = address.lastIndexOf('@') + 1
  return { name, address: address.slice(0, at) + (domainToASCII(address.slice(at)) || address.slice(at)) }
}

/** Returns the parts of a text that are separated by commas, whether they are addresses or not. */
export const addressesIn = (text: string): readonly EmailAddress[] =>
  addressparser(text, { flatten: true }).map(({ name, address }) => ({ name, address }))

/** Returns the addresses of a text, such as `Ada <ada@example.com>, bob@example.com`. Undefined if it has anything else. */
export function parseAddresses(text: string): readonly EmailAddress[] | undefined {
  if (text.length > MAX_ADDRESSES_TEXT || !hasNoControls(text)) return undefined
  const found = addressesIn(text)
  return found.every(({ address }) => isEmailAddress(address)) ? found : undefined
}

/** Returns an address as the value of a header. */
export const formatAddress = ({ name, address }: EmailAddress): string =>
  name === '' ? address : `"${name.replace(/["\\]/g, '\\$&')}" <${address}>`
