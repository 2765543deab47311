-- AlterTable
ALTER TABLE "idempotency_keys" ADD COLUMN     "repeated_for" TEXT;
