// Leaves suppressed addresses out of what a step sends. A step without any other address is skipped.
import type { ActiveRun } from '../../data/run.ts'
import type { Subscriber } from '../../data/subscriber.ts'
import type { EnvironmentScope } from '../../domain/resolver/scope.ts'
import type { ChannelStep } from '../../domain/workflow-step.ts'
import { type Decided, skip } from './decided.ts'
import type { RunContext } from './run-context.ts'
import { exceptSuppressed } from './suppressed-message.ts'

interface SentStep {
  readonly scope: EnvironmentScope
  readonly runContext: RunContext
  readonly step: ChannelStep
}

interface Addressee {
  readonly run: Pick<ActiveRun, 'addressKey'>
  readonly subscriber: Subscriber
}

async function decideFor(
  { scope, runContext: { event, workflow }, step: { type } }: SentStep,
  { run: { addressKey }, subscriber }: Addressee,
  decision: Decided,
): Promise<Decided> {
  if (addressKey === null || decision === 'later' || decision.kind !== 'send' || type === 'in_app') return decision
  const { contextKeys } = event
  const of = { scope, channel: type, subscriber, contextKeys, isCritical: workflow.critical, addressKey }
  const allowed = await exceptSuppressed(of, decision)
  if ('suppressed' in allowed) return skip('suppressed', allowed.suppressed, allowed.namedId)
  const { leftOut, ...others } = allowed
  const detail = [decision.detail, ...leftOut].filter((part) => part !== undefined).join(' ')
  return { kind: 'send', ...others, ...(detail !== '' && { detail }) }
}

/**
 * Leaves out suppressed addresses, with one statement for all recipients. Nothing is read in an environment without
 * suppressions.
 *
 * @param decided in the order of the recipients.
 */
export async function unlessSuppressed(
  step: SentStep,
  recipients: readonly Addressee[],
  decided: readonly Decided[],
): Promise<readonly Decided[]> {
  if (recipients.every(({ run }) => run.addressKey === null)) return decided
  return Promise.all(
    decided.map(async (one, index) => {
      const recipient = recipients[index]
      return recipient === undefined ? one : decideFor(step, recipient, one)
    }),
  )
}
