// Rate limits for operations.
//
// One request can contain many mutations under different aliases. So each root field counts as one call, in the rate
// category of its resolver, and all of them are charged together before anything is executed.
import type { ExecutionArgs } from 'graphql'
import { type Rate, rateFor } from '../../domain/resolver/resolver.ts'
import { ordinaryRate } from '../../http/rate-limit.ts'
import type { GraphContext } from '../schema/builder.ts'
import { factsOf, type Operation } from './document-facts.ts'

/**
 * Returns the rate of each root field. Introspection and `node` count as ordinary calls.
 *
 * @param size returns the size of the request, in bytes.
 */
export function ratesOf(operation: Operation, size: () => number): readonly [Rate, ...Rate[]] {
  const rates = factsOf(operation)?.rates
  if (rates === undefined) return [ordinaryRate]
  if (rates.every(({ largeCost }) => largeCost === undefined)) return rates
  const [first, ...others] = rates
  const bytes = size()
  return [rateFor(first, bytes), ...others.map((rate) => rateFor(rate, bytes))]
}

/** The size of an operation's query and variables, in bytes. */
const requestSize = ({ document, variableValues }: ExecutionArgs): number =>
  (document.loc?.end ?? 0) + Buffer.byteLength(JSON.stringify(variableValues ?? {}))

/** @throws Refusal `RATE_LIMITED` for the whole operation if one category is over its limit. */
export function drawRates(args: ExecutionArgs, { meter }: Pick<GraphContext, 'meter'>): void {
  meter.draw(ratesOf(args, () => requestSize(args)))
}
