-- AlterTable
ALTER TABLE "deliveries" ADD COLUMN     "expires_at" TIMESTAMPTZ(3),
ADD COLUMN     "time_limit" INTEGER,
ADD COLUMN     "time_limit_at" TIMESTAMPTZ(3);
