// Records webhook messages about changes, in the transaction of the change. If no active subscription of the environment
// wants them, that costs no statement.
import { insertWebhookMessages } from '../../data/webhook/webhook-message.ts'
import type { JsonObject } from '../../lib/validation.ts'
import type { EnvironmentScope } from '../resolver/scope.ts'
import type { WebhookMessageType } from './webhook-type.ts'

/** A change to tell receivers about. */
export interface WebhookChange {
  /** What the body of the request has as `data`: at most 4 KiB of JSON, as in the example of the type. */
  readonly data: JsonObject
  /** Sorted, duplicates removed. Default: none. */
  readonly contextKeys?: readonly string[]
}

type Recording = Pick<EnvironmentScope, 'environmentId' | 'db' | 'now' | 'newId' | 'webhooks'>

/**
 * Returns those of the types that any active subscription of the environment wants. A subscription that another process
 * has committed is known within a second.
 */
export async function wantedAmong(
  { environmentId, db, webhooks }: Pick<Recording, 'environmentId' | 'db' | 'webhooks'>,
  types: readonly WebhookMessageType[],
): Promise<readonly WebhookMessageType[]> {
  const wanted = await webhooks.typesOf(environmentId, db)
  return wanted.size === 0 ? [] : types.filter((type) => wanted.has(type))
}

/**
 * Records a message of one type for each change, in one statement. Call it in the transaction of the changes.
 *
 * @param read returns the changes. It is only called if an active subscription wants them, so it may read.
 */
export async function recordWebhookMessages(
  scope: Recording,
  type: WebhookMessageType,
  read: () => readonly WebhookChange[] | Promise<readonly WebhookChange[]>,
): Promise<void> {
  const [wanted] = await wantedAmong(scope, [type])
  if (wanted === undefined) return
  const changes = await read()
  if (changes.length === 0) return
  const messages = changes.map(({ data, contextKeys = [] }) => ({ id: scope.newId(), data, contextKeys }))
  await insertWebhookMessages(scope, type, messages, scope.now())
}
