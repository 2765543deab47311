-- CreateTable
CREATE TABLE "context_statistics" (
    "environment_id" UUID NOT NULL,
    "contexts" TEXT NOT NULL,
    "granularity" "StatisticsInterval" NOT NULL,
    "dimension" "StatisticsDimension" NOT NULL,
    "starts_at" TIMESTAMPTZ(3) NOT NULL,
    "name" TEXT NOT NULL,
    "channel" "Channel" NOT NULL,
    "sent" INTEGER NOT NULL,
    "failed" INTEGER NOT NULL,
    "cancelled" INTEGER NOT NULL,
    "skipped" INTEGER NOT NULL,
    "failed_attempts" INTEGER NOT NULL,
    "failed_delivery_id" UUID,

    CONSTRAINT "context_statistics_pkey" PRIMARY KEY ("environment_id","contexts","granularity","dimension","starts_at","name","channel")
);

-- CreateTable
CREATE TABLE "context_statistics_changes" (
    "environment_id" UUID NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "contexts" TEXT NOT NULL,
    "workflow_identifier" TEXT NOT NULL,
    "channel" "Channel" NOT NULL,
    "integration_identifier" TEXT NOT NULL DEFAULT '',
    "sent" INTEGER NOT NULL DEFAULT 0,
    "failed" INTEGER NOT NULL DEFAULT 0,
    "cancelled" INTEGER NOT NULL DEFAULT 0,
    "skipped" INTEGER NOT NULL DEFAULT 0,
    "failed_attempts" INTEGER NOT NULL DEFAULT 0,
    "failed_delivery_id" UUID,

    CONSTRAINT "context_statistics_changes_pkey" PRIMARY KEY ("environment_id","id")
);

-- CreateIndex
CREATE INDEX "context_statistics_environment_id_granularity_starts_at_idx" ON "context_statistics"("environment_id", "granularity", "starts_at");

-- AddForeignKey
ALTER TABLE "context_statistics" ADD CONSTRAINT "context_statistics_environment_id_fkey" FOREIGN KEY ("environment_id") REFERENCES "environments"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Statistics of contexts. The functions that count messages also insert what has contexts, into a table of its own:
-- processes of the previous version add up the rows of message_statistics_changes without them. What has no context costs
-- nothing but the look at its contexts.
CREATE OR REPLACE FUNCTION count_notifications() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO message_statistics_changes (environment_id, at, workflow_identifier, channel, sent)
  SELECT environment_id, max(created_at), workflow_identifier, 'in_app', count(*)
  FROM after GROUP BY environment_id, workflow_identifier;
  INSERT INTO context_statistics_changes (environment_id, at, contexts, workflow_identifier, channel, sent)
  SELECT environment_id, max(created_at), array_to_string(context_keys, ','), workflow_identifier, 'in_app', count(*)
  FROM after WHERE context_keys <> '{}' GROUP BY environment_id, context_keys, workflow_identifier;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION count_ended_message() RETURNS trigger LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  workflow text := NEW.workflow_identifier;
  keys text[] := NEW.context_keys;
BEGIN
  -- Rows of earlier versions.
  IF workflow IS NULL OR keys IS NULL THEN
    SELECT event.workflow_identifier, event.context_keys INTO workflow, keys
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
  IF keys <> '{}' THEN
    INSERT INTO context_statistics_changes (environment_id, at, contexts, workflow_identifier, channel,
                                            integration_identifier, sent, failed, cancelled, failed_delivery_id)
    VALUES (NEW.environment_id, NEW.updated_at, array_to_string(keys, ','), workflow, NEW.channel,
            NEW.integration_identifier, (NEW.status = 'sent')::int, (NEW.status = 'failed')::int,
            (NEW.status = 'cancelled')::int, CASE WHEN NEW.status = 'failed' THEN NEW.id END);
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION count_failed_attempt() RETURNS trigger LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  message deliveries%ROWTYPE;
  workflow text;
  keys text[];
BEGIN
  SELECT * INTO message FROM deliveries WHERE environment_id = NEW.environment_id AND id = NEW.delivery_id;
  workflow := message.workflow_identifier;
  keys := message.context_keys;
  IF workflow IS NULL OR keys IS NULL THEN
    SELECT event.workflow_identifier, event.context_keys INTO workflow, keys
    FROM step_runs AS step
    JOIN workflow_runs AS run ON run.environment_id = step.environment_id AND run.id = step.run_id
    JOIN events AS event ON event.environment_id = run.environment_id AND event.id = run.event_id
    WHERE step.environment_id = message.environment_id AND step.id = message.step_run_id;
  END IF;
  INSERT INTO message_statistics_changes (environment_id, at, workflow_identifier, channel, integration_identifier,
                                          failed_attempts, failed_delivery_id)
  VALUES (NEW.environment_id, NEW.ended_at, workflow, message.channel, message.integration_identifier, 1, message.id);
  IF keys <> '{}' THEN
    INSERT INTO context_statistics_changes (environment_id, at, contexts, workflow_identifier, channel,
                                            integration_identifier, failed_attempts, failed_delivery_id)
    VALUES (NEW.environment_id, NEW.ended_at, array_to_string(keys, ','), workflow, message.channel,
            message.integration_identifier, 1, message.id);
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION count_step_without_messages() RETURNS trigger LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  workflow text;
  keys text[];
  event uuid;
BEGIN
  SELECT run.workflow_identifier, run.context_keys, run.event_id INTO workflow, keys, event
  FROM workflow_runs AS run WHERE run.environment_id = NEW.environment_id AND run.id = NEW.run_id;
  IF workflow IS NULL OR keys IS NULL THEN
    SELECT one.workflow_identifier, one.context_keys INTO workflow, keys
    FROM events AS one WHERE one.environment_id = NEW.environment_id AND one.id = event;
  END IF;
  INSERT INTO message_statistics_changes (environment_id, at, workflow_identifier, channel, failed, skipped)
  VALUES (NEW.environment_id, NEW.created_at, workflow, NEW.type::text::"Channel", (NEW.status = 'failed')::int,
          (NEW.status = 'skipped')::int);
  IF keys <> '{}' THEN
    INSERT INTO context_statistics_changes (environment_id, at, contexts, workflow_identifier, channel, failed, skipped)
    VALUES (NEW.environment_id, NEW.created_at, array_to_string(keys, ','), workflow, NEW.type::text::"Channel",
            (NEW.status = 'failed')::int, (NEW.status = 'skipped')::int);
  END IF;
  RETURN NULL;
END $$;
