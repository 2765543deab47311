-- AlterTable
ALTER TABLE "api_keys" ADD COLUMN     "last_used_at" TIMESTAMPTZ(3);

-- The last use of a key changes nothing of who its caller is. Otherwise every process would read its callers again each
-- minute.
CREATE OR REPLACE FUNCTION announce_api_key() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' AND NEW.last_used_at IS DISTINCT FROM OLD.last_used_at THEN
    RETURN NULL;
  END IF;
  PERFORM pg_notify('caller', OLD.environment_id::text);
  RETURN NULL;
END $$;
