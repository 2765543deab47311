-- AlterTable
ALTER TABLE "delivery_attempts" ADD COLUMN     "redirected_to" TEXT;
