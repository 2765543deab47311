-- CreateEnum
CREATE TYPE "StepType" AS ENUM ('in_app', 'email', 'sms', 'chat', 'push', 'tool', 'delay', 'digest');

-- CreateEnum
CREATE TYPE "RunStatus" AS ENUM ('running', 'waiting', 'completed', 'failed', 'cancelled');

-- CreateEnum
CREATE TYPE "StepStatus" AS ENUM ('waiting', 'completed', 'merged', 'skipped', 'sending', 'sent', 'failed', 'cancelled');

-- CreateEnum
CREATE TYPE "DeliveryStatus" AS ENUM ('pending', 'sent', 'failed', 'cancelled');

-- AlterTable
ALTER TABLE "events" ADD COLUMN     "workflow" JSONB NOT NULL DEFAULT '{}';

-- AlterTable
ALTER TABLE "workflows" ADD COLUMN     "active" BOOLEAN NOT NULL DEFAULT true,
ADD COLUMN     "channels" JSONB NOT NULL DEFAULT '{}',
ADD COLUMN     "payload_schema" JSONB,
ADD COLUMN     "steps" JSONB NOT NULL DEFAULT '[]';

-- CreateTable
CREATE TABLE "workflow_runs" (
    "environment_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "event_id" UUID NOT NULL,
    "subscriber_id" TEXT NOT NULL,
    "status" "RunStatus" NOT NULL,
    "position" INTEGER NOT NULL,
    "error" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "workflow_runs_pkey" PRIMARY KEY ("environment_id","id")
);

-- CreateTable
CREATE TABLE "step_runs" (
    "environment_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "run_id" UUID NOT NULL,
    "position" INTEGER NOT NULL,
    "step_id" TEXT NOT NULL,
    "type" "StepType" NOT NULL,
    "status" "StepStatus" NOT NULL,
    "reason" TEXT,
    "detail" TEXT,
    "due_at" TIMESTAMPTZ(3),
    "digest_key" TEXT,
    "merged_into_id" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "step_runs_pkey" PRIMARY KEY ("environment_id","id")
);

-- CreateTable
CREATE TABLE "deliveries" (
    "environment_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "step_run_id" UUID NOT NULL,
    "channel" "Channel" NOT NULL,
    "provider_id" TEXT NOT NULL,
    "integration_identifier" TEXT NOT NULL,
    "target" JSONB NOT NULL,
    "content" JSONB NOT NULL,
    "status" "DeliveryStatus" NOT NULL,
    "tries" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "deliveries_pkey" PRIMARY KEY ("environment_id","id")
);

-- CreateTable
CREATE TABLE "delivery_attempts" (
    "environment_id" UUID NOT NULL,
    "delivery_id" UUID NOT NULL,
    "number" INTEGER NOT NULL,
    "error" TEXT,
    "status" INTEGER,
    "answer" TEXT,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "ended_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "delivery_attempts_pkey" PRIMARY KEY ("environment_id","delivery_id","number")
);

-- CreateTable
CREATE TABLE "notifications" (
    "environment_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "subscriber_id" TEXT NOT NULL,
    "context_keys" TEXT[],
    "event_id" UUID NOT NULL,
    "step_run_id" UUID NOT NULL,
    "workflow_identifier" TEXT NOT NULL,
    "subject" TEXT,
    "body" TEXT NOT NULL,
    "avatar" TEXT,
    "url" TEXT,
    "actions" JSONB NOT NULL,
    "data" JSONB NOT NULL,
    "severity" "Severity" NOT NULL,
    "tags" TEXT[],
    "seen_at" TIMESTAMPTZ(3),
    "read_at" TIMESTAMPTZ(3),
    "archived_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "notifications_pkey" PRIMARY KEY ("environment_id","id")
);

-- CreateIndex
CREATE INDEX "workflow_runs_environment_id_event_id_created_at_id_idx" ON "workflow_runs"("environment_id", "event_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "workflow_runs_environment_id_subscriber_id_created_at_id_idx" ON "workflow_runs"("environment_id", "subscriber_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "workflow_runs_environment_id_status_created_at_id_idx" ON "workflow_runs"("environment_id", "status", "created_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "workflow_runs_environment_id_event_id_subscriber_id_key" ON "workflow_runs"("environment_id", "event_id", "subscriber_id");

-- CreateIndex
CREATE INDEX "step_runs_environment_id_merged_into_id_created_at_id_idx" ON "step_runs"("environment_id", "merged_into_id", "created_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "step_runs_environment_id_run_id_position_key" ON "step_runs"("environment_id", "run_id", "position");

-- CreateIndex
CREATE INDEX "deliveries_environment_id_step_run_id_idx" ON "deliveries"("environment_id", "step_run_id");

-- CreateIndex
CREATE INDEX "deliveries_environment_id_created_at_id_idx" ON "deliveries"("environment_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "deliveries_environment_id_updated_at_id_idx" ON "deliveries"("environment_id", "updated_at", "id");

-- CreateIndex
CREATE INDEX "deliveries_environment_id_status_created_at_id_idx" ON "deliveries"("environment_id", "status", "created_at", "id");

-- CreateIndex
CREATE INDEX "notifications_environment_id_subscriber_id_context_keys_cre_idx" ON "notifications"("environment_id", "subscriber_id", "context_keys", "created_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "notifications_environment_id_step_run_id_key" ON "notifications"("environment_id", "step_run_id");

-- AddForeignKey
ALTER TABLE "workflow_runs" ADD CONSTRAINT "workflow_runs_environment_id_event_id_fkey" FOREIGN KEY ("environment_id", "event_id") REFERENCES "events"("environment_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "workflow_runs" ADD CONSTRAINT "workflow_runs_environment_id_subscriber_id_fkey" FOREIGN KEY ("environment_id", "subscriber_id") REFERENCES "subscribers"("environment_id", "subscriber_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "step_runs" ADD CONSTRAINT "step_runs_environment_id_run_id_fkey" FOREIGN KEY ("environment_id", "run_id") REFERENCES "workflow_runs"("environment_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "deliveries" ADD CONSTRAINT "deliveries_environment_id_step_run_id_fkey" FOREIGN KEY ("environment_id", "step_run_id") REFERENCES "step_runs"("environment_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "delivery_attempts" ADD CONSTRAINT "delivery_attempts_environment_id_delivery_id_fkey" FOREIGN KEY ("environment_id", "delivery_id") REFERENCES "deliveries"("environment_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "notifications" ADD CONSTRAINT "notifications_environment_id_subscriber_id_fkey" FOREIGN KEY ("environment_id", "subscriber_id") REFERENCES "subscribers"("environment_id", "subscriber_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- One digest at a time waits under a key. Prisma cannot say a partial index.
CREATE UNIQUE INDEX "step_runs_waiting_digest_key" ON "step_runs"("environment_id", "digest_key") WHERE "status" = 'waiting' AND "digest_key" IS NOT NULL;

-- What a badge counts and the first pages show, without reading a feed of years.
CREATE INDEX "notifications_unread_idx" ON "notifications"("environment_id", "subscriber_id", "context_keys", "created_at", "id") WHERE "read_at" IS NULL AND "archived_at" IS NULL;
CREATE INDEX "notifications_unseen_idx" ON "notifications"("environment_id", "subscriber_id", "context_keys", "created_at", "id") WHERE "seen_at" IS NULL AND "archived_at" IS NULL;
