-- The hours in which a subscriber receives messages, in the row for all workflows. Null if it has not chosen any.
ALTER TABLE subscriber_preferences ADD COLUMN schedule jsonb;
