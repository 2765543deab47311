-- AlterTable
ALTER TABLE "events" ADD COLUMN     "detail" TEXT,
ADD COLUMN     "fanned_out_at" TIMESTAMPTZ(3),
ADD COLUMN     "reason" TEXT;

-- CreateTable
CREATE TABLE "event_tallies" (
    "environment_id" UUID NOT NULL,
    "event_id" UUID NOT NULL,
    "runs_running" INTEGER NOT NULL DEFAULT 0,
    "runs_waiting" INTEGER NOT NULL DEFAULT 0,
    "runs_completed" INTEGER NOT NULL DEFAULT 0,
    "runs_failed" INTEGER NOT NULL DEFAULT 0,
    "runs_cancelled" INTEGER NOT NULL DEFAULT 0,
    "messages_pending" INTEGER NOT NULL DEFAULT 0,
    "messages_sent" INTEGER NOT NULL DEFAULT 0,
    "messages_failed" INTEGER NOT NULL DEFAULT 0,
    "messages_cancelled" INTEGER NOT NULL DEFAULT 0,
    "notifications" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "event_tallies_pkey" PRIMARY KEY ("environment_id","event_id")
);

-- CreateTable
CREATE TABLE "event_tally_changes" (
    "environment_id" UUID NOT NULL,
    "event_id" UUID NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "runs_running" INTEGER NOT NULL DEFAULT 0,
    "runs_waiting" INTEGER NOT NULL DEFAULT 0,
    "runs_completed" INTEGER NOT NULL DEFAULT 0,
    "runs_failed" INTEGER NOT NULL DEFAULT 0,
    "runs_cancelled" INTEGER NOT NULL DEFAULT 0,
    "messages_pending" INTEGER NOT NULL DEFAULT 0,
    "messages_sent" INTEGER NOT NULL DEFAULT 0,
    "messages_failed" INTEGER NOT NULL DEFAULT 0,
    "messages_cancelled" INTEGER NOT NULL DEFAULT 0,
    "notifications" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "event_tally_changes_pkey" PRIMARY KEY ("environment_id","event_id","id")
);

