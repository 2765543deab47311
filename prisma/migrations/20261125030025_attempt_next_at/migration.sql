-- AlterTable
ALTER TABLE "delivery_attempts" ADD COLUMN     "next_at" TIMESTAMPTZ(3);
