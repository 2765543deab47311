-- Trigram search, and uuid columns beside it in one index.
CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE EXTENSION IF NOT EXISTS btree_gin;

-- CreateEnum
CREATE TYPE "EnvironmentType" AS ENUM ('dev', 'prod');

-- CreateEnum
CREATE TYPE "ApiKeyAccess" AS ENUM ('full', 'read_only');

-- CreateEnum
CREATE TYPE "Channel" AS ENUM ('in_app', 'email', 'sms', 'chat', 'push', 'tool');

-- CreateEnum
CREATE TYPE "Severity" AS ENUM ('high', 'medium', 'low', 'none');

-- CreateEnum
CREATE TYPE "EndpointType" AS ENUM ('workspace_chat_channel', 'workspace_chat_user', 'webhook', 'phone', 'office_chat_channel', 'office_chat_user', 'messenger_chat', 'meeting_room', 'meeting_person', 'messaging_app_user', 'incident_service', 'alerting_integration', 'oncall_integration', 'tool_webhook');

-- CreateTable
CREATE TABLE "organizations" (
    "id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "organizations_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "users" (
    "id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "users_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "environments" (
    "id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "identifier" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "slug" TEXT NOT NULL,
    "type" "EnvironmentType" NOT NULL,
    "color" TEXT NOT NULL,
    "parent_id" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "environments_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "api_keys" (
    "environment_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "access" "ApiKeyAccess" NOT NULL,
    "hash" TEXT NOT NULL,
    "cipher" TEXT NOT NULL,
    "hint" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "revoked_at" TIMESTAMPTZ(3),

    CONSTRAINT "api_keys_pkey" PRIMARY KEY ("environment_id","id")
);

-- CreateTable
CREATE TABLE "contexts" (
    "environment_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "type" TEXT NOT NULL,
    "identifier" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "data" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "contexts_pkey" PRIMARY KEY ("environment_id","id")
);

-- CreateTable
CREATE TABLE "subscribers" (
    "environment_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "subscriber_id" TEXT NOT NULL,
    "first_name" TEXT,
    "last_name" TEXT,
    "email" TEXT,
    "phone" TEXT,
    "avatar" TEXT,
    "locale" TEXT,
    "timezone" TEXT,
    "data" JSONB NOT NULL,
    "name" TEXT GENERATED ALWAYS AS (nullif(btrim(coalesce("first_name", '') || ' ' || coalesce("last_name", '')), '')) STORED,
    "search_text" TEXT GENERATED ALWAYS AS (
        coalesce("subscriber_id", '') || chr(10) || coalesce("email", '') || chr(10) || coalesce("phone", '') || chr(10) || coalesce("first_name", '') || ' ' || coalesce("last_name", '')
    ) STORED,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "subscribers_pkey" PRIMARY KEY ("environment_id","id")
);

-- CreateTable
CREATE TABLE "subscriber_credentials" (
    "environment_id" UUID NOT NULL,
    "subscriber_id" TEXT NOT NULL,
    "provider_id" TEXT NOT NULL,
    "integration_identifier" TEXT NOT NULL,
    "webhook_url" TEXT,
    "device_tokens" TEXT[],
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "subscriber_credentials_pkey" PRIMARY KEY ("environment_id","subscriber_id","provider_id","integration_identifier")
);

-- CreateTable
CREATE TABLE "integrations" (
    "environment_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "identifier" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "provider_id" TEXT NOT NULL,
    "channel" "Channel" NOT NULL,
    "active" BOOLEAN NOT NULL,
    "credentials" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "integrations_pkey" PRIMARY KEY ("environment_id","id")
);

-- CreateTable
CREATE TABLE "channel_endpoints" (
    "environment_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "identifier" TEXT NOT NULL,
    "channel" "Channel",
    "provider_id" TEXT,
    "integration_identifier" TEXT,
    "connection_identifier" TEXT,
    "subscriber_id" TEXT,
    "context_keys" TEXT[],
    "type" "EndpointType" NOT NULL,
    "endpoint" JSONB NOT NULL,
    "secret" TEXT,
    "fingerprint" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "channel_endpoints_pkey" PRIMARY KEY ("environment_id","id")
);

-- CreateTable
CREATE TABLE "topics" (
    "environment_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "key" TEXT NOT NULL,
    "name" TEXT,
    "data" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "topics_pkey" PRIMARY KEY ("environment_id","id")
);

-- CreateTable
CREATE TABLE "workflows" (
    "environment_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "identifier" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "critical" BOOLEAN NOT NULL,
    "severity" "Severity" NOT NULL,
    "tags" TEXT[],
    "data" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "workflows_pkey" PRIMARY KEY ("environment_id","id")
);

-- CreateTable
CREATE TABLE "topic_subscriptions" (
    "environment_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "identifier" TEXT NOT NULL,
    "topic_key" TEXT NOT NULL,
    "subscriber_id" TEXT NOT NULL,
    "name" TEXT,
    "context_keys" TEXT[],
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "topic_subscriptions_pkey" PRIMARY KEY ("environment_id","id")
);

-- CreateTable
CREATE TABLE "topic_subscription_preferences" (
    "environment_id" UUID NOT NULL,
    "subscription_id" UUID NOT NULL,
    "position" INTEGER NOT NULL,
    "workflow_id" UUID,
    "filter_workflow_ids" UUID[],
    "filter_tags" TEXT[],
    "enabled" BOOLEAN NOT NULL,
    "condition" JSONB,

    CONSTRAINT "topic_subscription_preferences_pkey" PRIMARY KEY ("environment_id","subscription_id","position")
);

-- CreateIndex
CREATE UNIQUE INDEX "environments_identifier_key" ON "environments"("identifier");

-- CreateIndex
CREATE INDEX "environments_organization_id_created_at_id_idx" ON "environments"("organization_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "environments_parent_id_idx" ON "environments"("parent_id");

-- CreateIndex
CREATE UNIQUE INDEX "environments_organization_id_name_key" ON "environments"("organization_id", "name");

-- CreateIndex
CREATE UNIQUE INDEX "environments_organization_id_slug_key" ON "environments"("organization_id", "slug");

-- CreateIndex
CREATE UNIQUE INDEX "api_keys_hash_key" ON "api_keys"("hash");

-- CreateIndex
CREATE INDEX "api_keys_environment_id_created_at_id_idx" ON "api_keys"("environment_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "api_keys_user_id_idx" ON "api_keys"("user_id");

-- CreateIndex
CREATE INDEX "contexts_environment_id_created_at_id_idx" ON "contexts"("environment_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "contexts_environment_id_updated_at_id_idx" ON "contexts"("environment_id", "updated_at", "id");

-- CreateIndex
CREATE INDEX "contexts_environment_id_type_created_at_id_idx" ON "contexts"("environment_id", "type", "created_at", "id");

-- CreateIndex
CREATE INDEX "contexts_environment_id_identifier_idx" ON "contexts"("environment_id", "identifier");

-- CreateIndex
CREATE INDEX "contexts_search_idx" ON "contexts" USING GIN ("environment_id" uuid_ops, "key" gin_trgm_ops);

-- CreateIndex
CREATE UNIQUE INDEX "contexts_environment_id_key_key" ON "contexts"("environment_id", "key");

-- CreateIndex
CREATE INDEX "subscribers_environment_id_created_at_id_idx" ON "subscribers"("environment_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "subscribers_environment_id_updated_at_id_idx" ON "subscribers"("environment_id", "updated_at", "id");

-- CreateIndex
CREATE INDEX "subscribers_environment_id_email_idx" ON "subscribers"("environment_id", "email");

-- CreateIndex
CREATE INDEX "subscribers_environment_id_phone_idx" ON "subscribers"("environment_id", "phone");

-- CreateIndex
CREATE INDEX "subscribers_environment_id_name_idx" ON "subscribers"("environment_id", "name");

-- CreateIndex
CREATE INDEX "subscribers_search_idx" ON "subscribers" USING GIN ("environment_id" uuid_ops, "search_text" gin_trgm_ops);

-- CreateIndex
CREATE UNIQUE INDEX "subscribers_environment_id_subscriber_id_key" ON "subscribers"("environment_id", "subscriber_id");

-- CreateIndex
CREATE INDEX "integrations_environment_id_created_at_id_idx" ON "integrations"("environment_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "integrations_environment_id_updated_at_id_idx" ON "integrations"("environment_id", "updated_at", "id");

-- CreateIndex
CREATE INDEX "integrations_environment_id_channel_created_at_id_idx" ON "integrations"("environment_id", "channel", "created_at", "id");

-- CreateIndex
CREATE INDEX "integrations_environment_id_provider_id_created_at_id_idx" ON "integrations"("environment_id", "provider_id", "created_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "integrations_environment_id_identifier_key" ON "integrations"("environment_id", "identifier");

-- CreateIndex
CREATE INDEX "channel_endpoints_environment_id_created_at_id_idx" ON "channel_endpoints"("environment_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "channel_endpoints_environment_id_updated_at_id_idx" ON "channel_endpoints"("environment_id", "updated_at", "id");

-- CreateIndex
CREATE INDEX "channel_endpoints_environment_id_context_keys_created_at_id_idx" ON "channel_endpoints"("environment_id", "context_keys", "created_at", "id");

-- CreateIndex
CREATE INDEX "channel_endpoints_environment_id_subscriber_id_created_at_i_idx" ON "channel_endpoints"("environment_id", "subscriber_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "channel_endpoints_environment_id_integration_identifier_cre_idx" ON "channel_endpoints"("environment_id", "integration_identifier", "created_at", "id");

-- CreateIndex
CREATE INDEX "channel_endpoints_environment_id_connection_identifier_crea_idx" ON "channel_endpoints"("environment_id", "connection_identifier", "created_at", "id");

-- CreateIndex
CREATE INDEX "channel_endpoints_environment_id_channel_created_at_id_idx" ON "channel_endpoints"("environment_id", "channel", "created_at", "id");

-- CreateIndex
CREATE INDEX "channel_endpoints_environment_id_provider_id_created_at_id_idx" ON "channel_endpoints"("environment_id", "provider_id", "created_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "channel_endpoints_environment_id_identifier_key" ON "channel_endpoints"("environment_id", "identifier");

-- CreateIndex
CREATE UNIQUE INDEX "channel_endpoints_fingerprint_key" ON "channel_endpoints"("environment_id", "subscriber_id", "integration_identifier", "context_keys", "fingerprint");

-- CreateIndex
CREATE INDEX "topics_environment_id_created_at_id_idx" ON "topics"("environment_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "topics_environment_id_updated_at_id_idx" ON "topics"("environment_id", "updated_at", "id");

-- CreateIndex
CREATE INDEX "topics_search_idx" ON "topics" USING GIN ("environment_id" uuid_ops, "key" gin_trgm_ops, "name" gin_trgm_ops);

-- CreateIndex
CREATE UNIQUE INDEX "topics_environment_id_key_key" ON "topics"("environment_id", "key");

-- CreateIndex
CREATE INDEX "workflows_environment_id_created_at_id_idx" ON "workflows"("environment_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "workflows_environment_id_updated_at_id_idx" ON "workflows"("environment_id", "updated_at", "id");

-- CreateIndex
CREATE INDEX "workflows_tags_idx" ON "workflows" USING GIN ("environment_id" uuid_ops, "tags");

-- CreateIndex
CREATE UNIQUE INDEX "workflows_environment_id_identifier_key" ON "workflows"("environment_id", "identifier");

-- CreateIndex
CREATE INDEX "topic_subscriptions_environment_id_created_at_id_idx" ON "topic_subscriptions"("environment_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "topic_subscriptions_environment_id_updated_at_id_idx" ON "topic_subscriptions"("environment_id", "updated_at", "id");

-- CreateIndex
CREATE INDEX "topic_subscriptions_environment_id_topic_key_created_at_id_idx" ON "topic_subscriptions"("environment_id", "topic_key", "created_at", "id");

-- CreateIndex
CREATE INDEX "topic_subscriptions_environment_id_subscriber_id_created_at_idx" ON "topic_subscriptions"("environment_id", "subscriber_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "topic_subscriptions_environment_id_subscriber_id_topic_key__idx" ON "topic_subscriptions"("environment_id", "subscriber_id", "topic_key", "created_at", "id");

-- CreateIndex
CREATE INDEX "topic_subscriptions_environment_id_context_keys_created_at__idx" ON "topic_subscriptions"("environment_id", "context_keys", "created_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "topic_subscriptions_environment_id_topic_key_identifier_key" ON "topic_subscriptions"("environment_id", "topic_key", "identifier");

-- CreateIndex
CREATE INDEX "topic_subscription_preferences_environment_id_workflow_id_idx" ON "topic_subscription_preferences"("environment_id", "workflow_id");

-- AddForeignKey
ALTER TABLE "users" ADD CONSTRAINT "users_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "environments" ADD CONSTRAINT "environments_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "environments" ADD CONSTRAINT "environments_parent_id_fkey" FOREIGN KEY ("parent_id") REFERENCES "environments"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_environment_id_fkey" FOREIGN KEY ("environment_id") REFERENCES "environments"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "contexts" ADD CONSTRAINT "contexts_environment_id_fkey" FOREIGN KEY ("environment_id") REFERENCES "environments"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "subscribers" ADD CONSTRAINT "subscribers_environment_id_fkey" FOREIGN KEY ("environment_id") REFERENCES "environments"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "subscriber_credentials" ADD CONSTRAINT "subscriber_credentials_environment_id_subscriber_id_fkey" FOREIGN KEY ("environment_id", "subscriber_id") REFERENCES "subscribers"("environment_id", "subscriber_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "integrations" ADD CONSTRAINT "integrations_environment_id_fkey" FOREIGN KEY ("environment_id") REFERENCES "environments"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "channel_endpoints" ADD CONSTRAINT "channel_endpoints_environment_id_subscriber_id_fkey" FOREIGN KEY ("environment_id", "subscriber_id") REFERENCES "subscribers"("environment_id", "subscriber_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "channel_endpoints" ADD CONSTRAINT "channel_endpoints_environment_id_integration_identifier_fkey" FOREIGN KEY ("environment_id", "integration_identifier") REFERENCES "integrations"("environment_id", "identifier") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "topics" ADD CONSTRAINT "topics_environment_id_fkey" FOREIGN KEY ("environment_id") REFERENCES "environments"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "workflows" ADD CONSTRAINT "workflows_environment_id_fkey" FOREIGN KEY ("environment_id") REFERENCES "environments"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "topic_subscriptions" ADD CONSTRAINT "topic_subscriptions_environment_id_topic_key_fkey" FOREIGN KEY ("environment_id", "topic_key") REFERENCES "topics"("environment_id", "key") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "topic_subscriptions" ADD CONSTRAINT "topic_subscriptions_environment_id_subscriber_id_fkey" FOREIGN KEY ("environment_id", "subscriber_id") REFERENCES "subscribers"("environment_id", "subscriber_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "topic_subscription_preferences" ADD CONSTRAINT "topic_subscription_preferences_environment_id_subscription_fkey" FOREIGN KEY ("environment_id", "subscription_id") REFERENCES "topic_subscriptions"("environment_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "topic_subscription_preferences" ADD CONSTRAINT "topic_subscription_preferences_environment_id_workflow_id_fkey" FOREIGN KEY ("environment_id", "workflow_id") REFERENCES "workflows"("environment_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;
