-- AlterTable
ALTER TABLE "deliveries" ADD COLUMN     "cause" TEXT;

-- AlterTable
ALTER TABLE "step_runs" ADD COLUMN     "cause" TEXT;
