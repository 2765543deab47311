-- The name, logo and color that recipients know, for the pages of links in messages.
ALTER TABLE "environments" ADD COLUMN "brand" JSONB;
