-- CreateTable: unlogged, because a missing position is recorded again and the table is written by each mutation.
CREATE UNLOGGED TABLE "write_positions" (
    "environment_id" UUID NOT NULL,
    "position" pg_lsn NOT NULL,

    CONSTRAINT "write_positions_pkey" PRIMARY KEY ("environment_id")
);

-- AddForeignKey
ALTER TABLE "write_positions" ADD CONSTRAINT "write_positions_environment_id_fkey" FOREIGN KEY ("environment_id") REFERENCES "environments"("id") ON DELETE CASCADE ON UPDATE CASCADE;
