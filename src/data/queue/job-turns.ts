// Turns of jobs: which of an environment's available jobs come next, by priority and by integration.
import { type JobKind, NO_INTEGRATION, priorities, type Priority } from './job.ts'
import { Prisma } from '../prisma/client.ts'
import { sendRateOf } from './send-rate.ts'
import { limitTo } from '../statement/statement.ts'

/** The condition of each kind, exactly as in its index. */
export const ofKind = {
  events: Prisma.sql`queue = 'fan_out'`,
  runs: Prisma.sql`queue NOT IN ('fan_out', 'deliver')`,
  messages: Prisma.sql`queue = 'deliver'`,
} as const satisfies Record<JobKind, Prisma.Sql>

/** The messages that can be taken for one integration. */
export interface IntegrationRoom {
  /** The maximum number of messages to take. */
  readonly room: number
  /** The number of messages in flight. Integrations with fewer are served first. */
  readonly open: number
}

/** The messages that can be taken for each integration. */
export interface IntegrationRooms {
  /** By `integrationKey`. */
  readonly known: Readonly<Record<string, IntegrationRoom>>
  /** The room of any other integration. */
  readonly room: number
}

export interface Taking<Kind extends JobKind> {
  readonly kind: Kind
  /** The maximum number of jobs to take, in total and of each environment. */
  readonly count: { readonly all: number; readonly each: number }
  /** The priority that goes first. The others follow in their order. Default: the highest. */
  readonly first?: Priority
  /** Bounds the messages of each integration. Default: no bounds, and integrations do not take turns. */
  readonly rooms?: IntegrationRooms
  /** The environment that was served last. The one after it is served first. */
  readonly after: string
  /** Environments that are skipped. */
  readonly except: readonly string[]
  /** Jobs that this process has taken but not yet locked. Their leases may have expired. */
  readonly taken?: readonly string[]
  readonly now: Date
  /** The time after which other processes may take the jobs again, in milliseconds. */
  readonly lease: number
}

/**
 * The available jobs of the environment `visited.id` with one priority and integration, up to `limit`. They are
 * compared as rows, so that only the index on both is in this order. Any other index would read the jobs of all
 * priorities.
 */
const available = <Kind extends JobKind>(
  { kind, taken = [], now }: Taking<Kind>,
  priority: Prisma.Sql,
  integrationId: Prisma.Sql,
  limit: Prisma.Sql,
): Prisma.Sql => Prisma.sql`
  SELECT environment_id, id, available_at, priority FROM jobs
  WHERE ${ofKind[kind]} AND environment_id = visited.id
    AND (priority, integration_id, available_at) >= (${priority}, ${integrationId}, timestamptz '-infinity')
    AND (priority, integration_id, available_at) <= (${priority}, ${integrationId}, ${now}::timestamptz)
    AND id <> ALL (${[...taken]}::uuid[])
  ORDER BY priority, integration_id, available_at, id ${limit} FOR UPDATE SKIP LOCKED`

/** Compares priorities of jobs: `first` goes first, and the others follow in their order. */
export const byPriority =
  (first: Priority) =>
  (one: Priority, other: Priority): number =>
    Number(other === first) - Number(one === first) || one - other

/** The next jobs of the environment `visited.id`, without bounds for integrations. */
function nextByPriority<Kind extends JobKind>(taking: Taking<Kind>): Prisma.Sql {
  const { count, first = priorities.critical } = taking
  const limit = limitTo(count.each)
  const order = Object.values(priorities).sort(byPriority(first))
  return Prisma.sql`
    SELECT job.*, 0 AS place, NULL::json AS limited, NULL::json AS circuit FROM unnest(${order}::smallint[]) AS level
    CROSS JOIN LATERAL (
      ${available(taking, Prisma.sql`level`, Prisma.sql`${NO_INTEGRATION}::uuid`, limit)}
    ) AS job
    ${limit}`
}

/**
 * The next jobs of the environment `visited.id`, for each integration as many as it has room for. Within a priority,
 * the integration with the fewest messages in flight comes first.
 *
 * Integrations are looked up one by one in the index too, so those without room cost nothing, however many jobs they
 * have. One with a rate limit has no more room than tokens. One with an open circuit has room for all, because its
 * messages are not sent.
 */
function nextByIntegration<Kind extends JobKind>(taking: Taking<Kind>, { known, room }: IntegrationRooms): Prisma.Sql {
  const { kind, count, first = priorities.critical, now } = taking
  const limit = Prisma.sql`LIMIT least(room, ${count.each}::int)`
  const order = Prisma.sql`priority <> ${first}::smallint, priority`
  return Prisma.sql`
    SELECT * FROM (
      SELECT environment_id, id, available_at, priority, room, limited, circuit,
             row_number() OVER (PARTITION BY integration_id ORDER BY ${order}, available_at, id) AS number,
             open + row_number() OVER (PARTITION BY integration_id ORDER BY ${order}, available_at, id) AS place
      FROM (
        WITH RECURSIVE line(priority, integration_id) AS (
          (
            SELECT priority, integration_id FROM jobs WHERE ${ofKind[kind]} AND environment_id = visited.id
            ORDER BY priority, integration_id LIMIT 1
          )
          UNION ALL
          SELECT following.* FROM line CROSS JOIN LATERAL (
            SELECT priority, integration_id FROM jobs
            WHERE ${ofKind[kind]} AND environment_id = visited.id
              AND (priority, integration_id) > (line.priority, line.integration_id)
            ORDER BY priority, integration_id LIMIT 1
          ) AS following
        )
        SELECT job.*, line.integration_id, room, open, limited, circuit FROM line
        CROSS JOIN LATERAL (
          SELECT CASE WHEN opened_at IS NULL
                   THEN least(coalesce((integration -> 'room')::int, ${room}::int), tokens) ELSE ${count.each}::int END AS room,
                 coalesce((integration -> 'open')::int, 0) AS open, limited,
                 CASE WHEN failures.integration_id IS NOT NULL
                   THEN json_build_object('probeAt', probe_at) END AS circuit
          FROM (VALUES (${JSON.stringify(known)}::jsonb -> (visited.id || ' ' || line.integration_id))) AS known(integration)
          LEFT JOIN LATERAL (
            ${sendRateOf(Prisma.sql`visited.id`, Prisma.sql`line.integration_id`, now)}
          ) AS rate ON true
          LEFT JOIN integration_circuits AS failures
            ON failures.environment_id = visited.id AND failures.integration_id = line.integration_id
        ) AS bound
        CROSS JOIN LATERAL (
          ${available(taking, Prisma.sql`line.priority`, Prisma.sql`line.integration_id`, limit)}
        ) AS job
      ) AS found
    ) AS numbered
    WHERE number <= room
    ORDER BY ${order}, place, available_at, id ${limitTo(count.each)}`
}

/** Selects and locks the next jobs of the environment `visited.id`, for the statement that takes them. */
export const nextOfEnvironment = <Kind extends JobKind>(taking: Taking<Kind>): Prisma.Sql =>
  taking.rooms === undefined ? nextByPriority(taking) : nextByIntegration(taking, taking.rooms)
