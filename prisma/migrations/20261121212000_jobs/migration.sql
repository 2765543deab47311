-- CreateEnum
CREATE TYPE "JobQueue" AS ENUM ('fan_out', 'advance', 'deliver');

-- CreateTable
CREATE TABLE "jobs" (
    "environment_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "queue" "JobQueue" NOT NULL,
    "data" JSONB NOT NULL,
    "due_at" TIMESTAMPTZ(3) NOT NULL,
    "available_at" TIMESTAMPTZ(3) NOT NULL,
    "attempt_count" INTEGER NOT NULL DEFAULT 0,
    "digest_workflow_id" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "jobs_pkey" PRIMARY KEY ("environment_id","id")
);

-- AddForeignKey
ALTER TABLE "jobs" ADD CONSTRAINT "jobs_environment_id_fkey" FOREIGN KEY ("environment_id") REFERENCES "environments"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- What Prisma's schema cannot say: the next job of each environment, and the jobs that may still reach a digest.
CREATE INDEX "jobs_work_idx" ON "jobs"("environment_id", "available_at", "id") WHERE "queue" <> 'deliver';
CREATE INDEX "jobs_deliver_idx" ON "jobs"("environment_id", "available_at", "id") WHERE "queue" = 'deliver';
CREATE INDEX "jobs_digest_idx" ON "jobs"("environment_id", "digest_workflow_id", "due_at") WHERE "digest_workflow_id" IS NOT NULL;

-- The unfinished jobs of pg-boss, which had the queue before. Upgrading stops all processes, so no job is in progress.
DO $$
BEGIN
  IF to_regclass('pgboss.job') IS NOT NULL THEN
    EXECUTE $move$
      INSERT INTO "jobs" ("environment_id", "id", "queue", "data", "due_at", "available_at", "created_at")
      SELECT "environments"."id", job.id, replace(job.name, '-', '_')::"JobQueue", job.data - 'environmentId',
             job.start_after, CASE WHEN job.state::text = 'active' THEN now() ELSE job.start_after END, job.created_on
      FROM pgboss.job
      JOIN "environments" ON "environments"."id"::text = job.data ->> 'environmentId'
      WHERE job.name IN ('fan-out', 'advance', 'deliver') AND job.state::text IN ('created', 'retry', 'active')
    $move$;
    DROP SCHEMA pgboss CASCADE;
  END IF;
END $$;
