// The log of webhooks in the example data: no request is sent while the data is created.
import type { Tenant } from '../reading/loader.ts'
import { sqlCount } from '../statement/statement.ts'

/** One in this many messages has failed. */
const FAILED = 12

/** Ends all pending deliveries of webhooks: with one accepted attempt, or a last one that was rejected. */
export async function settleExampleWebhooks({ db, environmentId }: Tenant): Promise<void> {
  await sqlCount(db, 'example-webhooks.settle')`
    WITH numbered AS (
      SELECT id, row_number() OVER (ORDER BY created_at, id) % ${FAILED} = 0 AS failed
      FROM webhook_deliveries WHERE environment_id = ${environmentId}::uuid AND next_attempt_at IS NOT NULL
    )
    UPDATE webhook_deliveries AS delivery
    SET status = (CASE WHEN failed THEN 'failed' ELSE 'succeeded' END)::"WebhookDeliveryStatus",
        attempt_count = 1, next_attempt_at = NULL,
        attempts = jsonb_build_array(jsonb_build_object(
          'startedAt', to_char(delivery.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
          'duration', 84, 'status', CASE WHEN failed THEN 422 ELSE 204 END, 'answer', NULL,
          'error', CASE WHEN failed THEN 'crm.example responded with 422' END))
    FROM numbered
    WHERE delivery.environment_id = ${environmentId}::uuid AND delivery.id = numbered.id`
}
