-- AlterTable
ALTER TABLE "jobs" ADD COLUMN     "held_by" UUID;

-- CreateTable
CREATE TABLE "pauses" (
    "environment_id" UUID NOT NULL,
    "target_id" UUID NOT NULL,
    "integration_id" UUID,
    "workflow_id" UUID,
    "paused_by" TEXT NOT NULL,
    "reason" TEXT,
    "paused_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "pauses_pkey" PRIMARY KEY ("environment_id","target_id")
);

-- CreateIndex
CREATE INDEX "pauses_environment_id_integration_id_idx" ON "pauses"("environment_id", "integration_id");

-- CreateIndex
CREATE INDEX "pauses_environment_id_workflow_id_idx" ON "pauses"("environment_id", "workflow_id");

-- AddForeignKey
ALTER TABLE "pauses" ADD CONSTRAINT "pauses_environment_id_fkey" FOREIGN KEY ("environment_id") REFERENCES "environments"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "pauses" ADD CONSTRAINT "pauses_environment_id_integration_id_fkey" FOREIGN KEY ("environment_id", "integration_id") REFERENCES "integrations"("environment_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "pauses" ADD CONSTRAINT "pauses_environment_id_workflow_id_fkey" FOREIGN KEY ("environment_id", "workflow_id") REFERENCES "workflows"("environment_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;
