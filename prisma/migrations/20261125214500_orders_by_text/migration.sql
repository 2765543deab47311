-- The orders of lists by name and by identifier (src/data/reading/row-list.ts). Case-insensitive, and otherwise by code
-- point, which is the same on every server. The length is limited, because an index cannot contain long texts.
DROP INDEX CONCURRENTLY IF EXISTS "environments_sorted_name_idx";
CREATE INDEX CONCURRENTLY "environments_sorted_name_idx" ON "environments"("organization_id", (left(lower("name"), 200) COLLATE "C"), "id");
DROP INDEX CONCURRENTLY IF EXISTS "contexts_sorted_identifier_idx";
CREATE INDEX CONCURRENTLY "contexts_sorted_identifier_idx" ON "contexts"("environment_id", (left(lower("key"), 200) COLLATE "C"), "id");
DROP INDEX CONCURRENTLY IF EXISTS "subscribers_sorted_name_idx";
CREATE INDEX CONCURRENTLY "subscribers_sorted_name_idx" ON "subscribers"("environment_id", (left(lower(coalesce("name", "subscriber_id")), 200) COLLATE "C"), "id");
DROP INDEX CONCURRENTLY IF EXISTS "subscribers_sorted_identifier_idx";
CREATE INDEX CONCURRENTLY "subscribers_sorted_identifier_idx" ON "subscribers"("environment_id", (left(lower("subscriber_id"), 200) COLLATE "C"), "id");
DROP INDEX CONCURRENTLY IF EXISTS "integrations_sorted_name_idx";
CREATE INDEX CONCURRENTLY "integrations_sorted_name_idx" ON "integrations"("environment_id", (left(lower("name"), 200) COLLATE "C"), "id");
DROP INDEX CONCURRENTLY IF EXISTS "integrations_sorted_identifier_idx";
CREATE INDEX CONCURRENTLY "integrations_sorted_identifier_idx" ON "integrations"("environment_id", (left(lower("identifier"), 200) COLLATE "C"), "id");
DROP INDEX CONCURRENTLY IF EXISTS "channel_endpoints_sorted_identifier_idx";
CREATE INDEX CONCURRENTLY "channel_endpoints_sorted_identifier_idx" ON "channel_endpoints"("environment_id", (left(lower("identifier"), 200) COLLATE "C"), "id");
DROP INDEX CONCURRENTLY IF EXISTS "topics_sorted_name_idx";
CREATE INDEX CONCURRENTLY "topics_sorted_name_idx" ON "topics"("environment_id", (left(lower(coalesce(nullif("name", ''), "key")), 200) COLLATE "C"), "id");
DROP INDEX CONCURRENTLY IF EXISTS "topics_sorted_identifier_idx";
CREATE INDEX CONCURRENTLY "topics_sorted_identifier_idx" ON "topics"("environment_id", (left(lower("key"), 200) COLLATE "C"), "id");
DROP INDEX CONCURRENTLY IF EXISTS "workflows_sorted_name_idx";
CREATE INDEX CONCURRENTLY "workflows_sorted_name_idx" ON "workflows"("environment_id", (left(lower("name"), 200) COLLATE "C"), "id");
DROP INDEX CONCURRENTLY IF EXISTS "workflows_sorted_identifier_idx";
CREATE INDEX CONCURRENTLY "workflows_sorted_identifier_idx" ON "workflows"("environment_id", (left(lower("identifier"), 200) COLLATE "C"), "id");
DROP INDEX CONCURRENTLY IF EXISTS "topic_subscriptions_sorted_name_idx";
CREATE INDEX CONCURRENTLY "topic_subscriptions_sorted_name_idx" ON "topic_subscriptions"("environment_id", (left(lower(coalesce(nullif("name", ''), "identifier")), 200) COLLATE "C"), "id");
DROP INDEX CONCURRENTLY IF EXISTS "topic_subscriptions_sorted_identifier_idx";
CREATE INDEX CONCURRENTLY "topic_subscriptions_sorted_identifier_idx" ON "topic_subscriptions"("environment_id", (left(lower("identifier"), 200) COLLATE "C"), "id");
