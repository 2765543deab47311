-- The lists by subscriber, event and workflow.
DROP INDEX CONCURRENTLY IF EXISTS "deliveries_environment_id_event_id_created_at_id_idx";
CREATE INDEX CONCURRENTLY "deliveries_environment_id_event_id_created_at_id_idx" ON "deliveries"("environment_id", "event_id", "created_at", "id");
DROP INDEX CONCURRENTLY IF EXISTS "deliveries_environment_id_subscriber_id_created_at_id_idx";
CREATE INDEX CONCURRENTLY "deliveries_environment_id_subscriber_id_created_at_id_idx" ON "deliveries"("environment_id", "subscriber_id", "created_at", "id");
DROP INDEX CONCURRENTLY IF EXISTS "deliveries_environment_id_workflow_identifier_created_at_id_idx";
CREATE INDEX CONCURRENTLY "deliveries_environment_id_workflow_identifier_created_at_id_idx" ON "deliveries"("environment_id", "workflow_identifier", "created_at", "id");
DROP INDEX CONCURRENTLY IF EXISTS "workflow_runs_environment_id_subscriber_id_event_created_at_idx";
CREATE INDEX CONCURRENTLY "workflow_runs_environment_id_subscriber_id_event_created_at_idx" ON "workflow_runs"("environment_id", "subscriber_id", "event_created_at", "event_id");
DROP INDEX CONCURRENTLY IF EXISTS "workflow_runs_environment_id_workflow_identifier_created_at_idx";
CREATE INDEX CONCURRENTLY "workflow_runs_environment_id_workflow_identifier_created_at_idx" ON "workflow_runs"("environment_id", "workflow_identifier", "created_at", "id");
-- Tallies of events with unfinished runs, and without, in the order of the events.
DROP INDEX CONCURRENTLY IF EXISTS "event_tallies_open_idx";
CREATE INDEX CONCURRENTLY "event_tallies_open_idx" ON "event_tallies"("environment_id", "created_at", "event_id") WHERE "runs_running" + "runs_waiting" > 0;
DROP INDEX CONCURRENTLY IF EXISTS "event_tallies_ended_idx";
CREATE INDEX CONCURRENTLY "event_tallies_ended_idx" ON "event_tallies"("environment_id", "created_at", "event_id") WHERE "runs_running" + "runs_waiting" <= 0;
-- Events that are not fanned out, cancelled events, and the jobs of events that are partly fanned out.
DROP INDEX CONCURRENTLY IF EXISTS "events_accepted_idx";
CREATE INDEX CONCURRENTLY "events_accepted_idx" ON "events"("environment_id", "created_at", "id") WHERE "fanned_out_at" IS NULL AND "reason" IS NULL AND "cancelled_at" IS NULL;
DROP INDEX CONCURRENTLY IF EXISTS "events_cancelled_idx";
CREATE INDEX CONCURRENTLY "events_cancelled_idx" ON "events"("environment_id", "created_at", "id") WHERE "cancelled_at" IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS "jobs_pages_idx";
CREATE INDEX CONCURRENTLY "jobs_pages_idx" ON "jobs"("environment_id") WHERE "queue" = 'fan_out' AND "data" ? 'place';
-- Rows of earlier versions, whose columns are still to be copied. Empty once they are.
DROP INDEX CONCURRENTLY IF EXISTS "workflow_runs_uncopied_idx";
CREATE INDEX CONCURRENTLY "workflow_runs_uncopied_idx" ON "workflow_runs"("environment_id", "id") WHERE "event_created_at" IS NULL;
DROP INDEX CONCURRENTLY IF EXISTS "deliveries_uncopied_idx";
CREATE INDEX CONCURRENTLY "deliveries_uncopied_idx" ON "deliveries"("environment_id", "id") WHERE "event_id" IS NULL;
DROP INDEX CONCURRENTLY IF EXISTS "event_tallies_uncopied_idx";
CREATE INDEX CONCURRENTLY "event_tallies_uncopied_idx" ON "event_tallies"("environment_id", "event_id") WHERE "created_at" IS NULL;
