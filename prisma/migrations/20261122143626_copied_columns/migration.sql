-- AlterTable
ALTER TABLE "deliveries" ADD COLUMN     "event_id" UUID,
ADD COLUMN     "subscriber_id" TEXT,
ADD COLUMN     "workflow_identifier" TEXT;

-- AlterTable
ALTER TABLE "event_tallies" ADD COLUMN     "created_at" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "workflow_runs" ADD COLUMN     "event_created_at" TIMESTAMPTZ(3),
ADD COLUMN     "workflow_identifier" TEXT;
