-- CreateTable
CREATE TABLE "push_tickets" (
    "environment_id" UUID NOT NULL,
    "delivery_id" UUID NOT NULL,
    "ticket" TEXT NOT NULL,
    "integration_id" UUID NOT NULL,
    "due_at" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "push_tickets_pkey" PRIMARY KEY ("environment_id","delivery_id")
);

-- CreateIndex
CREATE INDEX "push_tickets_due_at_idx" ON "push_tickets"("due_at");

-- AddForeignKey
ALTER TABLE "push_tickets" ADD CONSTRAINT "push_tickets_environment_id_fkey" FOREIGN KEY ("environment_id") REFERENCES "environments"("id") ON DELETE CASCADE ON UPDATE CASCADE;
