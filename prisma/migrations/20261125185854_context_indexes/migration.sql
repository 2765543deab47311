-- Events by their contexts, and the runs and deliveries of events with contexts.
DROP INDEX CONCURRENTLY IF EXISTS "events_environment_id_context_keys_created_at_id_idx";
CREATE INDEX CONCURRENTLY "events_environment_id_context_keys_created_at_id_idx" ON "events"("environment_id", "context_keys", "created_at", "id");
DROP INDEX CONCURRENTLY IF EXISTS "workflow_runs_contexts_idx";
CREATE INDEX CONCURRENTLY "workflow_runs_contexts_idx" ON "workflow_runs"("environment_id", "context_keys", "created_at", "id") WHERE "context_keys" <> '{}';
DROP INDEX CONCURRENTLY IF EXISTS "deliveries_contexts_idx";
CREATE INDEX CONCURRENTLY "deliveries_contexts_idx" ON "deliveries"("environment_id", "context_keys", "created_at", "id") WHERE "context_keys" <> '{}';
-- What failed, by its cause.
DROP INDEX CONCURRENTLY IF EXISTS "deliveries_cause_idx";
CREATE INDEX CONCURRENTLY "deliveries_cause_idx" ON "deliveries"("environment_id", "cause", "created_at", "id") WHERE "cause" IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS "step_runs_cause_idx";
CREATE INDEX CONCURRENTLY "step_runs_cause_idx" ON "step_runs"("environment_id", "cause", "run_id") WHERE "cause" IS NOT NULL;
-- Rows of earlier versions, whose contexts are still to be copied. Empty once they are.
DROP INDEX CONCURRENTLY IF EXISTS "workflow_runs_uncopied_contexts_idx";
CREATE INDEX CONCURRENTLY "workflow_runs_uncopied_contexts_idx" ON "workflow_runs"("environment_id", "id") WHERE "context_keys" IS NULL;
DROP INDEX CONCURRENTLY IF EXISTS "deliveries_uncopied_contexts_idx";
CREATE INDEX CONCURRENTLY "deliveries_uncopied_contexts_idx" ON "deliveries"("environment_id", "id") WHERE "context_keys" IS NULL;
-- Searches for parts of the names of topics and subscribers, and for their beginnings.
DROP INDEX CONCURRENTLY IF EXISTS "topic_subscriptions_search_idx";
CREATE INDEX CONCURRENTLY "topic_subscriptions_search_idx" ON "topic_subscriptions" USING GIN ("environment_id" uuid_ops, "topic_key" gin_trgm_ops, "subscriber_id" gin_trgm_ops);
DROP INDEX CONCURRENTLY IF EXISTS "topic_subscriptions_lower_topic_key_idx";
CREATE INDEX CONCURRENTLY "topic_subscriptions_lower_topic_key_idx" ON "topic_subscriptions"("environment_id", lower("topic_key") text_pattern_ops);
DROP INDEX CONCURRENTLY IF EXISTS "topic_subscriptions_lower_subscriber_id_idx";
CREATE INDEX CONCURRENTLY "topic_subscriptions_lower_subscriber_id_idx" ON "topic_subscriptions"("environment_id", lower("subscriber_id") text_pattern_ops);
