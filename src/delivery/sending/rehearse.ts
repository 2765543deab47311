// Rehearses a message: finds the failure that its attempt would have before anything is sent.
import type { SendingRules } from '../../data/access/sending.ts'
import type { Rehearsed } from '../../domain/channel/provider-directory.ts'
import type { Message } from '../../engine/message.ts'
import type { EnvironmentEvaluator } from '../../evaluation/evaluator.ts'
import { createTrial } from '../network/trial.ts'
import { send, type Sender } from './send.ts'

/** The host as it is written in an address: an IPv6 address has no brackets. */
export const withoutBrackets = (host: string) => host.replace(/^\[|\]$/g, '')

/**
 * Runs the provider until its first request. @returns no failure if the message comes so far or is captured, or if the
 * failure would not be permanent.
 */
export async function rehearse(
  { outbound, logger }: Sender,
  evaluator: EnvironmentEvaluator,
  message: Message,
  rules: SendingRules,
): Promise<Rehearsed> {
  const reached: string[] = []
  const trial = createTrial(({ host }) => {
    outbound.assertReachable(withoutBrackets(host))
    reached.push(host)
  })
  const { failure, isCaptured = false } = await send({ outbound: trial, logger }, evaluator, message, () =>
    Promise.resolve(rules),
  )
  return reached.length > 0 || failure?.permanent !== true ? { isCaptured } : { failure, isCaptured }
}
