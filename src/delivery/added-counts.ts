// Adds up the changes that database triggers recorded: the tallies of events, and the statistics of messages.
import { foldTallies } from '../data/event.ts'
import { foldStatistics } from '../data/message-statistics.ts'
import type { PrismaClient } from '../data/prisma/client.ts'

/** Changes that one statement adds up. On the embedded database, every request waits for it. */
const FOLDED_AT_ONCE = 1_000

/** Adds up the changes that there are, or until `stopping`. */
export async function addUpCounts(db: PrismaClient, stopping: AbortSignal): Promise<void> {
  for (const fold of [foldTallies, foldStatistics]) {
    while (!stopping.aborted && (await fold(db, FOLDED_AT_ONCE)) === FOLDED_AT_ONCE);
  }
}
