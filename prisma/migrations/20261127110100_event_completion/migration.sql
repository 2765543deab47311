-- AlterTable
ALTER TABLE "event_tallies" ADD COLUMN     "completed_at" TIMESTAMPTZ(3);
