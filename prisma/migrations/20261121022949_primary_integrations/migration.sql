-- AlterTable
ALTER TABLE "integrations" ADD COLUMN     "conditions" JSONB,
ADD COLUMN     "primary" BOOLEAN NOT NULL DEFAULT false;

-- A channel has at most one primary integration. Prisma's schema has no words for such an index.
CREATE UNIQUE INDEX "integrations_primary_key" ON "integrations"("environment_id", "channel") WHERE "primary";
