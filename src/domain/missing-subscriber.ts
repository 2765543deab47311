// Creates the subscriber that a caller names, if it is missing.
import { insertSubscribers } from '../data/subscriber.ts'
import { wantedAmong } from './outbox/webhook-message.ts'
import type { AtomicScope } from './resolver/scope.ts'
import { assertNewSubscribers } from './subscriber-id.ts'

/** Creates a subscriber that has only its id, unless it exists. @throws Refusal `INVALID` if a new id is not allowed. */
export async function ensureSubscriber(scope: AtomicScope, subscriberId: string): Promise<void> {
  await assertNewSubscribers(scope, [{ subscriberId, path: ['subscriberId'] }])
  const { newId, now } = scope
  const webhooks = await wantedAmong(scope, ['subscriber.created'])
  await insertSubscribers(scope, { patches: [{ subscriberId }], newId, now: now(), webhooks })
}
