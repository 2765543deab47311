-- CreateEnum
CREATE TYPE "SuppressionReason" AS ENUM ('soft_bounces', 'complaint', 'import', 'manual', 'sms_keyword', 'provider', 'invalid_address', 'hard_bounce');

-- AlterTable
ALTER TABLE "integrations" ADD COLUMN     "replies" JSONB;

-- CreateTable
CREATE TABLE "suppressions" (
    "environment_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "channel" "Channel" NOT NULL,
    "address_hash" TEXT NOT NULL,
    "address_cipher" TEXT,
    "reason" "SuppressionReason" NOT NULL,
    "detail" TEXT,
    "source_delivery_id" UUID,
    "integration_id" UUID,
    "context_keys" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "scope" TEXT NOT NULL,
    "expires_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "suppressions_pkey" PRIMARY KEY ("environment_id","id")
);

-- CreateTable
CREATE TABLE "address_keys" (
    "environment_id" UUID NOT NULL,
    "cipher" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "address_keys_pkey" PRIMARY KEY ("environment_id")
);

-- CreateTable
CREATE TABLE "soft_bounces" (
    "environment_id" UUID NOT NULL,
    "channel" "Channel" NOT NULL,
    "address_hash" TEXT NOT NULL,
    "day" DATE NOT NULL,

    CONSTRAINT "soft_bounces_pkey" PRIMARY KEY ("environment_id","channel","address_hash","day")
);

-- CreateTable
CREATE TABLE "inbound_texts" (
    "environment_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "integration_id" UUID NOT NULL,
    "integration_identifier" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "from_number" TEXT NOT NULL,
    "to_number" TEXT NOT NULL,
    "text" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "inbound_texts_pkey" PRIMARY KEY ("environment_id","id")
);

-- CreateIndex
CREATE INDEX "suppressions_environment_id_created_at_id_idx" ON "suppressions"("environment_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "suppressions_environment_id_updated_at_id_idx" ON "suppressions"("environment_id", "updated_at", "id");

-- CreateIndex
CREATE INDEX "suppressions_environment_id_channel_created_at_id_idx" ON "suppressions"("environment_id", "channel", "created_at", "id");

-- CreateIndex
CREATE INDEX "suppressions_environment_id_reason_created_at_id_idx" ON "suppressions"("environment_id", "reason", "created_at", "id");

-- CreateIndex
CREATE INDEX "suppressions_environment_id_address_hash_created_at_id_idx" ON "suppressions"("environment_id", "address_hash", "created_at", "id");

-- CreateIndex
CREATE INDEX "suppressions_environment_id_context_keys_created_at_id_idx" ON "suppressions"("environment_id", "context_keys", "created_at", "id");

-- CreateIndex
CREATE INDEX "suppressions_environment_id_integration_id_idx" ON "suppressions"("environment_id", "integration_id");

-- CreateIndex
CREATE UNIQUE INDEX "suppressions_environment_id_channel_address_hash_scope_key" ON "suppressions"("environment_id", "channel", "address_hash", "scope");

-- CreateIndex
CREATE INDEX "soft_bounces_day_idx" ON "soft_bounces"("day");

-- CreateIndex
CREATE INDEX "inbound_texts_environment_id_created_at_id_idx" ON "inbound_texts"("environment_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "inbound_texts_environment_id_updated_at_id_idx" ON "inbound_texts"("environment_id", "updated_at", "id");

-- CreateIndex
CREATE INDEX "inbound_texts_environment_id_integration_identifier_created_idx" ON "inbound_texts"("environment_id", "integration_identifier", "created_at", "id");

-- CreateIndex
CREATE INDEX "inbound_texts_environment_id_from_number_created_at_id_idx" ON "inbound_texts"("environment_id", "from_number", "created_at", "id");

-- CreateIndex
CREATE INDEX "inbound_texts_created_at_idx" ON "inbound_texts"("created_at");

-- CreateIndex
CREATE UNIQUE INDEX "inbound_texts_environment_id_integration_id_key_key" ON "inbound_texts"("environment_id", "integration_id", "key");

-- AddForeignKey
ALTER TABLE "suppressions" ADD CONSTRAINT "suppressions_environment_id_fkey" FOREIGN KEY ("environment_id") REFERENCES "environments"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "suppressions" ADD CONSTRAINT "suppressions_environment_id_integration_id_fkey" FOREIGN KEY ("environment_id", "integration_id") REFERENCES "integrations"("environment_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "address_keys" ADD CONSTRAINT "address_keys_environment_id_fkey" FOREIGN KEY ("environment_id") REFERENCES "environments"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "soft_bounces" ADD CONSTRAINT "soft_bounces_environment_id_fkey" FOREIGN KEY ("environment_id") REFERENCES "environments"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "inbound_texts" ADD CONSTRAINT "inbound_texts_environment_id_fkey" FOREIGN KEY ("environment_id") REFERENCES "environments"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Rows that end, for the sweep.
CREATE INDEX "suppressions_expires_at_idx" ON "suppressions"("expires_at") WHERE "expires_at" IS NOT NULL;
