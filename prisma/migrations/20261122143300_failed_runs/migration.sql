-- Few runs fail, so this index costs the others nothing.
DROP INDEX CONCURRENTLY IF EXISTS "workflow_runs_failed_idx";
CREATE INDEX CONCURRENTLY "workflow_runs_failed_idx" ON "workflow_runs" ("environment_id", "updated_at", "id") WHERE "status" = 'failed';
