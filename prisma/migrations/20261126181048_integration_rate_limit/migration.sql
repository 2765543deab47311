-- The number of messages that an integration may send in an interval. Both columns are null without a limit.
-- CreateEnum
CREATE TYPE "RateUnit" AS ENUM ('second', 'minute', 'hour', 'day');

-- AlterTable
ALTER TABLE "integrations" ADD COLUMN     "rate_messages" INTEGER,
ADD COLUMN     "rate_unit" "RateUnit";
