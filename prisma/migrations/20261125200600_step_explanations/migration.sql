-- AlterTable
ALTER TABLE "step_runs" ADD COLUMN     "named_id" UUID,
ADD COLUMN     "notification_deleted_at" TIMESTAMPTZ(3);
