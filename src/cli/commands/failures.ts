// failures and retry: lists lost messages, and sends them again.
import { z } from 'zod'
import { failures } from '../../domain/execution/failure.ts'
import { operatorIn } from '../../domain/access/operator.ts'
import { createScope } from '../../domain/resolver/create-scope.ts'
import { retryDeliveries } from '../../engine/retry-all.ts'
import { Channel } from '../../data/prisma/enums.ts'
import { refuse } from '../../lib/errors.ts'
import { command, flagOption, option } from '../command/command.ts'
import { textTable } from '../output/text-table.ts'

const time = z
  .string()
  .transform((given) => new Date(given))
  .refine((date) => !Number.isNaN(date.getTime()), 'must be a date or a time in ISO 8601, such as 2026-05-01T08:00Z')

const parameters = {
  environment: option('ENVIRONMENT', 'name, identifier or id', z.string()),
  integration: option('IDENTIFIER', 'only messages of this integration', z.string().optional()),
  workflow: option('IDENTIFIER', 'only messages of this workflow', z.string().optional()),
  channel: option(
    'CHANNEL',
    `only messages of this channel: ${Object.values(Channel).join(', ')}`,
    z.enum(Channel).optional(),
  ),
  reason: option('TEXT', 'only messages whose last error contains this text', z.string().optional()),
  since: option('TIME', 'only messages that failed at this time or later', time.optional()),
  until: option('TIME', 'only messages that failed before this time', time.optional()),
}

interface Given {
  readonly integration?: string | undefined
  readonly workflow?: string | undefined
  readonly channel?: Channel | undefined
  readonly reason?: string | undefined
  readonly since?: Date | undefined
  readonly until?: Date | undefined
}

const filterOf = ({ integration, since, until, workflow, channel, reason }: Given) => ({
  ...{ channel, reason },
  workflowIdentifier: workflow,
  integrationIdentifier: integration,
  failedAfter: since,
  failedBefore: until,
})

const minute = (at: Date) => at.toISOString().slice(0, 16).replace('T', ' ')
const MAX_REASON = 100

export const failuresCommand = command({
  place: 'gateway',
  description: 'Shows the messages that were lost, by integration and by the error of the last attempt.',
  details: '`retry` with the same options sends them again.',
  examples: [
    ['failures --environment Production', 'all that are stored'],
    ['failures --environment Production --since 2026-05-01T08:00Z --integration acme-sms', 'those of an outage'],
  ],
  parameters,
  async run({ gateway }, { environment, ...given }) {
    const scope = createScope(gateway, await operatorIn(gateway.db, environment))
    const groups = await failures(scope, { filter: filterOf(given) })
    const rows = groups.map(({ integrationIdentifier, channel, reason, count, firstAt, lastAt }) => [
      ...[String(count), integrationIdentifier, channel, minute(firstAt), minute(lastAt)],
      (reason ?? '').replaceAll(/\s+/g, ' ').slice(0, MAX_REASON),
    ])
    const table = textTable(['messages', 'integration', 'channel', 'first', 'last', 'reason'], rows)
    return { text: rows.length === 0 ? 'no failed messages' : table, result: { failures: groups } }
  },
})

const counted = (count: number) => `${count} ${count === 1 ? 'message' : 'messages'}`

export const retryCommand = command({
  place: 'gateway',
  description: 'Sends failed messages again, each with a full set of attempts. The options are those of `failures`.',
  details:
    'Messages whose subscriber was deleted or whose event was cancelled are left out. Each message is queued once, even if two commands overlap. After Ctrl-C, run the command again: it continues with those that are still failed.',
  examples: [
    ['retry --environment Production --integration acme-sms --dry-run', 'counts them'],
    ['retry --environment Production --integration acme-sms --reason 503', 'those that failed with a 503'],
    ['retry --environment Production --all', 'all of them'],
  ],
  parameters: {
    ...parameters,
    all: flagOption('all failed messages of the environment. Required without another option'),
    dryRun: flagOption('counts the messages and sends none'),
  },
  async run({ gateway, signal, progress }, { environment, all, dryRun, ...given }) {
    const isChosen = Object.values(given).some((value) => value !== undefined)
    if (!isChosen && !all) {
      throw refuse('INVALID', 'all is required unless another option selects messages', 'all')
    }
    const scope = createScope(gateway, await operatorIn(gateway.db, environment))
    const filter = filterOf(given)
    const { retried: whole } = await retryDeliveries(scope, { filter, dryRun: true })
    if (dryRun) return { text: `Would send ${counted(whole)} again.`, result: { retried: whole, dryRun } }
    let retried = 0
    let after: string | null = null
    do {
      signal.throwIfAborted()
      const page: Awaited<ReturnType<typeof retryDeliveries>> = await retryDeliveries(scope, { filter, after })
      retried += page.retried
      after = page.next
      progress({ done: retried, unit: 'messages', part: whole === 0 ? undefined : Math.min(1, retried / whole) })
    } while (after !== null)
    return { text: `Sending ${counted(retried)} again.`, result: { retried, dryRun } }
  },
})