-- AddForeignKey
ALTER TABLE "event_tallies" ADD CONSTRAINT "event_tallies_environment_id_event_id_fkey" FOREIGN KEY ("environment_id", "event_id") REFERENCES "events"("environment_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Few events have a reason, so this index costs the others nothing.
CREATE INDEX "events_reason_idx" ON "events" ("environment_id", "reason", "created_at", "id") WHERE "reason" IS NOT NULL;

-- Tallies. Each statement that creates or changes runs, messages or feed entries also inserts what it changed in the
-- tallies of their events. A statement that changes no status inserts nothing.
CREATE FUNCTION tally_new_runs() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO event_tally_changes (environment_id, event_id, runs_running, runs_waiting, runs_completed, runs_failed,
                                   runs_cancelled)
  SELECT environment_id, event_id, count(*) FILTER (WHERE status = 'running'), count(*) FILTER (WHERE status = 'waiting'),
         count(*) FILTER (WHERE status = 'completed'), count(*) FILTER (WHERE status = 'failed'),
         count(*) FILTER (WHERE status = 'cancelled')
  FROM after GROUP BY environment_id, event_id;
  RETURN NULL;
END $$;

CREATE FUNCTION tally_changed_runs() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO event_tally_changes (environment_id, event_id, runs_running, runs_waiting, runs_completed, runs_failed,
                                   runs_cancelled)
  SELECT * FROM (
    SELECT environment_id, event_id,
           sum(CASE status WHEN 'running' THEN sign ELSE 0 END) AS running,
           sum(CASE status WHEN 'waiting' THEN sign ELSE 0 END) AS waiting,
           sum(CASE status WHEN 'completed' THEN sign ELSE 0 END) AS completed,
           sum(CASE status WHEN 'failed' THEN sign ELSE 0 END) AS failed,
           sum(CASE status WHEN 'cancelled' THEN sign ELSE 0 END) AS cancelled
    FROM (SELECT environment_id, event_id, status, -1 AS sign FROM before
          UNION ALL SELECT environment_id, event_id, status, 1 FROM after) AS change
    GROUP BY environment_id, event_id
  ) AS tally
  WHERE (running, waiting, completed, failed, cancelled) <> (0, 0, 0, 0, 0);
  RETURN NULL;
END $$;

-- Planned once per connection, perhaps while the tables are empty: only the primary keys stay fast as they grow.
CREATE FUNCTION tally_new_messages() RETURNS trigger LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  INSERT INTO event_tally_changes (environment_id, event_id, messages_pending, messages_sent, messages_failed,
                                   messages_cancelled)
  SELECT run.environment_id, run.event_id, sum(pending), sum(sent), sum(failed), sum(cancelled)
  FROM (
    SELECT environment_id, step_run_id, count(*) FILTER (WHERE status = 'pending') AS pending,
           count(*) FILTER (WHERE status = 'sent') AS sent, count(*) FILTER (WHERE status = 'failed') AS failed,
           count(*) FILTER (WHERE status = 'cancelled') AS cancelled
    FROM after GROUP BY environment_id, step_run_id
  ) AS tally
  JOIN step_runs AS step ON step.environment_id = tally.environment_id AND step.id = tally.step_run_id
  JOIN workflow_runs AS run ON run.environment_id = step.environment_id AND run.id = step.run_id
  GROUP BY run.environment_id, run.event_id;
  RETURN NULL;
END $$;

CREATE FUNCTION tally_changed_messages() RETURNS trigger LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  INSERT INTO event_tally_changes (environment_id, event_id, messages_pending, messages_sent, messages_failed,
                                   messages_cancelled)
  SELECT run.environment_id, run.event_id, sum(pending), sum(sent), sum(failed), sum(cancelled)
  FROM (
    SELECT environment_id, step_run_id,
           sum(CASE status WHEN 'pending' THEN sign ELSE 0 END) AS pending,
           sum(CASE status WHEN 'sent' THEN sign ELSE 0 END) AS sent,
           sum(CASE status WHEN 'failed' THEN sign ELSE 0 END) AS failed,
           sum(CASE status WHEN 'cancelled' THEN sign ELSE 0 END) AS cancelled
    FROM (SELECT environment_id, step_run_id, status, -1 AS sign FROM before
          UNION ALL SELECT environment_id, step_run_id, status, 1 FROM after) AS change
    GROUP BY environment_id, step_run_id
  ) AS tally
  JOIN step_runs AS step ON step.environment_id = tally.environment_id AND step.id = tally.step_run_id
  JOIN workflow_runs AS run ON run.environment_id = step.environment_id AND run.id = step.run_id
  WHERE (pending, sent, failed, cancelled) <> (0, 0, 0, 0)
  GROUP BY run.environment_id, run.event_id;
  RETURN NULL;
END $$;

CREATE FUNCTION tally_new_notifications() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO event_tally_changes (environment_id, event_id, notifications)
  SELECT environment_id, event_id, count(*) FROM after GROUP BY environment_id, event_id;
  RETURN NULL;
END $$;

CREATE TRIGGER tally_new AFTER INSERT ON workflow_runs
  REFERENCING NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION tally_new_runs();
CREATE TRIGGER tally_changed AFTER UPDATE ON workflow_runs
  REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION tally_changed_runs();
CREATE TRIGGER tally_new AFTER INSERT ON deliveries
  REFERENCING NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION tally_new_messages();
CREATE TRIGGER tally_changed AFTER UPDATE ON deliveries
  REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION tally_changed_messages();
CREATE TRIGGER tally_new AFTER INSERT ON notifications
  REFERENCING NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION tally_new_notifications();

-- The events that exist. Those whose fan-out is still queued are left to it.
INSERT INTO event_tally_changes (environment_id, event_id, runs_running, runs_waiting, runs_completed, runs_failed,
                                 runs_cancelled)
SELECT environment_id, event_id, count(*) FILTER (WHERE status = 'running'), count(*) FILTER (WHERE status = 'waiting'),
       count(*) FILTER (WHERE status = 'completed'), count(*) FILTER (WHERE status = 'failed'),
       count(*) FILTER (WHERE status = 'cancelled')
FROM workflow_runs GROUP BY environment_id, event_id;
INSERT INTO event_tally_changes (environment_id, event_id, messages_pending, messages_sent, messages_failed,
                                 messages_cancelled)
SELECT run.environment_id, run.event_id, count(*) FILTER (WHERE delivery.status = 'pending'),
       count(*) FILTER (WHERE delivery.status = 'sent'), count(*) FILTER (WHERE delivery.status = 'failed'),
       count(*) FILTER (WHERE delivery.status = 'cancelled')
FROM deliveries AS delivery
JOIN step_runs AS step ON step.environment_id = delivery.environment_id AND step.id = delivery.step_run_id
JOIN workflow_runs AS run ON run.environment_id = step.environment_id AND run.id = step.run_id
GROUP BY run.environment_id, run.event_id;
INSERT INTO event_tally_changes (environment_id, event_id, notifications)
SELECT environment_id, event_id, count(*) FROM notifications GROUP BY environment_id, event_id;

UPDATE events SET
  reason = CASE
    WHEN NOT (workflow->>'active')::boolean THEN 'workflow_inactive'
    WHEN workflow->'steps' = '[]' THEN 'no_steps'
    WHEN workflow ? 'steps' AND NOT jsonb_path_exists(workflow, '$.steps[*] ? (@.active == true)') THEN 'no_active_steps'
  END;
UPDATE events SET detail = 'Workflow "' || workflow_identifier || '" ' || CASE reason
    WHEN 'workflow_inactive' THEN 'is not active.'
    WHEN 'no_steps' THEN 'has no steps.'
    ELSE 'has no active steps.'
  END
WHERE reason IS NOT NULL;
DO $$
BEGIN
  UPDATE events SET fanned_out_at = updated_at WHERE reason IS NULL;
  IF to_regclass('pgboss.job') IS NOT NULL THEN
    UPDATE events SET fanned_out_at = NULL
    FROM pgboss.job
    WHERE job.name = 'fan-out' AND job.state < 'completed'
      AND events.environment_id = (job.data->>'environmentId')::uuid AND events.id = (job.data->>'eventId')::uuid;
    UPDATE events SET fanned_out_at = NULL, reason = 'fan_out_failed', detail = 'An internal error stopped the fan-out.'
    FROM pgboss.job
    WHERE job.name = 'fan-out' AND job.state = 'failed'
      AND events.environment_id = (job.data->>'environmentId')::uuid AND events.id = (job.data->>'eventId')::uuid;
  END IF;
END $$;
