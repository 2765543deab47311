// Adds up the changes that database triggers recorded: the tallies of events, and the statistics of messages. Also copies the
// columns of lists into rows of earlier versions.
import { copyColumns } from '../../data/housekeeping/copied-columns.ts'
import { despiteConflicts } from '../../data/driver/database-errors.ts'
import { foldTallies } from '../../data/event.ts'
import { foldStatistics } from '../../data/message-statistics.ts'
import type { PrismaClient } from '../../data/prisma/client.ts'

/** Changes that one statement adds up, and rows that one changes. On the embedded database, every request waits for it. */
const FOLDED_AT_ONCE = 1_000

/** Adds up the changes that there are and copies missing columns, or until `stopping`. */
export async function addUpCounts(db: PrismaClient, stopping: AbortSignal): Promise<void> {
  for (const change of [foldTallies, foldStatistics, copyColumns]) {
    while (!stopping.aborted && (await despiteConflicts(() => change(db, FOLDED_AT_ONCE))) === FOLDED_AT_ONCE);
  }
}
