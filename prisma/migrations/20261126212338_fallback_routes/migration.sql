-- AlterTable
ALTER TABLE "deliveries" ADD COLUMN     "routes" JSONB;

-- AlterTable
ALTER TABLE "delivery_attempts" ADD COLUMN     "integration_identifier" TEXT,
ADD COLUMN     "next_route_reason" TEXT,
ADD COLUMN     "provider_id" TEXT;

-- AlterTable
ALTER TABLE "integrations" ADD COLUMN     "fallback_after_timeout" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "is_fallback" BOOLEAN NOT NULL DEFAULT false;

-- CreateTable
CREATE TABLE "integration_circuits" (
    "environment_id" UUID NOT NULL,
    "integration_id" UUID NOT NULL,
    "failed_at" TIMESTAMPTZ(3)[],
    "opened_at" TIMESTAMPTZ(3),
    "probe_at" TIMESTAMPTZ(3),
    "probing" BOOLEAN NOT NULL DEFAULT false,

    CONSTRAINT "integration_circuits_pkey" PRIMARY KEY ("environment_id","integration_id")
);

-- AddForeignKey
ALTER TABLE "integration_circuits" ADD CONSTRAINT "integration_circuits_environment_id_integration_id_fkey" FOREIGN KEY ("environment_id", "integration_id") REFERENCES "integrations"("environment_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;
