-- Events whose secret values are removed once they have ended. Most events have none.
DROP INDEX CONCURRENTLY IF EXISTS "events_with_secrets_idx";
CREATE INDEX CONCURRENTLY "events_with_secrets_idx" ON "events"("environment_id", "created_at", "id") WHERE "secret_payload" IS NOT NULL;
