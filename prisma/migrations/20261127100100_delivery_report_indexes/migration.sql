-- The message of a report, by the id that its provider gave it.
DROP INDEX CONCURRENTLY IF EXISTS "deliveries_provider_message_idx";
CREATE INDEX CONCURRENTLY "deliveries_provider_message_idx" ON "deliveries" ("environment_id", "provider_message_id") WHERE "provider_message_id" IS NOT NULL;
-- Lists of messages with a receipt, newest first.
DROP INDEX CONCURRENTLY IF EXISTS "deliveries_receipt_idx";
CREATE INDEX CONCURRENTLY "deliveries_receipt_idx" ON "deliveries" ("environment_id", (CASE WHEN "complained_at" IS NOT NULL THEN 'complained' WHEN "bounced_at" IS NOT NULL THEN 'bounced' WHEN "delivered_at" IS NOT NULL THEN 'delivered' WHEN "deferred_at" IS NOT NULL THEN 'deferred' ELSE 'unknown' END), "created_at", "id") WHERE coalesce("complained_at", "bounced_at", "delivered_at", "deferred_at") IS NOT NULL;
-- The bounces and complaints of a span.
DROP INDEX CONCURRENTLY IF EXISTS "deliveries_bounced_idx";
CREATE INDEX CONCURRENTLY "deliveries_bounced_idx" ON "deliveries" ("environment_id", "bounced_at") WHERE "bounced_at" IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS "deliveries_complained_idx";
CREATE INDEX CONCURRENTLY "deliveries_complained_idx" ON "deliveries" ("environment_id", "complained_at") WHERE "complained_at" IS NOT NULL;
