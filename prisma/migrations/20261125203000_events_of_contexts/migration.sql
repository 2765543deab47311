-- Events with contexts. The index of all events is not used for the events of a context that is not known when the
-- statement is planned: if most events have no context, the planner expects as many with this one.
DROP INDEX CONCURRENTLY IF EXISTS "events_contexts_idx";
CREATE INDEX CONCURRENTLY "events_contexts_idx" ON "events"("environment_id", "context_keys", "created_at", "id") WHERE "context_keys" <> '{}';
