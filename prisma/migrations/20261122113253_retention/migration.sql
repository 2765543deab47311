-- AlterTable
ALTER TABLE "environments" ADD COLUMN     "feed_retention_days" INTEGER,
ADD COLUMN     "retention_days" INTEGER;

-- AlterTable
ALTER TABLE "organizations" ADD COLUMN     "feed_retention_days" INTEGER,
ADD COLUMN     "retention_days" INTEGER;

-- CreateTable
CREATE TABLE "sweeps" (
    "name" TEXT NOT NULL,
    "holder" UUID NOT NULL,
    "available_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "sweeps_pkey" PRIMARY KEY ("name")
);
