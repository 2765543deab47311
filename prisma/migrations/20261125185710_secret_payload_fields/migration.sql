-- AlterTable
ALTER TABLE "deliveries" ADD COLUMN     "secret_content" TEXT;

-- AlterTable
ALTER TABLE "events" ADD COLUMN     "secret_payload" TEXT,
ADD COLUMN     "secrets_removed_at" TIMESTAMPTZ(3);
