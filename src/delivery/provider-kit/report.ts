// Receives the requests in which providers report: what each provider file declares, and the checks that they share.
import { createHmac, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import type {
  ReceivedReports,
  MessageReport,
  ReportFacts,
  ReportRequest,
} from '../../domain/channel/delivery-report.ts'
import type { InboundText } from '../../domain/channel/inbound-text.ts'
import { Refusal } from '../../lib/errors.ts'
import type { JsonObject } from '../../lib/validation.ts'
import type { Outbound } from '../network/outbound.ts'

/** A request of a provider, and the integration that it names. */
export interface Reporting {
  readonly request: ReportRequest
  /** The credentials of the integration as stored. */
  readonly credentials: JsonObject
  readonly environmentId: string
  readonly outbound: Outbound
}

export interface ReportReceiver extends ReportFacts {
  /** Verifies a request, then reads it. @throws Refusal `UNAUTHENTICATED` or `MALFORMED` */
  readonly receive: (reporting: Reporting) => Promise<ReceivedReports>
}

interface ReceiverDefinition extends ReportFacts {
  /** Checks where a request comes from. @throws Refusal `UNAUTHENTICATED` */
  readonly verify: (reporting: Reporting) => void | Promise<void>
  /** Reads a verified request. @throws Refusal `MALFORMED` */
  readonly parse: (request: ReportRequest) => readonly MessageReport[]
  /** Reads the text messages of persons in a verified request. Default: none. */
  readonly parseTexts?: (request: ReportRequest) => readonly InboundText[]
  /** The token of a request that may be used only once. Default: none. */
  readonly onceOf?: (request: ReportRequest) => ReceivedReports['once']
}

export const createReceiver = ({
  proof,
  setting,
  verify,
  parse,
  parseTexts,
  onceOf,
}: ReceiverDefinition): ReportReceiver => ({
  proof,
  setting,
  async receive(reporting) {
    await verify(reporting)
    const { request } = reporting
    return { reports: parse(request), texts: parseTexts?.(request), once: onceOf?.(request) }
  },
})

export const unverified = (reason: string): Refusal =>
  new Refusal('UNAUTHENTICATED', `The report is rejected: ${reason}`)

/** @throws Refusal `UNAUTHENTICATED` if the setting is missing. */
export function keySetting({ credentials }: Pick<Reporting, 'credentials'>, setting = 'webhookSigningKey'): string {
  const value = credentials[setting]
  if (typeof value !== 'string' || value === '') throw unverified(`the integration has no ${setting}`)
  return value
}

/** Compares two texts in a time that does not depend on where they differ. */
export function isSame(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)]
  return one.length === other.length && timingSafeEqual(one, other)
}

/** The HMAC of a text or of bytes. */
export const hmac = (algorithm: 'sha1' | 'sha256', key: string | Buffer, ...parts: readonly (string | Buffer)[]) =>
  parts.reduce((sum, part) => sum.update(part), createHmac(algorithm, key))

const SECOND = 1000

/** @param seconds since 1970, as text. @throws Refusal `UNAUTHENTICATED` if it is further away than `tolerance` seconds. */
export function assertRecent(seconds: string, now: Date, tolerance: number): void {
  const time = /^\d{1,12}$/.test(seconds) ? Number(seconds) * SECOND : NaN
  // Not a number is not recent.
  if (!(Math.abs(now.getTime() - time) <= tolerance * SECOND)) throw unverified('its timestamp is too old')
}

const utf8 = new TextDecoder()

/** The body as a value of a schema. @throws Refusal `MALFORMED`, without the body. */
export function jsonBody<Schema extends z.ZodType>(
  { body }: Pick<ReportRequest, 'body'>,
  schema: Schema,
): z.output<Schema> {
  const { data, success } = z.safeParse(schema, parsed(utf8.decode(body)))
  if (!success) throw malformed('does not have the format of the provider')
  return data
}

export const malformed = (problem: string): Refusal => new Refusal('MALFORMED', `The body ${problem}`)

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw malformed('must be JSON')
  }
}

/** Returns a time that a provider names, or `now` if it names none. @param seconds since 1970. */
export function timeOf(value: string | number | undefined, now: Date): Date {
  const time = new Date(typeof value === 'number' ? value * SECOND : (value ?? NaN))
  return Number.isNaN(time.getTime()) ? now : time
}

/** The texts that are present, joined. Undefined without any. */
export const sentence = (...texts: readonly (string | null | undefined)[]): string | undefined =>
  texts.filter(Boolean).join(' ') || undefined
