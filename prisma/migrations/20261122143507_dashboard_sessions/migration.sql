-- CreateTable
CREATE TABLE "sign_in_codes" (
    "environment_id" UUID NOT NULL,
    "hash" TEXT NOT NULL,
    "access" "ApiKeyAccess" NOT NULL,
    "user_id" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "sign_in_codes_pkey" PRIMARY KEY ("environment_id","hash")
);

-- CreateTable
CREATE TABLE "dashboard_sessions" (
    "environment_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "sign_in_id" UUID NOT NULL,
    "api_key_id" UUID,
    "access" "ApiKeyAccess",
    "user_id" UUID,
    "hash" TEXT NOT NULL,
    "working_environment_id" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "dashboard_sessions_pkey" PRIMARY KEY ("environment_id","id")
);

-- CreateIndex
CREATE UNIQUE INDEX "sign_in_codes_hash_key" ON "sign_in_codes"("hash");

-- CreateIndex
CREATE INDEX "sign_in_codes_environment_id_expires_at_idx" ON "sign_in_codes"("environment_id", "expires_at");

-- CreateIndex
CREATE UNIQUE INDEX "dashboard_sessions_hash_key" ON "dashboard_sessions"("hash");

-- CreateIndex
CREATE INDEX "dashboard_sessions_environment_id_sign_in_id_idx" ON "dashboard_sessions"("environment_id", "sign_in_id");

-- CreateIndex
CREATE INDEX "dashboard_sessions_environment_id_api_key_id_idx" ON "dashboard_sessions"("environment_id", "api_key_id");

-- CreateIndex
CREATE INDEX "dashboard_sessions_environment_id_expires_at_idx" ON "dashboard_sessions"("environment_id", "expires_at");

-- CreateIndex
CREATE INDEX "dashboard_sessions_working_environment_id_idx" ON "dashboard_sessions"("working_environment_id");

-- AddForeignKey
ALTER TABLE "sign_in_codes" ADD CONSTRAINT "sign_in_codes_environment_id_fkey" FOREIGN KEY ("environment_id") REFERENCES "environments"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "dashboard_sessions" ADD CONSTRAINT "dashboard_sessions_environment_id_fkey" FOREIGN KEY ("environment_id") REFERENCES "environments"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "dashboard_sessions" ADD CONSTRAINT "dashboard_sessions_working_environment_id_fkey" FOREIGN KEY ("working_environment_id") REFERENCES "environments"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "dashboard_sessions" ADD CONSTRAINT "dashboard_sessions_environment_id_api_key_id_fkey" FOREIGN KEY ("environment_id", "api_key_id") REFERENCES "api_keys"("environment_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "dashboard_sessions" ADD CONSTRAINT "dashboard_sessions_environment_id_sign_in_id_fkey" FOREIGN KEY ("environment_id", "sign_in_id") REFERENCES "dashboard_sessions"("environment_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Processes keep who a session is. A sign-out tells them.
CREATE FUNCTION announce_dashboard_session() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('caller', OLD.environment_id::text);
  RETURN NULL;
END $$;

CREATE TRIGGER announce AFTER UPDATE OR DELETE ON "dashboard_sessions" FOR EACH ROW EXECUTE FUNCTION announce_dashboard_session();
