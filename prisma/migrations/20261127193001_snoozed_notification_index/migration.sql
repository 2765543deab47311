-- Snoozed notifications that are due.
DROP INDEX CONCURRENTLY IF EXISTS "notifications_snoozed_idx";
CREATE INDEX CONCURRENTLY "notifications_snoozed_idx" ON "notifications"("environment_id", "snoozed_until") WHERE "snoozed_until" IS NOT NULL;
