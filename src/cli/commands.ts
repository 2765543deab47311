// The table of commands. A name with several words is a command in a group.
import type { Command } from './command/command.ts'
import { adopt } from './commands/adopt.ts'
import { backup } from './commands/backup.ts'
import { createKey } from './commands/create-key.ts'
import { demo } from './commands/demo.ts'
import { eraseCommand } from './commands/erase-subscriber.ts'
import { exportCommand } from './commands/export-subscriber.ts'
import { exportSubscribers, exportSubscriptions, exportSuppressions, exportTopics } from './commands/export.ts'
import { importSubscribers, importSubscriptions, importSuppressions, importTopics } from './commands/import.ts'
import { listKeys } from './commands/list-keys.ts'
import { doctor } from './commands/doctor.ts'
import { failuresCommand, retryCommand } from './commands/failures.ts'
import { login } from './commands/login.ts'
import { migrateDatabase } from './commands/migrate.ts'
import { pauseCommand, resumeCommand } from './commands/pause.ts'
import { queueCommand } from './commands/queue.ts'
import { reencryptSecrets } from './commands/reencrypt.ts'
import { restore } from './commands/restore.ts'
import { revokeKey } from './commands/revoke-key.ts'
import { sweepContexts } from './commands/sweep-contexts.ts'

export const commands = {
  demo,
  login,
  adopt,
  'import subscribers': importSubscribers,
  'import topics': importTopics,
  'import subscriptions': importSubscriptions,
  'import suppressions': importSuppressions,
  'export subscribers': exportSubscribers,
  'export subscriber': exportCommand,
  'erase subscriber': eraseCommand,
  'export topics': exportTopics,
  'export subscriptions': exportSubscriptions,
  'export suppressions': exportSuppressions,
  'sweep contexts': sweepContexts,
  pause: pauseCommand,
  resume: resumeCommand,
  queue: queueCommand,
  failures: failuresCommand,
  retry: retryCommand,
  backup,
  restore,
  doctor,
  migrate: migrateDatabase,
  reencrypt: reencryptSecrets,
  'keys list': listKeys,
  'keys create': createKey,
  'keys revoke': revokeKey,
} as const satisfies Readonly<Record<string, Command>>

/** @returns undefined if there is no such command. */
export function commandNamed(name: string): Command | undefined {
  return Object.entries<Command>(commands).find(([known]) => known === name)?.[1]
}
