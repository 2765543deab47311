-- Lists of captured messages, newest first, and searches for parts of their addresses.
DROP INDEX CONCURRENTLY IF EXISTS "deliveries_captured_idx";
CREATE INDEX CONCURRENTLY "deliveries_captured_idx" ON "deliveries" ("environment_id", "created_at", "id") WHERE "is_captured";
DROP INDEX CONCURRENTLY IF EXISTS "deliveries_captured_search_idx";
CREATE INDEX CONCURRENTLY "deliveries_captured_search_idx" ON "deliveries" USING GIN ("environment_id" uuid_ops, (coalesce("target"->>'address', "target"->>'phoneNumber', "target"->>'identifier')) gin_trgm_ops) WHERE "is_captured";
