// sweep contexts: deletes contexts that were created on first use and that nothing refers to any more.
import { z } from 'zod'
import { operatorIn } from '../../domain/access/operator.ts'
import { createScope } from '../../domain/resolver/create-scope.ts'
import { DEFAULT_UNUSED_DAYS, deleteUnusedContexts, MIN_UNUSED_DAYS } from '../../domain/unused-context.ts'
import { command, flagOption, option } from '../command/command.ts'

const counted = (count: number) => `${count} unused ${count === 1 ? 'context' : 'contexts'}`

export const sweepContexts = command({
  place: 'gateway',
  description: 'Deletes contexts that were created on first use and that nothing refers to any more.',
  details:
    'Reads all events, notifications, topic subscriptions, channel endpoints and preferences of the environment, while the gateway runs. Contexts that were created or updated on their own are kept.',
  examples: [
    ['sweep contexts --environment Production --dry-run', 'counts them'],
    ['sweep contexts --environment Production --unused-days 90', 'deletes those that no write has named for 90 days'],
  ],
  interrupted: (progress) => `stopped after ${counted(progress?.done ?? 0)}. Run the same command again to continue`,
  parameters: {
    environment: option('ENVIRONMENT', 'name, identifier or id', z.string()),
    unusedDays: option(
      'DAYS',
      `days for which no write has named the context, at least ${MIN_UNUSED_DAYS}. Default: ${DEFAULT_UNUSED_DAYS}`,
      z.coerce.number().pipe(z.int().min(MIN_UNUSED_DAYS)).optional(),
    ),
    dryRun: flagOption('counts the contexts and deletes none'),
  },
  async run({ gateway, signal, progress }, { environment, unusedDays, dryRun }) {
    const scope = createScope(gateway, await operatorIn(gateway.db, environment))
    let deleted = 0
    let after: string | null = null
    do {
      signal.throwIfAborted()
      const page: Awaited<ReturnType<typeof deleteUnusedContexts>> = await deleteUnusedContexts(scope, {
        unusedDays,
        dryRun,
        after,
      })
      deleted += page.deleted
      after = page.next
      progress({ done: deleted, unit: 'unused contexts' })
    } while (after !== null)
    const text = dryRun ? `Would delete ${counted(deleted)}.` : `Deleted ${counted(deleted)}.`
    return { text, result: { deleted, dryRun } }
  },
})
