-- What happens to the messages of an environment: environments that exist keep sending them. And which were captured.
-- CreateEnum
CREATE TYPE "SendingMode" AS ENUM ('live', 'capture', 'redirect');

-- AlterTable
ALTER TABLE "deliveries" ADD COLUMN     "is_captured" BOOLEAN NOT NULL DEFAULT false;

-- AlterTable
ALTER TABLE "delivery_attempts" ADD COLUMN     "is_captured" BOOLEAN NOT NULL DEFAULT false;

-- AlterTable
ALTER TABLE "environments" ADD COLUMN     "allowed_destinations" TEXT[] DEFAULT ARRAY[]::TEXT[],
ADD COLUMN     "redirect_to" TEXT,
ADD COLUMN     "sending" "SendingMode" NOT NULL DEFAULT 'live';
