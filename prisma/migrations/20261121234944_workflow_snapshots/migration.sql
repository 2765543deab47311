-- CreateTable
CREATE TABLE "workflow_snapshots" (
    "environment_id" UUID NOT NULL,
    "hash" TEXT NOT NULL,
    "workflow" JSONB NOT NULL,

    CONSTRAINT "workflow_snapshots_pkey" PRIMARY KEY ("environment_id","hash")
);

-- AddForeignKey
ALTER TABLE "workflow_snapshots" ADD CONSTRAINT "workflow_snapshots_environment_id_fkey" FOREIGN KEY ("environment_id") REFERENCES "environments"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AlterTable
ALTER TABLE "events" ADD COLUMN "snapshot_hash" TEXT;

-- Every event had a copy of its workflow. The gateway hashes another text of the same content, so a version of a workflow
-- that is triggered again has a second snapshot.
UPDATE "events" SET "snapshot_hash" = encode(sha256(convert_to("workflow"::text, 'UTF8')), 'hex');

INSERT INTO "workflow_snapshots" ("environment_id", "hash", "workflow")
SELECT DISTINCT ON ("environment_id", "snapshot_hash") "environment_id", "snapshot_hash", "workflow" FROM "events";

-- AlterTable
ALTER TABLE "events" ALTER COLUMN "snapshot_hash" SET NOT NULL, DROP COLUMN "workflow";
