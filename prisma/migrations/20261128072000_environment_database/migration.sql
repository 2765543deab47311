-- AlterTable
ALTER TABLE "environments" ADD COLUMN     "database" TEXT;
