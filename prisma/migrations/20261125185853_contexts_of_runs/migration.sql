-- AlterTable
ALTER TABLE "deliveries" ADD COLUMN     "context_keys" TEXT[];

-- AlterTable
ALTER TABLE "workflow_runs" ADD COLUMN     "context_keys" TEXT[];
