-- AlterTable
ALTER TABLE "integrations" ADD COLUMN     "version" INTEGER NOT NULL DEFAULT 1;

-- AlterTable
ALTER TABLE "workflows" ADD COLUMN     "version" INTEGER NOT NULL DEFAULT 1;

-- A trigger, so that changes by processes of the previous version count too.
CREATE FUNCTION increment_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.version := OLD.version + 1;
  RETURN NEW;
END $$;

CREATE TRIGGER increment_version BEFORE UPDATE ON "integrations"
FOR EACH ROW WHEN (OLD.* IS DISTINCT FROM NEW.*) EXECUTE FUNCTION increment_version();

CREATE TRIGGER increment_version BEFORE UPDATE ON "workflows"
FOR EACH ROW WHEN (OLD.* IS DISTINCT FROM NEW.*) EXECUTE FUNCTION increment_version();
