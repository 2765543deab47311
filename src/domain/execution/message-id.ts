// The message ids of the emails of earlier steps, to which a later email may refer.
import { integrationsById } from '../../data/integration.ts'
import { stepEmails } from '../../data/step-run.ts'
import { contentOf } from '../channel/content.ts'
import { envelopeOf, messageIdOf } from '../channel/email-envelope.ts'
import { openCredentials } from '../integration-setting.ts'
import { ifDecryptable } from '../resolver/decrypt.ts'
import type { EnvironmentScope } from '../resolver/scope.ts'

/** Reads the message ids of the emails of runs: by run id, then by step id. */
export async function messageIdsOf(
  scope: EnvironmentScope,
  runIds: readonly string[],
): Promise<ReadonlyMap<string, ReadonlyMap<string, string>>> {
  const byRun = new Map<string, Map<string, string>>()
  for (const { runId, stepId, id, content, integrationId } of await stepEmails(scope, runIds)) {
    const row = integrationId === null ? null : await scope.load(integrationsById, integrationId)
    const standard = row && ifDecryptable(() => openCredentials(scope, row))?.['from']
    const sender = { from: typeof standard === 'string' ? standard : '' }
    const { from } = envelopeOf(contentOf(content).email, sender, null)
    const ids = byRun.get(runId) ?? new Map<string, string>()
    byRun.set(runId, ids.set(stepId, messageIdOf(id, from)))
  }
  return byRun
}
