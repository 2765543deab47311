-- CreateTable
CREATE TABLE "subscriber_preferences" (
    "environment_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "subscriber_id" TEXT NOT NULL,
    "context_keys" TEXT[],
    "workflow_id" UUID,
    "enabled" BOOLEAN NOT NULL,
    "channels" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "subscriber_preferences_pkey" PRIMARY KEY ("environment_id","id")
);

-- CreateTable
CREATE TABLE "events" (
    "environment_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "transaction_id" TEXT NOT NULL,
    "workflow_identifier" TEXT NOT NULL,
    "recipients" JSONB NOT NULL,
    "payload" JSONB NOT NULL,
    "overrides" JSONB NOT NULL,
    "actor" TEXT,
    "context_keys" TEXT[],
    "cancelled_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "events_pkey" PRIMARY KEY ("environment_id","id")
);

-- CreateIndex
CREATE INDEX "subscriber_preferences_environment_id_workflow_id_idx" ON "subscriber_preferences"("environment_id", "workflow_id");

-- CreateIndex
CREATE UNIQUE INDEX "subscriber_preferences_row_key" ON "subscriber_preferences"("environment_id", "subscriber_id", "context_keys", "workflow_id");

-- CreateIndex
CREATE INDEX "events_environment_id_created_at_id_idx" ON "events"("environment_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "events_environment_id_updated_at_id_idx" ON "events"("environment_id", "updated_at", "id");

-- CreateIndex
CREATE INDEX "events_environment_id_workflow_identifier_created_at_id_idx" ON "events"("environment_id", "workflow_identifier", "created_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "events_environment_id_transaction_id_key" ON "events"("environment_id", "transaction_id");

-- AddForeignKey
ALTER TABLE "subscriber_preferences" ADD CONSTRAINT "subscriber_preferences_environment_id_subscriber_id_fkey" FOREIGN KEY ("environment_id", "subscriber_id") REFERENCES "subscribers"("environment_id", "subscriber_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "subscriber_preferences" ADD CONSTRAINT "subscriber_preferences_environment_id_workflow_id_fkey" FOREIGN KEY ("environment_id", "workflow_id") REFERENCES "workflows"("environment_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "events" ADD CONSTRAINT "events_environment_id_fkey" FOREIGN KEY ("environment_id") REFERENCES "environments"("id") ON DELETE CASCADE ON UPDATE CASCADE;
