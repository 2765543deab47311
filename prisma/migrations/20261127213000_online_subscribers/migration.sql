-- The online state of subscribers. It is no part of the profile: the trigger of the version does not read it.
ALTER TABLE "subscribers" ADD COLUMN     "is_online" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "last_online_at" TIMESTAMPTZ(3);

-- CreateTable
CREATE TABLE "online_leases" (
    "environment_id" UUID NOT NULL,
    "subscriber_id" TEXT NOT NULL,
    "holder" UUID NOT NULL,
    "seen_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "online_leases_pkey" PRIMARY KEY ("environment_id","subscriber_id","holder")
);

-- AddForeignKey
ALTER TABLE "online_leases" ADD CONSTRAINT "online_leases_environment_id_subscriber_id_fkey" FOREIGN KEY ("environment_id", "subscriber_id") REFERENCES "subscribers"("environment_id", "subscriber_id") ON DELETE CASCADE ON UPDATE CASCADE;
