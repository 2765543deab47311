-- AlterTable
ALTER TABLE "workflow_runs" ADD COLUMN     "retried_at" TIMESTAMPTZ(3),
ADD COLUMN     "snapshot_hash" TEXT;

-- AlterTable
ALTER TABLE "step_runs" ADD COLUMN     "is_repeated" BOOLEAN NOT NULL DEFAULT false;
