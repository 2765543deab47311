// The deletion of the rows of deleted environments, as a process performs it in the background.
import { pino } from 'pino'
import { createEnvironmentDeletion, type EnvironmentDeletion } from '../../src/engine/environment-deletion.ts'
import type { World } from './world.ts'

/** @param logged receives the lines of its log. */
export const environmentDeletionOf = (world: World, logged: Record<string, unknown>[] = []): EnvironmentDeletion =>
  createEnvironmentDeletion({
    gateway: world.gateway,
    logger: pino({}, { write: (line) => logged.push(JSON.parse(line)) }),
    embedded: false,
    // No time passes, so that portions grow and there are no pauses.
    stopwatch: () => 0,
  })
