-- A run belongs to a subscriber, not to its name. Runs were deleted with their subscribers, so that this finds the right ones.
-- AlterTable
ALTER TABLE "workflow_runs" ADD COLUMN     "subscriber_row_id" UUID;

UPDATE "workflow_runs" AS run SET "subscriber_row_id" = subscriber."id"
FROM "subscribers" AS subscriber
WHERE subscriber."environment_id" = run."environment_id" AND subscriber."subscriber_id" = run."subscriber_id";

ALTER TABLE "workflow_runs" ALTER COLUMN "subscriber_row_id" SET NOT NULL;

-- AlterTable
ALTER TABLE "subscriber_credentials" ADD COLUMN     "id" UUID NOT NULL DEFAULT gen_random_uuid();

ALTER TABLE "subscriber_credentials" ALTER COLUMN "id" DROP DEFAULT;

-- AlterTable
ALTER TABLE "deliveries" ADD COLUMN     "integration_id" UUID,
ADD COLUMN     "subscription_ids" UUID[] DEFAULT ARRAY[]::UUID[];

-- Messages that can still be sent are tied to the rows that they name, if those are older than the message and fit it. A
-- message whose rows are younger or do not fit gets null: it is not sent.
UPDATE "deliveries" AS delivery SET "integration_id" = integration."id"
FROM "integrations" AS integration
WHERE delivery."status" IN ('pending', 'failed')
  AND integration."environment_id" = delivery."environment_id"
  AND integration."identifier" = delivery."integration_identifier"
  AND integration."channel" = delivery."channel" AND integration."provider_id" = delivery."provider_id"
  AND integration."created_at" <= delivery."created_at";

UPDATE "deliveries" AS delivery SET "target" = delivery."target" || jsonb_build_object('id', (
  SELECT endpoint."id" FROM "step_runs" AS step
  JOIN "workflow_runs" AS run ON run."environment_id" = step."environment_id" AND run."id" = step."run_id"
  JOIN "events" AS event ON event."environment_id" = run."environment_id" AND event."id" = run."event_id"
  JOIN "channel_endpoints" AS endpoint
    ON endpoint."environment_id" = run."environment_id" AND endpoint."subscriber_id" = run."subscriber_id"
    AND endpoint."context_keys" = event."context_keys"
  WHERE step."environment_id" = delivery."environment_id" AND step."id" = delivery."step_run_id"
    AND endpoint."identifier" = delivery."target" ->> 'identifier'
    AND endpoint."type"::text = delivery."target" ->> 'type'
    AND endpoint."integration_identifier" = delivery."integration_identifier"
    AND endpoint."created_at" <= delivery."created_at"
))
WHERE delivery."status" IN ('pending', 'failed') AND delivery."target" ->> 'kind' = 'endpoint';

UPDATE "deliveries" AS delivery SET "target" = jsonb_set(delivery."target", '{credential,id}', coalesce((
  SELECT to_jsonb(credential."id") FROM "step_runs" AS step
  JOIN "workflow_runs" AS run ON run."environment_id" = step."environment_id" AND run."id" = step."run_id"
  JOIN "subscriber_credentials" AS credential
    ON credential."environment_id" = run."environment_id" AND credential."subscriber_id" = run."subscriber_id"
  WHERE step."environment_id" = delivery."environment_id" AND step."id" = delivery."step_run_id"
    AND credential."provider_id" = delivery."target" #>> '{credential,providerId}'
    AND credential."integration_identifier" = coalesce(delivery."target" #>> '{credential,integrationIdentifier}', '')
    AND credential."created_at" <= delivery."created_at"
), 'null'))
WHERE delivery."status" IN ('pending', 'failed') AND delivery."target" ->> 'kind' IN ('webhook', 'device');
