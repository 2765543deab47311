-- The jobs that wait for each pause.
DROP INDEX CONCURRENTLY IF EXISTS "jobs_held_idx";
CREATE INDEX CONCURRENTLY "jobs_held_idx" ON "jobs"("environment_id", "held_by", "id") WHERE "held_by" IS NOT NULL;
