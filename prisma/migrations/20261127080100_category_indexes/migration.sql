-- Workflows by category, and the preferences that are deleted with one.
DROP INDEX CONCURRENTLY IF EXISTS "workflows_environment_id_category_id_created_at_id_idx";
CREATE INDEX CONCURRENTLY "workflows_environment_id_category_id_created_at_id_idx" ON "workflows"("environment_id", "category_id", "created_at", "id");
DROP INDEX CONCURRENTLY IF EXISTS "subscriber_preferences_environment_id_category_id_idx";
CREATE INDEX CONCURRENTLY "subscriber_preferences_environment_id_category_id_idx" ON "subscriber_preferences"("environment_id", "category_id");
