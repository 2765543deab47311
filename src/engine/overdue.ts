// Ends the messages of a step at their deadline.
import { holdOverdue, type OverdueStep } from '../data/monitoring/overdue-delivery.ts'
import type { Priority } from '../data/queue/job.ts'
import type { EnvironmentScope } from '../domain/resolver/scope.ts'
import { endOverdueDelivery } from './attempt.ts'

/** Ends the messages that were not sent in time. Runs that wait for them continue. */
export async function endOverdue(scope: EnvironmentScope, step: OverdueStep, priority: Priority): Promise<void> {
  const overdue = await holdOverdue(scope, step, scope.now())
  for (const delivery of overdue) await endOverdueDelivery(scope, delivery, priority)
}
