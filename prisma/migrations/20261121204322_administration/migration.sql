-- AlterEnum
ALTER TYPE "ApiKeyAccess" ADD VALUE 'admin';

-- AlterTable
ALTER TABLE "environments" ADD COLUMN     "creator_id" UUID;

-- CreateIndex
CREATE INDEX "environments_creator_id_idx" ON "environments"("creator_id");

-- AddForeignKey
ALTER TABLE "environments" ADD CONSTRAINT "environments_creator_id_fkey" FOREIGN KEY ("creator_id") REFERENCES "environments"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- Nobody recorded which key created an environment: the parent is the closest. The oldest production environment was
-- created by the first start, and gets the ADMIN key: a key of Development must not administer it.
UPDATE "environments" SET "creator_id" = "parent_id"
WHERE "id" NOT IN (
  SELECT DISTINCT ON ("organization_id") "id" FROM "environments"
  WHERE "type" = 'prod' ORDER BY "organization_id", "created_at", "id"
);
