-- AlterTable
ALTER TABLE "events" ADD COLUMN     "attachment_count" INTEGER;

-- CreateTable
CREATE TABLE "attachments" (
    "environment_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "sha256" TEXT,
    "name" TEXT NOT NULL,
    "content_type" TEXT NOT NULL,
    "size" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "last_used_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "attachments_pkey" PRIMARY KEY ("environment_id","id")
);

-- CreateTable
CREATE TABLE "attachment_chunks" (
    "environment_id" UUID NOT NULL,
    "attachment_id" UUID NOT NULL,
    "position" INTEGER NOT NULL,
    "data" BYTEA NOT NULL,

    CONSTRAINT "attachment_chunks_pkey" PRIMARY KEY ("environment_id","attachment_id","position")
);

-- CreateTable
CREATE TABLE "event_attachments" (
    "environment_id" UUID NOT NULL,
    "event_id" UUID NOT NULL,
    "position" INTEGER NOT NULL,
    "attachment_id" UUID,
    "url" TEXT,
    "name" TEXT NOT NULL,
    "content_type" TEXT,
    "content_id" TEXT,
    "is_inline" BOOLEAN NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "event_attachments_pkey" PRIMARY KEY ("environment_id","event_id","position")
);

-- CreateIndex
CREATE INDEX "attachments_environment_id_last_used_at_id_idx" ON "attachments"("environment_id", "last_used_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "attachments_environment_id_sha256_key" ON "attachments"("environment_id", "sha256");

-- CreateIndex
CREATE INDEX "event_attachments_environment_id_attachment_id_idx" ON "event_attachments"("environment_id", "attachment_id");

-- AddForeignKey
ALTER TABLE "attachments" ADD CONSTRAINT "attachments_environment_id_fkey" FOREIGN KEY ("environment_id") REFERENCES "environments"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "attachment_chunks" ADD CONSTRAINT "attachment_chunks_environment_id_attachment_id_fkey" FOREIGN KEY ("environment_id", "attachment_id") REFERENCES "attachments"("environment_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "event_attachments" ADD CONSTRAINT "event_attachments_environment_id_event_id_fkey" FOREIGN KEY ("environment_id", "event_id") REFERENCES "events"("environment_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "event_attachments" ADD CONSTRAINT "event_attachments_environment_id_attachment_id_fkey" FOREIGN KEY ("environment_id", "attachment_id") REFERENCES "attachments"("environment_id", "id") ON DELETE NO ACTION ON UPDATE CASCADE;

-- Deletes attachments with the last event that uses them. Those that a trigger holds are left to the housekeeping.
CREATE FUNCTION delete_unused_attachments() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM attachments AS unused USING (
    SELECT attachment.environment_id, attachment.id FROM attachments AS attachment
    WHERE (attachment.environment_id, attachment.id) IN (SELECT environment_id, attachment_id FROM before)
      AND NOT EXISTS (
        SELECT FROM event_attachments AS used
        WHERE used.environment_id = attachment.environment_id AND used.attachment_id = attachment.id)
    ORDER BY attachment.environment_id, attachment.id FOR UPDATE OF attachment SKIP LOCKED
  ) AS held
  WHERE unused.environment_id = held.environment_id AND unused.id = held.id;
  RETURN NULL;
END $$;
CREATE TRIGGER delete_unused AFTER DELETE ON event_attachments
  REFERENCING OLD TABLE AS before FOR EACH STATEMENT EXECUTE FUNCTION delete_unused_attachments();
