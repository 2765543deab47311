// Lists of events by outcome: the best index for each, in the order of creation. The rules are those of
// `domain/trigger/event-outcome.ts`.
import { type EventSource, eventOf, hasNone, allEvents } from './event-source.ts'
import type { Tenant } from './reading/loader.ts'
import { Prisma } from './prisma/client.ts'

type Outcome = 'pending' | 'delivered' | 'partly' | 'failed' | 'nothing'

/** Selects events by outcome. */
export interface OutcomeFilter {
  readonly outcome: Outcome
  /** The reasons of events that failed or were skipped. */
  readonly failures: readonly string[]
  readonly skips: readonly string[]
}

/** The outcome that the counts of a tally result in. The index in the migration of the indexes has the same text. */
const tallied = Prisma.raw(`(CASE
  WHEN outcome_pending + outcome_delivered + outcome_failed + outcome_nothing
    <> runs_running + runs_waiting + runs_completed + runs_failed + runs_cancelled THEN 'unknown'
  WHEN outcome_pending > 0 THEN 'pending' WHEN outcome_delivered = 0 AND outcome_failed > 0 THEN 'failed'
  WHEN outcome_delivered = 0 THEN 'nothing' WHEN outcome_failed + outcome_nothing > 0 THEN 'partly'
  ELSE 'delivered' END)`)

/** The exact numbers of runs by outcome, including runs of earlier versions, whose outcome is not stored yet. */
const counted = ({ environmentId }: Tenant) => Prisma.sql`CROSS JOIN LATERAL (
  SELECT coalesce(sum(runs) FILTER (WHERE outcome = 'pending'), 0) AS pending,
         coalesce(sum(runs) FILTER (WHERE outcome = 'delivered'), 0) AS delivered,
         coalesce(sum(runs) FILTER (WHERE outcome = 'failed'), 0) AS failed,
         coalesce(sum(runs) FILTER (WHERE outcome = 'nothing'), 0) AS nothing
  FROM (
    SELECT outcome, runs FROM event_outcomes WHERE environment_id = ${environmentId}::uuid AND event_id = child.id
    UNION ALL
    SELECT outcome, runs FROM event_outcome_changes WHERE environment_id = ${environmentId}::uuid AND event_id = child.id
    UNION ALL
    SELECT settled.outcome, 1 FROM workflow_runs AS run
    CROSS JOIN LATERAL run_outcome(run.environment_id, run.id, run.status, run.error, run.updated_at) AS settled
    WHERE run.environment_id = ${environmentId}::uuid AND run.event_id = child.id AND run.outcome IS NULL
  ) AS part
) AS recipients`

const isFannedOut = Prisma.sql`child.fanned_out_at IS NOT NULL`

/** The fan-out has ended: all runs exist, or the missing ones are not created. */
const isClosed = Prisma.sql`AND (${isFannedOut} OR child.cancelled_at IS NOT NULL OR child.reason IS NOT NULL)`

const hasFailed = (failures: readonly string[]) =>
  Prisma.sql`coalesce(child.reason = ANY (${[...failures]}::text[]), false)`

/** The condition that one of these conditions is true. Each has a leading AND, like the result. */
export const anyOf = (conditions: readonly Prisma.Sql[]): Prisma.Sql => {
  const [only, ...others] = conditions
  if (only === undefined) return Prisma.sql`AND false`
  if (others.length === 0) return only
  const parts = conditions.map((condition) => Prisma.sql`(true ${condition})`)
  return Prisma.sql`AND (${Prisma.join(parts, ' OR ')})`
}

/** The condition that an event whose recipients are counted has an outcome. */
function exactly({ outcome, failures }: OutcomeFilter): Prisma.Sql {
  const ended = Prisma.sql`AND recipients.pending = 0 ${isClosed}`
  const rest = Prisma.sql`recipients.failed + recipients.nothing`
  switch (outcome) {
    case 'pending':
      return Prisma.sql`AND NOT (recipients.pending = 0 ${isClosed})`
    case 'delivered':
      return Prisma.sql`${ended} AND recipients.delivered > 0 AND ${rest} = 0 AND ${isFannedOut}`
    case 'partly':
      return Prisma.sql`${ended} AND recipients.delivered > 0 AND NOT (${rest} = 0 AND ${isFannedOut})`
    case 'failed':
      return Prisma.sql`${ended} AND recipients.delivered = 0 AND (recipients.failed > 0 OR ${hasFailed(failures)})`
    case 'nothing':
      return Prisma.sql`${ended} AND recipients.delivered + recipients.failed = 0 AND NOT ${hasFailed(failures)}`
  }
}

