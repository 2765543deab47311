// Failures: messages that were lost, grouped by integration and reason.
import { z } from 'zod'
import { type FailureGroup, groupFailures } from '../../data/failure.ts'
import { Channel } from '../../data/prisma/enums.ts'
import { createdConditions, time } from '../../lib/page.ts'
import { filterOf, text } from '../../lib/validation.ts'
import { query } from '../resolver/resolver.ts'

/** The input schema of a filter of failed messages. */
export const failureFilter = filterOf({
  integrationIdentifier: text(255),
  workflowIdentifier: text(255),
  channel: z.enum(Channel),
  subscriberId: text(255),
  transactionId: text(255),
  reason: text(255),
  failedAfter: time,
  failedBefore: time,
  ...createdConditions,
})

/** Groups the failed messages of the environment by integration and by the error of the last attempt. */
export const failures = query({
  name: 'delivery.groupFailures',
  permission: 'event:read',
  input: z.object({ filter: failureFilter }),
  run: (scope, { filter }): Promise<readonly FailureGroup[]> => groupFailures(scope, filter),
})
