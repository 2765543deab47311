-- A deleted environment belongs to no organization until its rows are deleted.
-- AlterTable
ALTER TABLE "environments" ALTER COLUMN "organization_id" DROP NOT NULL;
