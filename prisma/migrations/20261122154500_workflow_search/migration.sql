-- Searches for parts of identifiers and names, searches for their beginnings, and lists of active or inactive workflows.
DROP INDEX CONCURRENTLY IF EXISTS "workflows_search_idx";
CREATE INDEX CONCURRENTLY "workflows_search_idx" ON "workflows" USING GIN ("environment_id" uuid_ops, "identifier" gin_trgm_ops, "name" gin_trgm_ops);
DROP INDEX CONCURRENTLY IF EXISTS "workflows_lower_identifier_idx";
CREATE INDEX CONCURRENTLY "workflows_lower_identifier_idx" ON "workflows" ("environment_id", lower("identifier") text_pattern_ops);
DROP INDEX CONCURRENTLY IF EXISTS "workflows_lower_name_idx";
CREATE INDEX CONCURRENTLY "workflows_lower_name_idx" ON "workflows" ("environment_id", lower("name") text_pattern_ops);
DROP INDEX CONCURRENTLY IF EXISTS "workflows_environment_id_active_created_at_id_idx";
CREATE INDEX CONCURRENTLY "workflows_environment_id_active_created_at_id_idx" ON "workflows" ("environment_id", "active", "created_at", "id");
