// The provider of the example data: answers every message without sending it, and fails the way real providers do.
import type { Delivery } from '../../data/prisma/client.ts'
import type { AttemptResult } from '../attempt.ts'

export type SinkAnswer = Omit<AttemptResult, 'startedAt'>

/** The outage of the SMS provider, in milliseconds before the end of the two weeks. */
export const OUTAGE = { from: 62 * 3_600_000, to: 60 * 3_600_000 } as const

const accepted: SinkAnswer = { status: 202, answer: '{"accepted":true}' }

const failed = (status: number, answer: string, permanent: boolean, retryAfter: number | null = null): SinkAnswer => ({
  status,
  answer,
  failure: {
    reason: `127.0.0.1:4000 responded with ${status}`,
    cause: permanent ? 'rejected' : 'unavailable',
    permanent,
    retryAfter,
  },
})

const noSuchRecipient = failed(422, '{"error":"no such recipient"}', true)

/** A number from 0 to 99 derived from a text. */
const percentile = (text: string) =>
  Array.from(text).reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 9_973, 7) % 100

/**
 * Returns a provider's answer to a message.
 *
 * @param attempt from 1.
 * @param end the end of the two weeks.
 */
export function answerTo(
  { channel, subscriberId }: Pick<Delivery, 'channel' | 'subscriberId'>,
  attempt: number,
  at: Date,
  end: Date,
): SinkAnswer {
  const age = end.getTime() - at.getTime()
  const place = percentile(subscriberId ?? '')
  if (channel === 'sms' && age < OUTAGE.from && age > OUTAGE.to) {
    return failed(503, '{"error":"service unavailable"}', false)
  }
  if (channel === 'sms' && place > 95) return failed(400, '{"error":"the number is not in service"}', true)
  if (channel === 'email' && place < 12) return noSuchRecipient
  if (channel === 'push' && place > 91) return failed(410, '{"error":"the device token has expired"}', true)
  if (channel === 'chat' && attempt === 1 && place % 3 === 0) {
    return failed(429, '{"error":"too many requests"}', false, 30)
  }
  return accepted
}

/** Returns a provider's answer to one of many emails, of which two in a hundred fail. @param index from 0. */
export const answerInBulk = (index: number): SinkAnswer => (index % 50 === 49 ? noSuchRecipient : accepted)
