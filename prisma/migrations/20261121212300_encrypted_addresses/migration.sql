-- AlterTable
ALTER TABLE "subscriber_credentials" ADD COLUMN     "encrypted_tokens" TEXT,
ALTER COLUMN "device_tokens" SET DEFAULT ARRAY[]::TEXT[];

-- CreateTable
CREATE TABLE "encryption_keys" (
    "id" TEXT NOT NULL,
    "check_value" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "encryption_keys_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "startup_steps" (
    "name" TEXT NOT NULL,
    "finished_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "startup_steps_pkey" PRIMARY KEY ("name")
);
