-- CreateEnum
CREATE TYPE "StatisticsInterval" AS ENUM ('minute', 'hour', 'day');

-- CreateEnum
CREATE TYPE "StatisticsDimension" AS ENUM ('total', 'workflow', 'integration');

-- CreateTable
CREATE TABLE "message_statistics" (
    "environment_id" UUID NOT NULL,
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

    CONSTRAINT "message_statistics_pkey" PRIMARY KEY ("environment_id","granularity","dimension","starts_at","name","channel")
);

-- CreateTable
CREATE TABLE "message_statistics_changes" (
    "environment_id" UUID NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "workflow_identifier" TEXT NOT NULL,
    "channel" "Channel" NOT NULL,
    "integration_identifier" TEXT NOT NULL DEFAULT '',
    "sent" INTEGER NOT NULL DEFAULT 0,
    "failed" INTEGER NOT NULL DEFAULT 0,
    "cancelled" INTEGER NOT NULL DEFAULT 0,
    "skipped" INTEGER NOT NULL DEFAULT 0,
    "failed_attempts" INTEGER NOT NULL DEFAULT 0,
    "failed_delivery_id" UUID,

    CONSTRAINT "message_statistics_changes_pkey" PRIMARY KEY ("environment_id","id")
);

-- AddForeignKey
ALTER TABLE "message_statistics" ADD CONSTRAINT "message_statistics_environment_id_fkey" FOREIGN KEY ("environment_id") REFERENCES "environments"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Statistics. Whatever ends a message also inserts its outcome, at the time of the change. A message that fails, is retried
-- and sent counts as failed and as sent. Changes of other columns insert nothing.
CREATE FUNCTION count_notifications() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO message_statistics_changes (environment_id, at, workflow_identifier, channel, sent)
  SELECT environment_id, max(created_at), workflow_identifier, 'in_app', count(*)
  FROM after GROUP BY environment_id, workflow_identifier;
  RETURN NULL;
END $$;

-- Planned once per connection, perhaps while the tables are empty: only the primary keys stay fast as they grow.
CREATE FUNCTION count_ended_message() RETURNS trigger LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  INSERT INTO message_statistics_changes (environment_id, at, workflow_identifier, channel, integration_identifier, sent,
                                          failed, cancelled, failed_delivery_id)
  SELECT NEW.environment_id, NEW.updated_at, event.workflow_identifier, NEW.channel, NEW.integration_identifier,
         (NEW.status = 'sent')::int, (NEW.status = 'failed')::int, (NEW.status = 'cancelled')::int,
         CASE WHEN NEW.status = 'failed' THEN NEW.id END
  FROM step_runs AS step
  JOIN workflow_runs AS run ON run.environment_id = step.environment_id AND run.id = step.run_id
  JOIN events AS event ON event.environment_id = run.environment_id AND event.id = run.event_id
  WHERE step.environment_id = NEW.environment_id AND step.id = NEW.step_run_id;
  RETURN NULL;
END $$;

CREATE FUNCTION count_failed_attempt() RETURNS trigger LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  INSERT INTO message_statistics_changes (environment_id, at, workflow_identifier, channel, integration_identifier,
                                          failed_attempts, failed_delivery_id)
  SELECT NEW.environment_id, NEW.ended_at, event.workflow_identifier, delivery.channel, delivery.integration_identifier,
         1, delivery.id
  FROM deliveries AS delivery
  JOIN step_runs AS step ON step.environment_id = delivery.environment_id AND step.id = delivery.step_run_id
  JOIN workflow_runs AS run ON run.environment_id = step.environment_id AND run.id = step.run_id
  JOIN events AS event ON event.environment_id = run.environment_id AND event.id = run.event_id
  WHERE delivery.environment_id = NEW.environment_id AND delivery.id = NEW.delivery_id;
  RETURN NULL;
END $$;

CREATE FUNCTION count_step_without_messages() RETURNS trigger LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  INSERT INTO message_statistics_changes (environment_id, at, workflow_identifier, channel, failed, skipped)
  SELECT NEW.environment_id, NEW.created_at, event.workflow_identifier, NEW.type::text::"Channel",
         (NEW.status = 'failed')::int, (NEW.status = 'skipped')::int
  FROM workflow_runs AS run
  JOIN events AS event ON event.environment_id = run.environment_id AND event.id = run.event_id
  WHERE run.environment_id = NEW.environment_id AND run.id = NEW.run_id;
  RETURN NULL;
END $$;

CREATE TRIGGER count_new AFTER INSERT ON notifications
  REFERENCING NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION count_notifications();
CREATE TRIGGER count_ended AFTER UPDATE ON deliveries FOR EACH ROW
  WHEN (OLD.status <> NEW.status AND NEW.status <> 'pending') EXECUTE FUNCTION count_ended_message();
CREATE TRIGGER count_failed AFTER INSERT ON delivery_attempts FOR EACH ROW
  WHEN (NEW.error IS NOT NULL) EXECUTE FUNCTION count_failed_attempt();
CREATE TRIGGER count_unsent AFTER INSERT ON step_runs FOR EACH ROW
  WHEN (NEW.status IN ('skipped', 'failed') AND NEW.type NOT IN ('delay', 'digest'))
  EXECUTE FUNCTION count_step_without_messages();
