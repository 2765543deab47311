-- Searches for parts of identifiers and names of integrations, and searches for their beginnings.
DROP INDEX CONCURRENTLY IF EXISTS "integrations_search_idx";
CREATE INDEX CONCURRENTLY "integrations_search_idx" ON "integrations" USING GIN ("environment_id" uuid_ops, "identifier" gin_trgm_ops, "name" gin_trgm_ops);
DROP INDEX CONCURRENTLY IF EXISTS "integrations_lower_identifier_idx";
CREATE INDEX CONCURRENTLY "integrations_lower_identifier_idx" ON "integrations" ("environment_id", lower("identifier") text_pattern_ops);
DROP INDEX CONCURRENTLY IF EXISTS "integrations_lower_name_idx";
CREATE INDEX CONCURRENTLY "integrations_lower_name_idx" ON "integrations" ("environment_id", lower("name") text_pattern_ops);
