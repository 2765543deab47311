-- Whether browsers may open sessions that no API key signed.
ALTER TABLE "environments" ADD COLUMN "allows_unsigned_sessions" BOOLEAN NOT NULL DEFAULT false;

-- Processes keep which subscribers of sessions exist. A deletion tells them. Many deletions at once tell them to read all
-- callers of the environment again.
CREATE FUNCTION announce_deleted_subscribers() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (SELECT count(*) FROM (SELECT FROM before LIMIT 101) AS some_of_them) > 100 THEN
    PERFORM pg_notify('caller', environment_id::text) FROM (SELECT DISTINCT environment_id FROM before) AS concerned;
  ELSE
    PERFORM pg_notify('caller', environment_id || ' ' || id) FROM before;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER announce AFTER DELETE ON "subscribers"
  REFERENCING OLD TABLE AS before FOR EACH STATEMENT EXECUTE FUNCTION announce_deleted_subscribers();
