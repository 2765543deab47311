-- AlterEnum
ALTER TYPE "JobQueue" ADD VALUE 'erase';
