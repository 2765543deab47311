// Validates an integration's credentials. Each provider has a schema of the fields that it needs.
import { z } from 'zod'
import type { Message } from '../engine/message.ts'
import { Refusal } from '../lib/errors.ts'
import { emailAddress, httpUrl, parse, text } from '../lib/validation.ts'
import { DeliveryFailure } from './provider.ts'

/** A key, token, password or account id. */
export const secret = text(8192, 1)

/** An optional field. Null means absent. */
export function optional<Schema extends z.ZodType>(schema: Schema) {
  return schema.nullish().transform((value) => value ?? undefined)
}

/** The URL of a provider's API, without a trailing slash. Override it for a region, a proxy or a test. */
export function baseUrl(standard: string) {
  return httpUrl.nullish().transform((value) => (value ?? standard).replace(/\/+$/, ''))
}

/** The sender of an email. */
export const sender = z.object({
  from: emailAddress,
  senderName: optional(text(255, 1).regex(/^\P{C}*$/u, 'must not contain control characters')),
})

/** The sender as the value of a `From` header. */
export function formatAddress({ from, senderName }: z.output<typeof sender>): string {
  return senderName === undefined ? from : `"${senderName.replace(/["\\]/g, '\\$&')}" <${from}>`
}

/** @param problems the invalid fields and why, without their values */
export function invalidCredentials(problems: string): DeliveryFailure {
  return new DeliveryFailure(`The integration's credentials are invalid: ${problems}`, { permanent: true })
}

/** @throws DeliveryFailure permanent, naming each missing or invalid field. */
export function parseCredentials<Schema extends z.ZodType>({ credentials }: Message, schema: Schema): z.output<Schema> {
  try {
    return parse(schema, credentials)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    throw invalidCredentials(error.message)
  }
}
