-- CreateEnum
CREATE TYPE "WebhookDeliveryStatus" AS ENUM ('pending', 'succeeded', 'failed');

-- CreateTable
CREATE TABLE "webhook_subscriptions" (
    "environment_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "identifier" TEXT NOT NULL,
    "url" TEXT NOT NULL,
    "description" TEXT,
    "event_types" TEXT[],
    "active" BOOLEAN NOT NULL,
    "disabled_reason" TEXT,
    "include_content" BOOLEAN NOT NULL DEFAULT false,
    "every_context" BOOLEAN NOT NULL DEFAULT true,
    "context_keys" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "secret" TEXT NOT NULL,
    "former_secret" TEXT,
    "former_secret_until" TIMESTAMPTZ(3),
    "failing_since" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "webhook_subscriptions_pkey" PRIMARY KEY ("environment_id","id")
);

-- CreateTable
CREATE TABLE "webhook_messages" (
    "environment_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "type" TEXT NOT NULL,
    "data" JSONB NOT NULL,
    "context_keys" TEXT[],
    "is_test" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "webhook_messages_pkey" PRIMARY KEY ("environment_id","id")
);

-- CreateTable
CREATE TABLE "webhook_deliveries" (
    "environment_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "subscription_id" UUID NOT NULL,
    "message_id" UUID NOT NULL,
    "type" TEXT NOT NULL,
    "status" "WebhookDeliveryStatus" NOT NULL,
    "attempt_count" INTEGER NOT NULL DEFAULT 0,
    "next_attempt_at" TIMESTAMPTZ(3),
    "attempts" JSONB NOT NULL DEFAULT '[]',
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "webhook_deliveries_pkey" PRIMARY KEY ("environment_id","id")
);

-- CreateIndex
CREATE INDEX "webhook_subscriptions_environment_id_created_at_id_idx" ON "webhook_subscriptions"("environment_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "webhook_subscriptions_environment_id_updated_at_id_idx" ON "webhook_subscriptions"("environment_id", "updated_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "webhook_subscriptions_environment_id_identifier_key" ON "webhook_subscriptions"("environment_id", "identifier");

-- CreateIndex
CREATE INDEX "webhook_messages_environment_id_created_at_idx" ON "webhook_messages"("environment_id", "created_at");

-- CreateIndex
CREATE INDEX "webhook_deliveries_environment_id_subscription_id_created_a_idx" ON "webhook_deliveries"("environment_id", "subscription_id", "created_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "webhook_deliveries_environment_id_message_id_subscription_i_key" ON "webhook_deliveries"("environment_id", "message_id", "subscription_id");

-- AddForeignKey
ALTER TABLE "webhook_subscriptions" ADD CONSTRAINT "webhook_subscriptions_environment_id_fkey" FOREIGN KEY ("environment_id") REFERENCES "environments"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "webhook_messages" ADD CONSTRAINT "webhook_messages_environment_id_fkey" FOREIGN KEY ("environment_id") REFERENCES "environments"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "webhook_deliveries" ADD CONSTRAINT "webhook_deliveries_environment_id_subscription_id_fkey" FOREIGN KEY ("environment_id", "subscription_id") REFERENCES "webhook_subscriptions"("environment_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "webhook_deliveries" ADD CONSTRAINT "webhook_deliveries_environment_id_message_id_fkey" FOREIGN KEY ("environment_id", "message_id") REFERENCES "webhook_messages"("environment_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- The queue. Deliveries that have ended, which are most rows, are not in it.
CREATE INDEX "webhook_deliveries_queue_idx" ON "webhook_deliveries"("environment_id", "subscription_id", "next_attempt_at", "id")
WHERE "next_attempt_at" IS NOT NULL;

-- What the gateway notes about its attempts is no change of the subscription, except that it deactivates it.
CREATE TRIGGER increment_version BEFORE UPDATE OF "identifier", "url", "description", "event_types", "active",
  "include_content", "every_context", "context_keys", "secret" ON "webhook_subscriptions"
FOR EACH ROW WHEN (OLD.* IS DISTINCT FROM NEW.*) EXECUTE FUNCTION increment_version();

-- Processes keep which types of messages are wanted. Each change tells them to read them again.
CREATE FUNCTION announce_webhook_types() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('webhook_types', coalesce(NEW.environment_id, OLD.environment_id)::text);
  RETURN NULL;
END $$;

CREATE TRIGGER announce AFTER INSERT OR DELETE OR UPDATE OF "active", "event_types" ON "webhook_subscriptions"
FOR EACH ROW EXECUTE FUNCTION announce_webhook_types();
