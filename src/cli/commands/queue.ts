// queue: shows the contents of the queue, and what keeps messages from being sent.
import { z } from 'zod'
import { environments } from '../../domain/access/environment.ts'
import { operatorIn, operators } from '../../domain/access/operator.ts'
import { queueContents } from '../../domain/execution/queue-contents.ts'
import { createScope } from '../../domain/resolver/create-scope.ts'
import { command, type GatewayContext, option } from '../command/command.ts'
import { allRows } from '../transfers/rows.ts'
import { textTable } from '../output/text-table.ts'

interface Named {
  readonly id: string
  readonly name: string
}

/** The environments of every organization, or only the named one. */
async function chosen({ gateway }: GatewayContext, environment: string | undefined): Promise<Named[]> {
  if (environment !== undefined) {
    const { environmentId } = await operatorIn(gateway.db, environment)
    return [{ id: environmentId, name: environment }]
  }
  const found: Named[] = []
  for (const operator of await operators(gateway.db)) {
    const scope = createScope(gateway, operator)
    found.push(...(await allRows(scope, (page) => environments(scope, { page }))))
  }
  return found
}

/** A time span in its largest unit. */
function age(from: Date | null, now: Date): string {
  if (from === null) return ''
  const seconds = Math.max(0, Math.round((now.getTime() - from.getTime()) / 1000))
  if (seconds < 120) return `${seconds} s`
  return seconds < 7200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3600)} h`
}

export const queueCommand = command({
  place: 'gateway',
  description:
    'Shows what waits in the queue by environment, kind and integration, what is paused, which providers are down, and which environments do not send.',
  details:
    'due: can be executed now. later: waits for a time, a further attempt or its end, if it is in progress. paused: waits until `resume`. limited: waits for the rate limit of its integration. oldest: since when the oldest job that is due, paused or limited waits.',
  examples: [
    ['queue', 'of all environments'],
    ['queue --environment Production --json', 'of one, as JSON'],
  ],
  parameters: {
    environment: option('ENVIRONMENT', 'name, identifier or id. Default: all environments', z.string().optional()),
  },
  async run(context, { environment }) {
    const { gateway, signal } = context
    const now = gateway.now()
    const contents = []
    for (const { id, name } of await chosen(context, environment)) {
      signal.throwIfAborted()
      const scope = createScope(gateway, await operatorIn(gateway.db, id))
      const { rules, ...content } = await queueContents(scope, {})
      const { sending, redirectTo } = rules
      contents.push({ environment: { id, name, sending, redirectTo }, ...content })
    }
    const jobs = contents.flatMap(({ environment: { name }, jobs }) =>
      jobs.map(({ kind, integrationIdentifier, due, later, held, limited, oldestSince }) => [
        ...[name, kind, integrationIdentifier ?? '', String(due), String(later), String(held)],
        String(limited),
        age(oldestSince, now),
      ]),
    )
    const pauses = contents.flatMap(({ environment: { name }, pauses }) =>
      pauses.map(({ named, pausedAt, pausedBy, reason }) => [
        name,
        named,
        pausedAt.toISOString(),
        pausedBy,
        reason ?? '',
      ]),
    )
    const circuits = contents.flatMap(({ environment: { name }, circuits }) =>
      circuits.map(({ integrationIdentifier, isFallback, openedAt, nextProbeAt }) => [
        ...[name, integrationIdentifier, isFallback ? 'yes' : 'no', openedAt.toISOString()],
        nextProbeAt?.toISOString() ?? '',
      ]),
    )
    const unsent = contents.flatMap(({ environment: { name, sending, redirectTo } }) =>
      sending === 'live' ? [] : [[name, sending, redirectTo ?? '']],
    )
    const tables = [
      jobs.length === 0
        ? 'the queue is empty'
        : textTable(['environment', 'kind', 'integration', 'due', 'later', 'paused', 'limited', 'oldest'], jobs),
      ...(pauses.length === 0 ? [] : [textTable(['environment', 'paused', 'since', 'by', 'reason'], pauses)]),
      ...(circuits.length === 0
        ? []
        : [textTable(['environment', 'circuit open', 'fallback', 'since', 'next probe'], circuits)]),
      ...(unsent.length === 0 ? [] : [textTable(['environment', 'sending', 'redirected to'], unsent)]),
    ]
    return { text: tables.join('\n\n'), result: { environments: contents } }
  },
})
