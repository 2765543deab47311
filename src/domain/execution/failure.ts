// Failures: messages that were lost, grouped by integration and reason.
import { z } from 'zod'
import { type FailureFilter, type FailureGroup, groupFailures } from '../../data/failure.ts'
import { Channel } from '../../data/prisma/enums.ts'
import { createdConditions, time } from '../../lib/page.ts'
import { severalOf, valuesOf } from '../../lib/several.ts'
import { filterOf, text } from '../../lib/validation.ts'
import { failureCauseCodes } from '../channel/failure-cause.ts'
import { contextKeysFilter } from '../context.ts'
import { query } from '../resolver/resolver.ts'

/** The input schema of a filter of failed messages. */
export const failureFilter = filterOf({
  integrationIdentifier: text(255),
  integrationIdentifiers: severalOf(text(255)),
  workflowIdentifier: text(255),
  workflowIdentifiers: severalOf(text(255)),
  stepIds: severalOf(text(255)),
  channel: z.enum(Channel),
  channels: severalOf(z.enum(Channel)),
  causes: severalOf(z.enum(failureCauseCodes)),
  subscriberId: text(255),
  subscriberIds: severalOf(text(255)),
  contextKeys: contextKeysFilter,
  transactionId: text(255),
  reason: text(255),
  failedAfter: time,
  failedBefore: time,
  ...createdConditions,
})

export const storedFilter = (given: z.output<typeof failureFilter>): FailureFilter => ({
  transactionId: given.transactionId,
  contextKeys: given.contextKeys,
  reason: given.reason,
  failedAfter: given.failedAfter,
  failedBefore: given.failedBefore,
  createdAfter: given.createdAfter,
  createdBefore: given.createdBefore,
  integrationIdentifier: valuesOf(given.integrationIdentifier, given.integrationIdentifiers),
  workflowIdentifier: valuesOf(given.workflowIdentifier, given.workflowIdentifiers),
  stepId: valuesOf(undefined, given.stepIds),
  channel: valuesOf(given.channel, given.channels),
  cause: valuesOf(undefined, given.causes),
  subscriberId: valuesOf(given.subscriberId, given.subscriberIds),
})

/** Groups the failed messages of the environment by integration and by the error of the last attempt. */
export const failures = query({
  name: 'delivery.groupFailures',
  permission: 'event:read',
  input: z.object({ filter: failureFilter }),
  run: (scope, { filter }): Promise<readonly FailureGroup[]> => groupFailures(scope, storedFilter(filter)),
})
