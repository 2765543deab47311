-- The description of a workflow, and whether its payload schema applies to triggers.
ALTER TABLE "workflows"
  ADD COLUMN "description" TEXT,
  ADD COLUMN "validate_payload" BOOLEAN NOT NULL DEFAULT true;
