-- CreateEnum
CREATE TYPE "UnsubscribeScope" AS ENUM ('off', 'workflow', 'category', 'all');

-- CreateEnum
CREATE TYPE "PreferenceScope" AS ENUM ('all', 'category', 'workflow');

-- CreateEnum
CREATE TYPE "PreferenceChangeSource" AS ENUM ('api', 'session', 'one_click', 'preference_page', 'sms_keyword', 'complaint', 'command_line');

-- AlterTable
ALTER TABLE "subscriber_preferences" ADD COLUMN     "category_id" UUID;

-- AlterTable
ALTER TABLE "workflows" ADD COLUMN     "category_id" UUID,
ADD COLUMN     "unsubscribe" "UnsubscribeScope";

-- CreateTable
CREATE TABLE "categories" (
    "environment_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "key" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "description" TEXT,
    "position" INTEGER NOT NULL,
    "channels" JSONB NOT NULL DEFAULT '{}',
    "is_hidden" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "categories_pkey" PRIMARY KEY ("environment_id","id")
);

-- CreateTable
CREATE TABLE "preference_changes" (
    "environment_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "subscriber_id" TEXT NOT NULL,
    "context_keys" TEXT[],
    "scope" "PreferenceScope" NOT NULL,
    "workflow_identifier" TEXT,
    "category_key" TEXT,
    "channel" "Channel",
    "enabled" BOOLEAN,
    "source" "PreferenceChangeSource" NOT NULL,
    "delivery_id" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "preference_changes_pkey" PRIMARY KEY ("environment_id","id")
);

-- CreateIndex
CREATE INDEX "categories_environment_id_created_at_id_idx" ON "categories"("environment_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "categories_environment_id_updated_at_id_idx" ON "categories"("environment_id", "updated_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "categories_environment_id_key_key" ON "categories"("environment_id", "key");

-- The orders by text. The position sorts as a text, too: cursors have times and texts.
CREATE INDEX "categories_sorted_name_idx" ON "categories"("environment_id", (left(lower("name"), 200) COLLATE "C"), "id");

CREATE INDEX "categories_sorted_identifier_idx" ON "categories"("environment_id", (left(lower("key"), 200) COLLATE "C"), "id");

CREATE INDEX "categories_sorted_position_idx" ON "categories"("environment_id", (left(lower(lpad("position"::text, 4, '0')), 200) COLLATE "C"), "id");

-- CreateIndex
CREATE INDEX "preference_changes_environment_id_subscriber_id_created_at__idx" ON "preference_changes"("environment_id", "subscriber_id", "created_at", "id");

-- AddForeignKey
ALTER TABLE "categories" ADD CONSTRAINT "categories_environment_id_fkey" FOREIGN KEY ("environment_id") REFERENCES "environments"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Not valid yet: a later migration validates it without a lock that blocks others.
ALTER TABLE "workflows" ADD CONSTRAINT "workflows_environment_id_category_id_fkey" FOREIGN KEY ("environment_id", "category_id") REFERENCES "categories"("environment_id", "id") ON DELETE NO ACTION ON UPDATE CASCADE NOT VALID;

-- The same.
ALTER TABLE "subscriber_preferences" ADD CONSTRAINT "subscriber_preferences_environment_id_category_id_fkey" FOREIGN KEY ("environment_id", "category_id") REFERENCES "categories"("environment_id", "id") ON DELETE CASCADE ON UPDATE CASCADE NOT VALID;

-- AddForeignKey
ALTER TABLE "preference_changes" ADD CONSTRAINT "preference_changes_environment_id_subscriber_id_fkey" FOREIGN KEY ("environment_id", "subscriber_id") REFERENCES "subscribers"("environment_id", "subscriber_id") ON DELETE CASCADE ON UPDATE CASCADE;

CREATE TRIGGER increment_version BEFORE UPDATE ON "categories"
FOR EACH ROW WHEN (OLD.* IS DISTINCT FROM NEW.*) EXECUTE FUNCTION increment_version();
