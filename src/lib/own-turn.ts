// Turns of the event loop, for long work that is done piece by piece.
import { setImmediate as nextTurn } from 'node:timers/promises'

let latest: Promise<void> = Promise.resolve()

/**
 * Resolves in a turn of the event loop that no other caller of this function gets, in the order of the calls. So requests
 * are served between two pieces of work, also if many are ready at once.
 */
export const ownTurn = (): Promise<void> => (latest = latest.then(() => nextTurn()))
