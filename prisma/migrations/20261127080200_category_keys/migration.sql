-- Reads the tables without blocking writers.
ALTER TABLE "workflows" VALIDATE CONSTRAINT "workflows_environment_id_category_id_fkey";
ALTER TABLE "subscriber_preferences" VALIDATE CONSTRAINT "subscriber_preferences_environment_id_category_id_fkey";
