-- CreateTable
CREATE TABLE "workflow_suspensions" (
    "environment_id" UUID NOT NULL,
    "workflow_id" UUID NOT NULL,
    "version" TIMESTAMPTZ(3) NOT NULL,
    "stopped_at" TIMESTAMPTZ(3)[],
    "reason" TEXT NOT NULL,
    "suspended_at" TIMESTAMPTZ(3),
    "tried_at" TIMESTAMPTZ(3),

    CONSTRAINT "workflow_suspensions_pkey" PRIMARY KEY ("environment_id","workflow_id","version")
);

-- AddForeignKey
ALTER TABLE "workflow_suspensions" ADD CONSTRAINT "workflow_suspensions_environment_id_workflow_id_fkey" FOREIGN KEY ("environment_id", "workflow_id") REFERENCES "workflows"("environment_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;
