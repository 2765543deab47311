-- CreateEnum
CREATE TYPE "RunOutcome" AS ENUM ('pending', 'delivered', 'failed', 'nothing');

-- AlterTable: the runs that exist have no outcome until it is computed, new ones are pending.
ALTER TABLE "workflow_runs" ADD COLUMN     "outcome" "RunOutcome",
ADD COLUMN     "reason" TEXT,
ADD COLUMN     "reason_step_id" TEXT;
ALTER TABLE "workflow_runs" ALTER COLUMN "outcome" SET DEFAULT 'pending';

-- AlterTable
ALTER TABLE "event_tallies" ADD COLUMN     "outcome_pending" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "outcome_delivered" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "outcome_failed" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "outcome_nothing" INTEGER NOT NULL DEFAULT 0;

-- CreateTable
CREATE TABLE "event_outcomes" (
    "environment_id" UUID NOT NULL,
    "event_id" UUID NOT NULL,
    "outcome" "RunOutcome" NOT NULL,
    "reason" TEXT NOT NULL,
    "runs" INTEGER NOT NULL,

    CONSTRAINT "event_outcomes_pkey" PRIMARY KEY ("environment_id","event_id","outcome","reason")
);

-- CreateTable
CREATE TABLE "event_outcome_changes" (
    "environment_id" UUID NOT NULL,
    "event_id" UUID NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "outcome" "RunOutcome" NOT NULL,
    "reason" TEXT NOT NULL,
    "runs" INTEGER NOT NULL,

    CONSTRAINT "event_outcome_changes_pkey" PRIMARY KEY ("environment_id","event_id","id")
);

