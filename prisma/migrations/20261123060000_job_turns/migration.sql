-- The jobs of each environment by priority, and messages by integration too.
DROP INDEX CONCURRENTLY IF EXISTS "jobs_events_turn_idx";
CREATE INDEX CONCURRENTLY "jobs_events_turn_idx" ON "jobs"("environment_id", "priority", "integration_id", "available_at", "id") WHERE "queue" = 'fan_out';
DROP INDEX CONCURRENTLY IF EXISTS "jobs_runs_turn_idx";
CREATE INDEX CONCURRENTLY "jobs_runs_turn_idx" ON "jobs"("environment_id", "priority", "integration_id", "available_at", "id") WHERE "queue" NOT IN ('fan_out', 'deliver');
DROP INDEX CONCURRENTLY IF EXISTS "jobs_messages_turn_idx";
CREATE INDEX CONCURRENTLY "jobs_messages_turn_idx" ON "jobs"("environment_id", "priority", "integration_id", "available_at", "id") WHERE "queue" = 'deliver';
