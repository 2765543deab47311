-- Constant defaults: no row is rewritten.
ALTER TABLE "jobs" ADD COLUMN "priority" SMALLINT NOT NULL DEFAULT 1,
ADD COLUMN "integration_id" UUID NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000'::uuid;
