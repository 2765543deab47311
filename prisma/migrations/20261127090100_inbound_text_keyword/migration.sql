-- AlterTable
ALTER TABLE "inbound_texts" ADD COLUMN     "keyword" TEXT;
