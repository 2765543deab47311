-- CreateTable
CREATE TABLE "erasures" (
    "environment_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "marks" TEXT,
    "api_key_id" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "finished_at" TIMESTAMPTZ(3),

    CONSTRAINT "erasures_pkey" PRIMARY KEY ("environment_id","id")
);

-- AddForeignKey
ALTER TABLE "erasures" ADD CONSTRAINT "erasures_environment_id_fkey" FOREIGN KEY ("environment_id") REFERENCES "environments"("id") ON DELETE CASCADE ON UPDATE CASCADE;
