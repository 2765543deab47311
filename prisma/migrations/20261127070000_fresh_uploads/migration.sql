-- Attachments that were uploaded, or named by a trigger, after the deleted event are kept: their event may not exist yet.
-- The housekeeping deletes them a day later if none follows.
CREATE OR REPLACE FUNCTION delete_unused_attachments() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM attachments AS unused USING (
    SELECT attachment.environment_id, attachment.id FROM attachments AS attachment
    WHERE EXISTS (
        SELECT FROM before
        WHERE before.environment_id = attachment.environment_id AND before.attachment_id = attachment.id
          AND before.created_at >= attachment.last_used_at)
      AND NOT EXISTS (
        SELECT FROM event_attachments AS used
        WHERE used.environment_id = attachment.environment_id AND used.attachment_id = attachment.id)
    ORDER BY attachment.environment_id, attachment.id FOR UPDATE OF attachment SKIP LOCKED
  ) AS held
  WHERE unused.environment_id = held.environment_id AND unused.id = held.id;
  RETURN NULL;
END $$;
