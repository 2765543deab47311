// Reading an integration's credentials: each provider says what it needs of them.
import { z } from 'zod'
import { Refusal } from '../lib/errors.ts'
import { emailAddress, httpUrl, parse, text } from '../lib/validation.ts'
import { DeliveryFailure, type Envelope } from './provider.ts'

/** A key, a token, a password, an account. */
export const secret = text(8192, 1)

/** What need not be given; null means the same. */
export function optional<Schema extends z.ZodType>(schema: Schema) {
  return schema.nullish().transform((value) => value ?? undefined)
}

/** Where a provider's API is, without a slash at its end. Others are regions, proxies and tests. */
export function baseUrl(standard: string) {
  return httpUrl.nullish().transform((value) => (value ?? standard).replace(/\/+$/, ''))
}

/** Whom an e-mail is from. */
export const sender = z.object({
  from: emailAddress,
  senderName: optional(text(255, 1).regex(/^\P{C}*$/u, 'must not contain control characters')),
})

/** The sender as a header has it. */
export function formatAddress({ from, senderName }: z.output<typeof sender>): string {
  return senderName === undefined ? from : `"${senderName.replace(/["\\]/g, '\\$&')}" <${from}>`
}

/** @throws DeliveryFailure, permanent, which names each field that is missing or wrong and shows no value. */
export function parseCredentials<Schema extends z.ZodType>(
  { credentials }: Envelope,
  schema: Schema,
): z.output<Schema> {
  try {
    return parse(schema, credentials)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    throw new DeliveryFailure(`The credentials of the integration do not do: ${error.message}`, { permanent: true })
  }
}
