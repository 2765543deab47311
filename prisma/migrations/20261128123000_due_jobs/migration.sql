-- The jobs of all environments by the time at which they can be taken. A look for jobs reads the first one of each kind.
DROP INDEX CONCURRENTLY IF EXISTS "jobs_events_due_idx";
CREATE INDEX CONCURRENTLY "jobs_events_due_idx" ON "jobs"("available_at") WHERE "queue" = 'fan_out';
DROP INDEX CONCURRENTLY IF EXISTS "jobs_runs_due_idx";
CREATE INDEX CONCURRENTLY "jobs_runs_due_idx" ON "jobs"("available_at") WHERE "queue" NOT IN ('fan_out', 'deliver');
DROP INDEX CONCURRENTLY IF EXISTS "jobs_messages_due_idx";
CREATE INDEX CONCURRENTLY "jobs_messages_due_idx" ON "jobs"("available_at") WHERE "queue" = 'deliver';
