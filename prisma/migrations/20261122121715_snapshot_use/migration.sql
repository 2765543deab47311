-- AlterTable
ALTER TABLE "workflow_snapshots" ADD COLUMN     "last_used_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP;
