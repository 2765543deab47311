-- CreateEnum
CREATE TYPE "UnprocessedTriggerKind" AS ENUM ('repeated', 'rejected');

-- CreateTable
CREATE TABLE "unprocessed_triggers" (
    "environment_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "kind" "UnprocessedTriggerKind" NOT NULL,
    "fingerprint" TEXT NOT NULL,
    "workflow_identifier" TEXT,
    "transaction_id" TEXT,
    "recipients" JSONB NOT NULL,
    "recipient_count" INTEGER NOT NULL,
    "code" TEXT,
    "errors" JSONB NOT NULL,
    "api_key_id" UUID,
    "event_id" UUID,
    "count" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "unprocessed_triggers_pkey" PRIMARY KEY ("environment_id","id")
);

-- CreateIndex
CREATE INDEX "unprocessed_triggers_environment_id_created_at_id_idx" ON "unprocessed_triggers"("environment_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "unprocessed_triggers_environment_id_updated_at_id_idx" ON "unprocessed_triggers"("environment_id", "updated_at", "id");

-- CreateIndex
CREATE INDEX "unprocessed_triggers_environment_id_event_id_created_at_id_idx" ON "unprocessed_triggers"("environment_id", "event_id", "created_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "unprocessed_triggers_environment_id_fingerprint_key" ON "unprocessed_triggers"("environment_id", "fingerprint");

-- AddForeignKey
ALTER TABLE "unprocessed_triggers" ADD CONSTRAINT "unprocessed_triggers_environment_id_fkey" FOREIGN KEY ("environment_id") REFERENCES "environments"("id") ON DELETE CASCADE ON UPDATE CASCADE;
