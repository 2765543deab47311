-- Processes keep who a caller is. Each change of a key or an environment tells them to read it again. Deleting an
-- organization or an environment deletes its keys, which says so too.
CREATE FUNCTION announce_api_key() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('caller', OLD.environment_id::text);
  RETURN NULL;
END $$;

CREATE FUNCTION announce_environment() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('caller', OLD.id::text);
  RETURN NULL;
END $$;

CREATE TRIGGER announce AFTER UPDATE OR DELETE ON "api_keys" FOR EACH ROW EXECUTE FUNCTION announce_api_key();

CREATE TRIGGER announce AFTER UPDATE OR DELETE ON "environments" FOR EACH ROW EXECUTE FUNCTION announce_environment();
