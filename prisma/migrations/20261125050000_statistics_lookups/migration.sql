-- The functions that count messages joined up to four tables to find the workflow. While the tables were empty, a
-- connection could plan to read them whole, and the plan took seconds as they grew. Deliveries and runs have the workflow
-- since, so one row is looked up at most. Only rows of earlier versions still need the event.
CREATE OR REPLACE FUNCTION count_ended_message() RETURNS trigger LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  workflow text := NEW.workflow_identifier;
BEGIN
  IF workflow IS NULL THEN
    SELECT event.workflow_identifier INTO workflow
    FROM step_runs AS step
    JOIN workflow_runs AS run ON run.environment_id = step.environment_id AND run.id = step.run_id
    JOIN events AS event ON event.environment_id = run.environment_id AND event.id = run.event_id
    WHERE step.environment_id = NEW.environment_id AND step.id = NEW.step_run_id;
  END IF;
  INSERT INTO message_statistics_changes (environment_id, at, workflow_identifier, channel, integration_identifier, sent,
                                          failed, cancelled, failed_delivery_id)
  VALUES (NEW.environment_id, NEW.updated_at, workflow, NEW.channel, NEW.integration_identifier,
          (NEW.status = 'sent')::int, (NEW.status = 'failed')::int, (NEW.status = 'cancelled')::int,
          CASE WHEN NEW.status = 'failed' THEN NEW.id END);
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION count_failed_attempt() RETURNS trigger LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  message deliveries%ROWTYPE;
  workflow text;
BEGIN
  SELECT * INTO message FROM deliveries WHERE environment_id = NEW.environment_id AND id = NEW.delivery_id;
  workflow := message.workflow_identifier;
  IF workflow IS NULL THEN
    SELECT event.workflow_identifier INTO workflow
    FROM step_runs AS step
    JOIN workflow_runs AS run ON run.environment_id = step.environment_id AND run.id = step.run_id
    JOIN events AS event ON event.environment_id = run.environment_id AND event.id = run.event_id
    WHERE step.environment_id = message.environment_id AND step.id = message.step_run_id;
  END IF;
  INSERT INTO message_statistics_changes (environment_id, at, workflow_identifier, channel, integration_identifier,
                                          failed_attempts, failed_delivery_id)
  VALUES (NEW.environment_id, NEW.ended_at, workflow, message.channel, message.integration_identifier, 1, message.id);
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION count_step_without_messages() RETURNS trigger LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  INSERT INTO message_statistics_changes (environment_id, at, workflow_identifier, channel, failed, skipped)
  SELECT NEW.environment_id, NEW.created_at, coalesce(run.workflow_identifier, (
           SELECT event.workflow_identifier FROM events AS event
           WHERE event.environment_id = run.environment_id AND event.id = run.event_id
         )), NEW.type::text::"Channel", (NEW.status = 'failed')::int, (NEW.status = 'skipped')::int
  FROM workflow_runs AS run
  WHERE run.environment_id = NEW.environment_id AND run.id = NEW.run_id;
  RETURN NULL;
END $$;