/** Events with one of these outcomes, which is found by checking each event. */
export const checked = (
  tenant: Tenant,
  { from, where, key }: EventSource,
  outcomes: readonly OutcomeFilter[],
): EventSource => ({
  from: Prisma.sql`${from} ${counted(tenant)}`,
  where: Prisma.sql`${where} ${anyOf(outcomes.map(exactly))}`,
  ...(key !== undefined && { key }),
})

const isUnchanged = (tenant: Tenant) =>
  Prisma.sql`${hasNone(tenant, 'event_tally_changes')} ${hasNone(tenant, 'event_outcome_changes')}`

/** The condition that the tally of an event has one of these outcomes, or that the event has no tally. */
const isTallied = ({ environmentId }: Tenant, ...outcomes: readonly string[]) => Prisma.sql`AND coalesce((
  SELECT ${tallied} = ANY (${[...outcomes]}::text[]) FROM event_tallies
  WHERE environment_id = ${environmentId}::uuid AND event_id = child.id LIMIT 1
), true)`

/** Events whose tally has an outcome and is up to date, by the index of tallies. */
const byTally = (tenant: Tenant, outcome: Outcome | 'unknown', where = isClosed): EventSource => ({
  from: Prisma.sql`event_tallies AS tally ${eventOf(tenant, 'tally.event_id')}`,
  where: Prisma.sql`AND tally.environment_id = ${tenant.environmentId}::uuid
    AND ${tallied} = ${Prisma.raw(`'${outcome}'`)} ${where} ${isUnchanged(tenant)}`,
  key: { createdAt: 'tally.created_at', id: 'tally.event_id' },
})

/** Events by the index of one of their own columns. */
const byEvent = (tenant: Tenant, where: Prisma.Sql, tally: Prisma.Sql): EventSource => ({
  ...allEvents,
  where: Prisma.sql`${where} ${isUnchanged(tenant)} ${tally}`,
})

const withReason = (reason: string) => Prisma.sql`AND child.reason = ${reason}`
const isCancelled = Prisma.sql`AND child.cancelled_at IS NOT NULL AND child.reason IS NULL`
const isInFanOut = Prisma.sql`AND child.fanned_out_at IS NULL AND child.reason IS NULL AND child.cancelled_at IS NULL`
/** All runs delivered something, but not every recipient has a run. */
const isCutShort = ({ environmentId }: Tenant) => Prisma.sql`AND child.fanned_out_at IS NULL AND (
  SELECT ${tallied} FROM event_tallies WHERE environment_id = ${environmentId}::uuid AND event_id = child.id LIMIT 1
) = 'delivered'`

/** Disjoint sources of the events whose counts are up to date. */
function upToDate({ outcome, failures, skips }: OutcomeFilter, tenant: Tenant): EventSource[] {
  switch (outcome) {
    case 'pending':
      return [
        byTally(tenant, 'pending', Prisma.empty),
        byEvent(tenant, isInFanOut, isTallied(tenant, 'delivered', 'partly', 'failed', 'nothing')),
      ]
    case 'delivered':
      return [byTally(tenant, 'delivered', Prisma.sql`AND ${isFannedOut}`)]
    case 'partly':
      return [
        byTally(tenant, 'partly'),
        ...failures.map((reason) => byEvent(tenant, withReason(reason), isCutShort(tenant))),
        byEvent(tenant, isCancelled, isCutShort(tenant)),
      ]
    case 'failed':
      return [
        byTally(tenant, 'failed'),
        ...failures.map((reason) => byEvent(tenant, withReason(reason), isTallied(tenant, 'nothing'))),
      ]
    case 'nothing':
      return [
        byTally(tenant, 'nothing', Prisma.sql`${isClosed} AND NOT ${hasFailed(failures)}`),
        ...skips.map((reason) => byEvent(tenant, withReason(reason), hasNone(tenant, 'event_tallies'))),
        byEvent(tenant, isCancelled, hasNone(tenant, 'event_tallies')),
      ]
  }
}

/**
 * Events with an outcome, by the best indexes. Few events have changes that are not added to a tally yet, and none has
 * an unknown outcome once the runs of earlier versions have theirs.
 */
export function branchesByOutcome(filter: OutcomeFilter, tenant: Tenant): EventSource[] {
  const environment = Prisma.sql`environment_id = ${tenant.environmentId}::uuid`
  const changed: EventSource = {
    from: Prisma.sql`(
      SELECT event_id FROM event_tally_changes WHERE ${environment}
      UNION SELECT event_id FROM event_outcome_changes WHERE ${environment}
    ) AS given ${eventOf(tenant, 'given.event_id')}`,
    where: Prisma.empty,
  }
  return [
    ...upToDate(filter, tenant),
    checked(tenant, byTally(tenant, 'unknown', Prisma.empty), [filter]),
    checked(tenant, changed, [filter]),
  ]
}
