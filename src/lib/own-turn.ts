// Turns of the event loop, for long work that is done piece by piece.
import { setImmediate as nextTurn } from 'node:timers/promises'

let latest: Promise<void> = Promise.resolve()

/**
 * Resolves in a turn of the event loop of its own, in the order of the calls. Requests are served between two pieces of
 * work, even if many are ready at once.
 */
export const ownTurn = (): Promise<void> => (latest = latest.then(() => nextTurn()))
