-- CreateTable: unlogged, for it is written often and nothing is lost with it that five seconds do not mend.
CREATE UNLOGGED TABLE "rate_limit_buckets" (
    "environment_id" UUID NOT NULL,
    "category" TEXT NOT NULL,
    "missing" DOUBLE PRECISION NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "rate_limit_buckets_pkey" PRIMARY KEY ("environment_id","category")
);

-- AddForeignKey
ALTER TABLE "rate_limit_buckets" ADD CONSTRAINT "rate_limit_buckets_environment_id_fkey" FOREIGN KEY ("environment_id") REFERENCES "environments"("id") ON DELETE CASCADE ON UPDATE CASCADE;
