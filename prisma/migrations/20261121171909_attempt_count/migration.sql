-- AlterTable
ALTER TABLE "deliveries" RENAME COLUMN "tries" TO "attempt_count";

-- The hash of a device token is no longer called a digest.
UPDATE "deliveries" SET "target" = ("target" - 'digest') || jsonb_build_object('tokenHash', "target" -> 'digest')
WHERE "target" ->> 'kind' = 'device';
