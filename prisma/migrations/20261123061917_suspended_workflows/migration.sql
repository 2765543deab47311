-- Few workflows are suspended. The metrics count them at each scrape.
DROP INDEX CONCURRENTLY IF EXISTS "workflow_suspensions_suspended_idx";
CREATE INDEX CONCURRENTLY "workflow_suspensions_suspended_idx" ON "workflow_suspensions" ("environment_id", "workflow_id") WHERE "suspended_at" IS NOT NULL;
