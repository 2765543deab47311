-- AlterTable
ALTER TABLE "erasures" ADD COLUMN     "mention_count" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "mentions" JSONB NOT NULL DEFAULT '[]';
