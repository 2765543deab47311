// Retries of runs: the filter that selects runs and the steps to repeat.
import { z } from 'zod'
import { RunOutcome } from '../../data/prisma/enums.ts'
import type { RunRetryFilter } from '../../data/run-retry.ts'
import { createdConditions } from '../../lib/page.ts'
import { severalOf, valuesOf } from '../../lib/several.ts'
import { filterOf, text } from '../../lib/validation.ts'
import { failureCauseCodes } from '../channel/failure-cause.ts'
import { contextKeysFilter } from '../context.ts'
import { runReasonCodes } from '../trigger/step-reason.ts'

/** The input schema of a filter of runs to retry. */
export const runRetryFilter = filterOf({
  outcome: z.enum(RunOutcome),
  outcomes: severalOf(z.enum(RunOutcome)),
  reasons: severalOf(z.enum(runReasonCodes)),
  causes: severalOf(z.enum(failureCauseCodes)),
  stepId: text(255),
  stepIds: severalOf(text(255)),
  subscriberId: text(255),
  subscriberIds: severalOf(text(255)),
  workflowIdentifier: text(255),
  workflowIdentifiers: severalOf(text(255)),
  transactionId: text(255),
  topicKey: text(255),
  topicKeys: severalOf(text(255)),
  contextKeys: contextKeysFilter,
  ...createdConditions,
})

export const storedRetryFilter = (given: z.output<typeof runRetryFilter>): RunRetryFilter => ({
  transactionId: given.transactionId,
  topicKey: valuesOf(given.topicKey, given.topicKeys),
  contextKeys: given.contextKeys,
  createdAfter: given.createdAfter,
  createdBefore: given.createdBefore,
  outcome: valuesOf(given.outcome, given.outcomes),
  reason: valuesOf(undefined, given.reasons),
  stepId: valuesOf(given.stepId, given.stepIds),
  cause: valuesOf(undefined, given.causes),
  subscriberId: valuesOf(given.subscriberId, given.subscriberIds),
  workflowIdentifier: valuesOf(given.workflowIdentifier, given.workflowIdentifiers),
})
