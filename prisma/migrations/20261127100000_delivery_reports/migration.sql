-- CreateEnum
CREATE TYPE "ReportKind" AS ENUM ('accepted', 'deferred', 'delivered', 'bounced_hard', 'bounced_soft', 'dropped', 'complained', 'unsubscribed');

-- AlterTable
ALTER TABLE "deliveries" ADD COLUMN     "bounced_at" TIMESTAMPTZ(3),
ADD COLUMN     "complained_at" TIMESTAMPTZ(3),
ADD COLUMN     "deferred_at" TIMESTAMPTZ(3),
ADD COLUMN     "delivered_at" TIMESTAMPTZ(3),
ADD COLUMN     "provider_message_id" TEXT;

-- CreateTable
CREATE TABLE "delivery_reports" (
    "environment_id" UUID NOT NULL,
    "delivery_id" UUID NOT NULL,
    "key" TEXT NOT NULL,
    "kind" "ReportKind" NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "received_at" TIMESTAMPTZ(3) NOT NULL,
    "address" TEXT,
    "detail" TEXT,
    "code" TEXT,

    CONSTRAINT "delivery_reports_pkey" PRIMARY KEY ("environment_id","delivery_id","key")
);

-- CreateTable
CREATE TABLE "inbound_webhooks" (
    "environment_id" UUID NOT NULL,
    "integration_id" UUID NOT NULL,
    "token_hash" TEXT,
    "last_report_at" TIMESTAMPTZ(3),

    CONSTRAINT "inbound_webhooks_pkey" PRIMARY KEY ("environment_id","integration_id")
);

-- CreateTable
CREATE TABLE "used_signatures" (
    "environment_id" UUID NOT NULL,
    "integration_id" UUID NOT NULL,
    "hash" TEXT NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "used_signatures_pkey" PRIMARY KEY ("environment_id","integration_id","hash")
);

-- CreateIndex
CREATE INDEX "used_signatures_expires_at_idx" ON "used_signatures"("expires_at");

-- AddForeignKey
ALTER TABLE "delivery_reports" ADD CONSTRAINT "delivery_reports_environment_id_delivery_id_fkey" FOREIGN KEY ("environment_id", "delivery_id") REFERENCES "deliveries"("environment_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "inbound_webhooks" ADD CONSTRAINT "inbound_webhooks_environment_id_integration_id_fkey" FOREIGN KEY ("environment_id", "integration_id") REFERENCES "integrations"("environment_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "used_signatures" ADD CONSTRAINT "used_signatures_environment_id_integration_id_fkey" FOREIGN KEY ("environment_id", "integration_id") REFERENCES "integrations"("environment_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;
