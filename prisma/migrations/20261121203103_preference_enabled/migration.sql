-- AlterTable
ALTER TABLE "subscriber_preferences" ALTER COLUMN "enabled" DROP NOT NULL;

-- Until now a row for one workflow always had a value, and true meant the same as no choice.
UPDATE "subscriber_preferences" SET "enabled" = NULL WHERE "enabled" AND "workflow_id" IS NOT NULL;
