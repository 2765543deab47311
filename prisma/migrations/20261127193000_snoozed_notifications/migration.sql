-- Snoozed notifications, the targets of links, and the place in the feed after a return: without a default that a process
-- of an earlier version would have to write.
ALTER TABLE "notifications" ADD COLUMN     "delivered_at" TIMESTAMPTZ(3)[] DEFAULT ARRAY[]::TIMESTAMPTZ(3)[],
ADD COLUMN     "first_created_at" TIMESTAMPTZ(3),
ADD COLUMN     "snoozed_until" TIMESTAMPTZ(3),
ADD COLUMN     "target" TEXT;
