-- AlterTable
ALTER TABLE "contexts" ADD COLUMN     "last_used_at" TIMESTAMPTZ(3);
