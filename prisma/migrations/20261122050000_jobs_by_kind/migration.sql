-- Jobs that fan out events have their own workers, and so their own index.
CREATE INDEX "jobs_events_idx" ON "jobs"("environment_id", "available_at", "id") WHERE "queue" = 'fan_out';
CREATE INDEX "jobs_runs_idx" ON "jobs"("environment_id", "available_at", "id") WHERE "queue" NOT IN ('fan_out', 'deliver');
ALTER INDEX "jobs_deliver_idx" RENAME TO "jobs_messages_idx";
DROP INDEX "jobs_work_idx";
