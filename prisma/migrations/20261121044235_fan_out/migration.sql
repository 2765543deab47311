-- CreateIndex
CREATE INDEX "topic_subscriptions_environment_id_topic_key_context_keys_i_idx" ON "topic_subscriptions"("environment_id", "topic_key", "context_keys", "id");

-- CreateIndex
CREATE INDEX "workflow_runs_environment_id_created_at_id_idx" ON "workflow_runs"("environment_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "workflow_runs_environment_id_updated_at_id_idx" ON "workflow_runs"("environment_id", "updated_at", "id");
