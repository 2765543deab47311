// Messages of integrations with an open circuit: they move to the next integration, or wait. One at a time is a probe.
import { despiteConflicts } from '../driver/database-errors.ts'
import type { Connection } from '../connection/database.ts'
import { groupBy } from '../../lib/group-by.ts'
import type { Delivery } from '../prisma/client.ts'
import { PROBE_EVERY } from './circuit.ts'
import { type Move, moveTo, routesAhead } from './delivery-route.ts'
import { announcementsOf, integrationKey, type Job, JOB_CHANNEL, takenRows } from './job.ts'
import { putBack, type ReturnedJob } from './send-rate.ts'
import { sql, sqlCount } from '../statement/statement.ts'
import { rowsOf, type Table } from '../statement/table.ts'

/** Milliseconds that a message waits for a circuit. Then it is attempted once more, and ends. As long as all attempts. */
const MAX_WAIT = 4 * 3600_000

/** A job that was just taken. */
type TakenMessage = ReturnedJob & Pick<Job, 'integrationId' | 'circuit' | 'dueAt' | 'data'>

const isOpen = ({ circuit }: Pick<Job, 'circuit'>) => circuit != null && circuit.probeAt !== null

type StoredRoutes = Pick<Delivery, 'id' | 'integrationId' | 'routes'> & {
  /** The integrations of the routes that can be used and have no open circuit. */
  readonly usable: readonly string[]
}

/** Reads the routes of messages, if they have several. */
const readRoutes = (db: Connection, environmentId: string, ids: readonly string[]): Promise<readonly StoredRoutes[]> =>
  sql<StoredRoutes>(db, 'open-circuit.readRoutes')`
    SELECT delivery.id, delivery.integration_id AS "integrationId", delivery.routes, ARRAY (
      SELECT integration.id FROM jsonb_array_elements(delivery.routes) AS route
      JOIN integrations AS integration
        ON integration.environment_id = delivery.environment_id AND integration.id = (route ->> 'integrationId')::uuid
      LEFT JOIN integration_circuits AS circuit
        ON circuit.environment_id = integration.environment_id AND circuit.integration_id = integration.id
      WHERE integration.active AND circuit.opened_at IS NULL
    ) AS usable
    FROM deliveries AS delivery
    WHERE delivery.environment_id = ${environmentId}::uuid AND delivery.id = ANY (${[...ids]}::uuid[])
      AND delivery.routes IS NOT NULL`

/** Lets one process send a probe, if one is due. @returns false if another process was faster. */
async function beginProbe(db: Connection, environmentId: string, integrationId: string, now: Date): Promise<boolean> {
  const count = await sqlCount(db, 'open-circuit.beginProbe')`
    UPDATE integration_circuits
    SET probing = true, probe_at = ${new Date(now.getTime() + PROBE_EVERY)}::timestamptz
    WHERE environment_id = ${environmentId}::uuid AND integration_id = ${integrationId}::uuid
      AND probe_at <= ${now}::timestamptz`
  return count > 0
}

/** The columns of a delivery that change with its integration. */
const movedTable: Table<Pick<Delivery, 'id' | keyof Move>> = {
  name: 'deliveries',
  fields: ['id', 'integrationId', 'integrationIdentifier', 'providerId', 'routes'],
}

interface MovedJob extends Pick<ReturnedJob, 'environmentId' | 'id' | 'attemptCount' | 'since'> {
  readonly deliveryId: string
  readonly move: Move
}

