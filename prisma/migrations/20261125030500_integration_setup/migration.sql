-- AlterTable
ALTER TABLE "integrations" ADD COLUMN     "awaits_setup" BOOLEAN NOT NULL DEFAULT false;
