// The rate limit of an integration: how many messages it may send in an interval.
import { z } from 'zod'
import type { Integration as Row } from '../data/prisma/client.ts'
import { RateUnit } from '../data/prisma/enums.ts'
import { forgetDraws } from '../data/queue/send-rate.ts'
import type { Scope } from './resolver/scope.ts'

/** The highest number of messages in an interval. */
export const MAX_RATE = 1_000_000

/** A type of JSON, which an interface is not. */
export type RateLimit = { messages: number; per: RateUnit }

/** A rate limit as callers give it. */
export const rateLimit = z.object({
  messages: z.int().min(1).max(MAX_RATE).meta({ description: 'Maximum number of messages in each interval.' }),
  per: z.enum(RateUnit).meta({ description: 'Interval.' }),
})

/** Reads the columns of an integration. Null if it has no rate limit. */
export const rateLimitOf = ({ rateMessages, rateUnit }: Pick<Row, 'rateMessages' | 'rateUnit'>): RateLimit | null =>
  rateMessages === null || rateUnit === null ? null : { messages: rateMessages, per: rateUnit }

/** Returns the columns. Undefined leaves them unchanged. */
export const rateColumns = (given: RateLimit | null | undefined) =>
  given === undefined ? {} : { rateMessages: given?.messages ?? null, rateUnit: given?.per ?? null }

type Rated = Pick<Row, 'id' | 'rateMessages' | 'rateUnit'>

/** Returns the columns that a new rate limit leads to. Another limit begins with a full bucket. */
export async function changedRate(scope: Scope, row: Rated, given: RateLimit | null) {
  const columns = rateColumns(given)
  const isSame = columns.rateMessages === row.rateMessages && columns.rateUnit === row.rateUnit
  if (!isSame) await endRate(scope, row)
  return columns
}

/** Forgets how many messages a rate limit has allowed, and lets those that wait for it be looked up. */
export async function endRate(scope: Scope, { id, rateMessages }: Rated): Promise<void> {
  if (rateMessages !== null) await forgetDraws(scope, id)
}
