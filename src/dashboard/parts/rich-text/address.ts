// Addresses in emails: URLs, other schemes that a mail client opens, and Liquid.
import { withoutLiquid } from './liquid-text.ts'

const LINK = /^(https?:\/\/|mailto:|tel:)\S+$/i
const IMAGE = /^https?:\/\/\S+$/i

/** Liquid may contain spaces, and an address may begin with it. */
const matches = (address: string, pattern: RegExp): boolean =>
  /^\{[{%]/.test(address) || pattern.test(withoutLiquid(address))

export const isLinkAddress = (address: string): boolean => matches(address, LINK)

const OR_LIQUID = 'or with a Liquid variable, such as {{ payload.url }}.'

/** Returns what is wrong with the address of a link. Null if it is valid. */
export const linkAddressError = (address: string): string | null =>
  isLinkAddress(address) ? null : `Start the address with https://, http://, mailto: or tel:, ${OR_LIQUID}`

/** Returns what is wrong with the address of an image. Null if it is valid. */
export const imageAddressError = (address: string): string | null =>
  matches(address, IMAGE) ? null : `Start the address with https:// or http://, ${OR_LIQUID}`
