// The message ids of the emails of earlier steps, to which a later email may refer.
import { stepEmails } from '../../data/step-run.ts'
import { envelopeOf, type IntegrationSender, messageIdOf } from '../channel/email-envelope.ts'
import { contentOf } from '../channel/sent-content.ts'
import type { EnvironmentScope } from '../resolver/scope.ts'
import { senderOf } from './email-envelope.ts'

/** Reads the message ids of the emails of runs: by run id, then by step id. */
export async function messageIdsOf(
  scope: EnvironmentScope,
  runIds: readonly string[],
): Promise<ReadonlyMap<string, ReadonlyMap<string, string>>> {
  const byRun = new Map<string, Map<string, string>>()
  const senders = new Map<string | null, IntegrationSender>()
  for (const { runId, stepId, id, integrationId, ...email } of await stepEmails(scope, runIds)) {
    const sender = senders.get(integrationId) ?? (await senderOf(scope, integrationId))
    senders.set(integrationId, sender)
    const { from } = envelopeOf(contentOf(email), sender, null)
    const ids = byRun.get(runId) ?? new Map<string, string>()
    byRun.set(runId, ids.set(stepId, messageIdOf(id, from)))
  }
  return byRun
}
