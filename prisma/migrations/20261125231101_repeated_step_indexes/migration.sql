-- Steps that a retry can repeat, by run: `repeatable-step.ts` has the same reasons.
DROP INDEX CONCURRENTLY IF EXISTS "step_runs_repeatable_idx";
CREATE INDEX CONCURRENTLY "step_runs_repeatable_idx" ON "step_runs"("environment_id", "run_id") WHERE "reason" IN ('condition_failed', 'content', 'integration_condition_failed', 'no_destination', 'no_integration', 'refused', 'subscription_condition_failed', 'time_limit');
-- Runs with a snapshot of their own, whose use keeps the snapshot.
DROP INDEX CONCURRENTLY IF EXISTS "workflow_runs_snapshot_idx";
CREATE INDEX CONCURRENTLY "workflow_runs_snapshot_idx" ON "workflow_runs"("environment_id", "event_id") WHERE "snapshot_hash" IS NOT NULL;