/** Lets messages continue with another integration, where they keep their places. */
async function moveJobs(db: Connection, environmentId: string, moved: readonly MovedJob[], now: Date): Promise<void> {
  const rows = moved.map(({ deliveryId, move }) => ({ id: deliveryId, ...move }))
  const taken = moved.map(({ id, attemptCount, since }) => ({ environmentId, id, attemptCount, availableAt: since }))
  const messages = announcementsOf(environmentId, [{ queue: 'deliver' }])
  await sqlCount(db, 'open-circuit.moveJobs')`
    WITH moved AS MATERIALIZED (
      SELECT * FROM ${rowsOf(movedTable, rows)}
    ), held AS MATERIALIZED (
      SELECT delivery.id FROM deliveries AS delivery JOIN moved USING (id)
      WHERE delivery.environment_id = ${environmentId}::uuid AND delivery.status = 'pending'
      ORDER BY delivery.id FOR UPDATE OF delivery
    ), changed AS (
      UPDATE deliveries AS delivery
      SET integration_id = moved.integration_id, integration_identifier = moved.integration_identifier,
          provider_id = moved.provider_id, routes = moved.routes, attempt_count = 0, updated_at = ${now}::timestamptz
      FROM held JOIN moved USING (id)
      WHERE delivery.environment_id = ${environmentId}::uuid AND delivery.id = held.id
    ), continued AS (
      UPDATE jobs SET attempt_count = jobs.attempt_count - 1, integration_id = moved.integration_id,
                      available_at = CASE WHEN jobs.held_by IS NULL THEN taken.available_at ELSE 'infinity' END
      FROM ${takenRows(taken)} AS taken, moved
      WHERE moved.id = (jobs.data ->> 'deliveryId')::uuid
        AND (jobs.environment_id, jobs.id, jobs.attempt_count) = (taken.environment_id, taken.id, taken.attempt_count)
    )
    SELECT pg_notify(${JOB_CHANNEL}, message) FROM unnest(${messages}::text[]) AS message`
}

/** Handles the messages of one integration with an open circuit. @returns those that are sent. */
async function passGroup<Taken extends TakenMessage>(
  db: Connection,
  group: readonly Taken[],
  now: Date,
): Promise<readonly Taken[]> {
  const [first] = group
  if (first?.circuit?.probeAt == null) return group
  const { environmentId, integrationId } = first
  const nextProbe = new Date(first.circuit.probeAt)
  const isProbing = nextProbe <= now && (await beginProbe(db, environmentId, integrationId, now))
  const rest = isProbing ? group.slice(1) : group
  const until = nextProbe <= now ? new Date(now.getTime() + PROBE_EVERY) : nextProbe
  const deliveryIdOf = ({ data }: Taken) => ('deliveryId' in data ? data.deliveryId : '')
  const stored = new Map(
    (rest.length === 0 ? [] : await readRoutes(db, environmentId, rest.map(deliveryIdOf))).map((row) => [row.id, row]),
  )
  const moved: MovedJob[] = []
  const waiting: ReturnedJob[] = []
  const sent: Taken[] = isProbing ? [first] : []
  for (const job of rest) {
    const deliveryId = deliveryIdOf(job)
    const delivery = stored.get(deliveryId)
    const next = delivery && routesAhead(delivery).find((route) => delivery.usable.includes(route.integrationId))
    if (delivery && next) moved.push({ ...job, deliveryId, move: moveTo(delivery, next, 'circuit_open') })
    else if (job.dueAt.getTime() + MAX_WAIT <= now.getTime()) sent.push({ ...job, isLast: true })
    else waiting.push({ ...job, since: until })
  }
  if (moved.length > 0) await despiteConflicts(() => moveJobs(db, environmentId, moved, now))
  if (waiting.length > 0) await putBack(db, waiting)
  return sent
}

/**
 * Of taken messages, lets those pass whose integration has no open circuit, and one as a probe if it is due. The others
 * move to their next integration, or wait for the next probe, which does not count as an attempt. Nothing is read or
 * written if no circuit is open.
 */
export async function passCircuits<Taken extends TakenMessage>(
  db: Connection,
  jobs: readonly Taken[],
  now: Date,
): Promise<readonly Taken[]> {
  if (!jobs.some(isOpen)) return jobs
  const passed: Taken[] = []
  for (const group of groupBy(jobs, integrationKey).values()) passed.push(...(await passGroup(db, group, now)))
  return passed
}
