-- CreateTable
CREATE TABLE "channel_connections" (
    "environment_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "identifier" TEXT NOT NULL,
    "channel" "Channel" NOT NULL,
    "provider_id" TEXT NOT NULL,
    "integration_identifier" TEXT NOT NULL,
    "subscriber_id" TEXT,
    "context_keys" TEXT[],
    "workspace_id" TEXT NOT NULL,
    "workspace_name" TEXT,
    "bot_user_id" TEXT,
    "secret" TEXT NOT NULL,
    "expires_at" TIMESTAMPTZ(3),
    "refresh_token_expires_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "channel_connections_pkey" PRIMARY KEY ("environment_id","id")
);

-- CreateIndex
CREATE INDEX "channel_connections_environment_id_created_at_id_idx" ON "channel_connections"("environment_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "channel_connections_environment_id_updated_at_id_idx" ON "channel_connections"("environment_id", "updated_at", "id");

-- CreateIndex
CREATE INDEX "channel_connections_environment_id_context_keys_created_at__idx" ON "channel_connections"("environment_id", "context_keys", "created_at", "id");

-- CreateIndex
CREATE INDEX "channel_connections_environment_id_subscriber_id_created_at_idx" ON "channel_connections"("environment_id", "subscriber_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "channel_connections_environment_id_integration_identifier_c_idx" ON "channel_connections"("environment_id", "integration_identifier", "created_at", "id");

-- CreateIndex
CREATE INDEX "channel_connections_environment_id_channel_created_at_id_idx" ON "channel_connections"("environment_id", "channel", "created_at", "id");

-- CreateIndex
CREATE INDEX "channel_connections_environment_id_provider_id_created_at_i_idx" ON "channel_connections"("environment_id", "provider_id", "created_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "channel_connections_environment_id_identifier_key" ON "channel_connections"("environment_id", "identifier");

-- AddForeignKey
ALTER TABLE "channel_connections" ADD CONSTRAINT "channel_connections_environment_id_subscriber_id_fkey" FOREIGN KEY ("environment_id", "subscriber_id") REFERENCES "subscribers"("environment_id", "subscriber_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "channel_connections" ADD CONSTRAINT "channel_connections_environment_id_integration_identifier_fkey" FOREIGN KEY ("environment_id", "integration_identifier") REFERENCES "integrations"("environment_id", "identifier") ON DELETE CASCADE ON UPDATE CASCADE;

-- The order by identifier.
CREATE INDEX "channel_connections_sorted_identifier_idx" ON "channel_connections"("environment_id", (left(lower("identifier"), 200) COLLATE "C"), "id");

CREATE TRIGGER increment_version BEFORE UPDATE ON "channel_connections"
FOR EACH ROW WHEN (OLD.* IS DISTINCT FROM NEW.*) EXECUTE FUNCTION increment_version();
