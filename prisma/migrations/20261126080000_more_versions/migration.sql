-- AlterTable
ALTER TABLE "channel_endpoints" ADD COLUMN     "version" INTEGER NOT NULL DEFAULT 1;

-- AlterTable
ALTER TABLE "contexts" ADD COLUMN     "version" INTEGER NOT NULL DEFAULT 1;

-- AlterTable
ALTER TABLE "environments" ADD COLUMN     "version" INTEGER NOT NULL DEFAULT 1;

-- AlterTable
ALTER TABLE "subscribers" ADD COLUMN     "version" INTEGER NOT NULL DEFAULT 1;

-- AlterTable
ALTER TABLE "topic_subscriptions" ADD COLUMN     "version" INTEGER NOT NULL DEFAULT 1;

-- AlterTable
ALTER TABLE "topics" ADD COLUMN     "version" INTEGER NOT NULL DEFAULT 1;

-- As for workflows and integrations: changes by processes of the previous version count too.
CREATE TRIGGER increment_version BEFORE UPDATE ON "channel_endpoints"
FOR EACH ROW WHEN (OLD.* IS DISTINCT FROM NEW.*) EXECUTE FUNCTION increment_version();

-- The time of the last use is no change of the context.
CREATE TRIGGER increment_version BEFORE UPDATE ON "contexts"
FOR EACH ROW WHEN (OLD.data IS DISTINCT FROM NEW.data) EXECUTE FUNCTION increment_version();

CREATE TRIGGER increment_version BEFORE UPDATE ON "environments"
FOR EACH ROW WHEN (OLD.* IS DISTINCT FROM NEW.*) EXECUTE FUNCTION increment_version();

-- The table has generated columns, which a condition cannot read before they are computed.
CREATE TRIGGER increment_version BEFORE UPDATE ON "subscribers"
FOR EACH ROW WHEN (
  (OLD.first_name, OLD.last_name, OLD.email, OLD.phone, OLD.avatar, OLD.locale, OLD.timezone, OLD.data)
  IS DISTINCT FROM
  (NEW.first_name, NEW.last_name, NEW.email, NEW.phone, NEW.avatar, NEW.locale, NEW.timezone, NEW.data)
) EXECUTE FUNCTION increment_version();

CREATE TRIGGER increment_version BEFORE UPDATE ON "topic_subscriptions"
FOR EACH ROW WHEN (OLD.* IS DISTINCT FROM NEW.*) EXECUTE FUNCTION increment_version();

CREATE TRIGGER increment_version BEFORE UPDATE ON "topics"
FOR EACH ROW WHEN (OLD.* IS DISTINCT FROM NEW.*) EXECUTE FUNCTION increment_version();
