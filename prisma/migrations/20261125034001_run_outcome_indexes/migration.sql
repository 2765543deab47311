-- The runs of an environment and of an event, by outcome.
DROP INDEX CONCURRENTLY IF EXISTS "workflow_runs_environment_id_outcome_created_at_id_idx";
CREATE INDEX CONCURRENTLY "workflow_runs_environment_id_outcome_created_at_id_idx" ON "workflow_runs"("environment_id", "outcome", "created_at", "id");
DROP INDEX CONCURRENTLY IF EXISTS "workflow_runs_environment_id_event_id_outcome_created_at_id_idx";
CREATE INDEX CONCURRENTLY "workflow_runs_environment_id_event_id_outcome_created_at_id_idx" ON "workflow_runs"("environment_id", "event_id", "outcome", "created_at", "id");
-- Runs of which nothing arrived, by the reason and the step that decided it.
DROP INDEX CONCURRENTLY IF EXISTS "workflow_runs_reason_idx";
CREATE INDEX CONCURRENTLY "workflow_runs_reason_idx" ON "workflow_runs"("environment_id", "reason", "created_at", "id") WHERE "reason" IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS "workflow_runs_event_reason_idx";
CREATE INDEX CONCURRENTLY "workflow_runs_event_reason_idx" ON "workflow_runs"("environment_id", "event_id", "reason", "created_at", "id") WHERE "reason" IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS "workflow_runs_reason_step_idx";
CREATE INDEX CONCURRENTLY "workflow_runs_reason_step_idx" ON "workflow_runs"("environment_id", "reason_step_id", "created_at", "id") WHERE "reason_step_id" IS NOT NULL;
-- Runs of earlier versions, whose outcome is still to be computed. Empty once it is.
DROP INDEX CONCURRENTLY IF EXISTS "workflow_runs_unsettled_idx";
CREATE INDEX CONCURRENTLY "workflow_runs_unsettled_idx" ON "workflow_runs"("environment_id", "event_id", "id") WHERE "outcome" IS NULL;
-- Tallies in the order of the events, by the outcome that their runs result in: `event-outcome-list.ts` has the same text.
DROP INDEX CONCURRENTLY IF EXISTS "event_tallies_outcome_idx";
CREATE INDEX CONCURRENTLY "event_tallies_outcome_idx" ON "event_tallies"("environment_id", (CASE
  WHEN outcome_pending + outcome_delivered + outcome_failed + outcome_nothing
    <> runs_running + runs_waiting + runs_completed + runs_failed + runs_cancelled THEN 'unknown'
  WHEN outcome_pending > 0 THEN 'pending' WHEN outcome_delivered = 0 AND outcome_failed > 0 THEN 'failed'
  WHEN outcome_delivered = 0 THEN 'nothing' WHEN outcome_failed + outcome_nothing > 0 THEN 'partly'
  ELSE 'delivered' END), "created_at", "event_id");
