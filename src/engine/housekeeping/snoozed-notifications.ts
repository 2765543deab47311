// Lets snoozed notifications return, in portions of one environment.
import { environmentsWithDue, returnDue } from '../../data/feed/snooze.ts'
import { wantedAmong } from '../../domain/outbox/webhook-message.ts'
import { inPortions, type Performance } from './task.ts'

/**
 * Lets the due notifications of all environments return. Each portion is one statement, which also announces them to
 * streams and writes their webhook messages, so a process that dies loses and repeats nothing.
 */
export async function returnSnoozed(performance: Performance): Promise<void> {
  const { gateway } = performance
  for (const environmentId of await environmentsWithDue(gateway.db, gateway.now())) {
    await inPortions(
      performance,
      'snoozed_notifications',
      async (db, take) => {
        const { webhooks, now } = gateway
        return returnDue(
          { db, environmentId },
          now(),
          take,
          await wantedAmong({ environmentId, db, webhooks }, ['message.unsnoozed']),
        )
      },
      (count) => {
        if (count > 0) gateway.counts.drop(environmentId)
      },
    )
  }
}
