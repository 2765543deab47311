-- Indexes for exact filters and for searches of prefixes replace those for exact filters alone. Prisma's schema cannot
-- express indexes on expressions.
DROP INDEX "contexts_environment_id_identifier_idx";
DROP INDEX "subscribers_environment_id_email_idx";
DROP INDEX "subscribers_environment_id_name_idx";
DROP INDEX "subscribers_environment_id_phone_idx";

CREATE INDEX "contexts_lower_identifier_idx" ON "contexts"("environment_id", lower("identifier") text_pattern_ops);
CREATE INDEX "subscribers_lower_email_idx" ON "subscribers"("environment_id", lower("email") text_pattern_ops);
CREATE INDEX "subscribers_lower_name_idx" ON "subscribers"("environment_id", lower("name") text_pattern_ops);
CREATE INDEX "subscribers_lower_phone_idx" ON "subscribers"("environment_id", lower("phone") text_pattern_ops);

-- These columns are unique, or have no other index.
CREATE INDEX "subscribers_lower_subscriber_id_idx" ON "subscribers"("environment_id", lower("subscriber_id") text_pattern_ops);
CREATE INDEX "topics_lower_key_idx" ON "topics"("environment_id", lower("key") text_pattern_ops);
CREATE INDEX "topics_lower_name_idx" ON "topics"("environment_id", lower("name") text_pattern_ops);
