-- CreateTable
CREATE TABLE "finished_tasks" (
    "name" TEXT NOT NULL,
    "finished_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "finished_tasks_pkey" PRIMARY KEY ("name")
);