-- AddForeignKey
ALTER TABLE "event_outcomes" ADD CONSTRAINT "event_outcomes_environment_id_event_id_fkey" FOREIGN KEY ("environment_id", "event_id") REFERENCES "events"("environment_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- The outcome of a run, as its status and its steps decide it: the first of these rows. A message in delivery or an
-- unfinished run comes first, because something may still arrive, then what arrived, what failed, and what ended without
-- a message. Neither a missing integration nor a failure is the recipient's own doing, so both count as failed.
CREATE FUNCTION run_outcome(environment uuid, run uuid, status "RunStatus", error text, changed timestamptz)
RETURNS TABLE (outcome "RunOutcome", reason text, reason_step_id text, decided timestamptz) LANGUAGE sql STABLE AS $$
  SELECT (CASE WHEN rank <= 1 THEN 'pending' WHEN rank = 2 THEN 'delivered' WHEN rank <= 4 THEN 'failed'
               ELSE 'nothing' END)::"RunOutcome",
         CASE WHEN rank > 2 THEN decisive.reason END, CASE WHEN rank > 2 THEN step_id END, at
  FROM (
    SELECT CASE WHEN $3 IN ('running', 'waiting') THEN 0 WHEN $3 = 'failed' THEN 4 WHEN $3 = 'cancelled' THEN 5
                ELSE 9 END AS rank,
           CASE WHEN $3 = 'failed' THEN 'run_failed' WHEN $3 <> 'cancelled' THEN 'no_message_step'
                WHEN $4 IS NULL THEN 'cancelled' ELSE 'subscriber_deleted' END AS reason,
           NULL AS step_id, $5 AS at, 2147483647 AS position
    UNION ALL
    SELECT CASE WHEN step.status = 'sending' THEN 1 WHEN step.status = 'sent' THEN 2
                WHEN step.status = 'failed' OR step.reason = 'no_integration' THEN 3
                WHEN step.status = 'cancelled' THEN 5 WHEN step.status = 'merged' THEN 6
                WHEN step.status <> 'skipped' OR step.type IN ('delay', 'digest') THEN 10
                WHEN step.reason = 'step_inactive' THEN 8 ELSE 7 END,
           CASE WHEN step.status = 'merged' THEN 'merged' ELSE step.reason END,
           step.step_id, step.updated_at, step.position
    FROM step_runs AS step
    WHERE step.environment_id = $1 AND step.run_id = $2 AND $3 NOT IN ('running', 'waiting')
  ) AS decisive
  ORDER BY rank, position LIMIT 1
$$;

-- Writes the outcomes of runs that have changed. Planned once per connection, perhaps while the tables are empty: only the
-- primary keys stay fast as they grow.
CREATE FUNCTION settle_runs(environments uuid[], runs uuid[]) RETURNS void LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  UPDATE workflow_runs AS run
  SET outcome = settled.outcome, reason = settled.reason, reason_step_id = settled.reason_step_id,
      updated_at = greatest(run.updated_at, settled.decided)
  FROM (
    SELECT one.environment_id, one.id, ended.*
    FROM unnest(environments, runs) AS given(environment_id, id)
    JOIN workflow_runs AS one ON one.environment_id = given.environment_id AND one.id = given.id
    CROSS JOIN LATERAL run_outcome(one.environment_id, one.id, one.status, one.error, one.updated_at) AS ended
    WHERE (one.outcome, one.reason, one.reason_step_id) IS DISTINCT FROM
          (ended.outcome, ended.reason, ended.reason_step_id)
  ) AS settled
  WHERE run.environment_id = settled.environment_id AND run.id = settled.id;
END $$;

-- Whatever changes a step or the status of a run also writes the outcome of the run, whichever version of the program
-- it belongs to.
CREATE FUNCTION settle_runs_of_new_steps() RETURNS trigger LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  -- Most new steps are part of what their run is expected to be: unfinished, in delivery, or delivered.
  PERFORM settle_runs(array_agg(changed.environment_id), array_agg(changed.run_id))
  FROM (
    SELECT environment_id, run_id, bool_or(status = 'sending') AS sending, bool_or(status = 'sent') AS sent
    FROM after GROUP BY environment_id, run_id
  ) AS changed
  JOIN workflow_runs AS run ON run.environment_id = changed.environment_id AND run.id = changed.run_id
  WHERE NOT coalesce(CASE run.outcome WHEN 'pending' THEN run.status IN ('running', 'waiting') OR sending
                                      WHEN 'delivered' THEN sent AND NOT sending END, false)
  HAVING count(*) > 0;
  RETURN NULL;
END $$;

CREATE FUNCTION settle_runs_of_changed_steps() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM settle_runs(array_agg(environment_id), array_agg(run_id))
  FROM (
    SELECT DISTINCT environment_id, run_id FROM (
      SELECT environment_id, run_id, id, status, reason FROM after
      EXCEPT SELECT environment_id, run_id, id, status, reason FROM before
    ) AS step
  ) AS changed HAVING count(*) > 0;
  RETURN NULL;
END $$;

CREATE FUNCTION settle_changed_runs() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM settle_runs(array_agg(environment_id), array_agg(id))
  FROM (
    SELECT environment_id, id, status FROM after EXCEPT SELECT environment_id, id, status FROM before
  ) AS changed HAVING count(*) > 0;
  RETURN NULL;
END $$;

-- Counts. Each statement that creates runs or changes their outcomes also inserts what it changed in the numbers of
-- their events.
CREATE FUNCTION count_new_outcomes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO event_outcome_changes (environment_id, event_id, outcome, reason, runs)
  SELECT environment_id, event_id, outcome, coalesce(reason, ''), count(*)
  FROM after WHERE outcome IS NOT NULL GROUP BY environment_id, event_id, outcome, coalesce(reason, '');
  RETURN NULL;
END $$;

CREATE FUNCTION count_changed_outcomes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO event_outcome_changes (environment_id, event_id, outcome, reason, runs)
  SELECT environment_id, event_id, outcome, coalesce(reason, ''), sum(sign)
  FROM (SELECT environment_id, event_id, outcome, reason, -1 AS sign FROM before
        UNION ALL SELECT environment_id, event_id, outcome, reason, 1 FROM after) AS change
  WHERE outcome IS NOT NULL GROUP BY environment_id, event_id, outcome, coalesce(reason, '') HAVING sum(sign) <> 0;
  RETURN NULL;
END $$;

CREATE TRIGGER settle_new AFTER INSERT ON step_runs
  REFERENCING NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION settle_runs_of_new_steps();
CREATE TRIGGER settle_changed AFTER UPDATE ON step_runs
  REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION settle_runs_of_changed_steps();
-- Not after the statement of settle_runs itself, which changes no status.
CREATE TRIGGER settle_changed AFTER UPDATE ON workflow_runs
  REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT WHEN (pg_trigger_depth() = 0)
  EXECUTE FUNCTION settle_changed_runs();
CREATE TRIGGER count_new_outcomes AFTER INSERT ON workflow_runs
  REFERENCING NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION count_new_outcomes();
CREATE TRIGGER count_changed_outcomes AFTER UPDATE ON workflow_runs
  REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION count_changed_outcomes();
