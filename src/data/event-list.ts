// Lists of events: the best index for each filter and each status, in the order of creation.
import type { Order } from '../lib/cursor.ts'
import { eventTable } from './event.ts'
import { anyOf, branchesByOutcome, checked, type OutcomeFilter } from './event-outcome-list.ts'
import { type EventSource, eventOf, hasNone, allEvents } from './event-source.ts'
import type { Tenant } from './reading/loader.ts'
import { filterParts } from './reading/filter-parts.ts'
import { environmentPages, equalTo, inContexts, oneOf, pagesBy } from './reading/page.ts'
import { type Event, Prisma } from './prisma/client.ts'
import { type Branch, type CreatedWithin, createdWithin, type RowList } from './reading/row-list.ts'

/** Selects events. Undefined fields match everything. */
export interface EventFilter extends CreatedWithin {
  readonly transactionId?: string | undefined
  readonly workflowIdentifier?: readonly string[] | undefined
  /** The exact set of contexts, sorted, duplicates removed. */
  readonly contextKeys?: readonly string[] | undefined
  readonly reason?: readonly string[] | undefined
  readonly status?: readonly ListedStatus[] | undefined
  readonly outcome?: readonly OutcomeFilter[] | undefined
  /** The subscriberIds of recipients that have a run. */
  readonly subscriberId?: readonly string[] | undefined
}

/** A status, as `domain/trigger/event-status.ts` defines it. For skipped and failed events, the reasons. */
export type ListedStatus = 'accepted' | 'running' | 'completed' | 'cancelled' | readonly string[]

const equal = equalTo<Pick<EventFilter, 'transactionId' | 'workflowIdentifier' | 'reason'>>({
  transactionId: 'text',
  workflowIdentifier: 'text',
  reason: 'text',
})

/** An event whose status depends on its runs. */
const inForce = Prisma.sql`AND child.cancelled_at IS NULL AND child.reason IS NULL`

const isUnchanged = (tenant: Tenant) => hasNone(tenant, 'event_tally_changes')

/** The exact numbers of unfinished runs and of all runs. */
const counted = ({ environmentId }: Tenant) => Prisma.sql`CROSS JOIN LATERAL (
  SELECT coalesce(sum(open), 0) AS open, coalesce(sum(total), 0) AS total FROM (
    SELECT runs_running + runs_waiting AS open,
           runs_running + runs_waiting + runs_completed + runs_failed + runs_cancelled AS total
    FROM event_tallies WHERE environment_id = ${environmentId}::uuid AND event_id = child.id
    UNION ALL
    SELECT runs_running + runs_waiting, runs_running + runs_waiting + runs_completed + runs_failed + runs_cancelled
    FROM event_tally_changes WHERE environment_id = ${environmentId}::uuid AND event_id = child.id
  ) AS part
) AS runs`

/** Events whose status depends on their runs, which are counted. */
const exactly = {
  running: Prisma.sql`${inForce} AND (runs.open > 0 OR (runs.total > 0 AND child.fanned_out_at IS NULL))`,
  completed: Prisma.sql`${inForce} AND runs.open = 0 AND child.fanned_out_at IS NOT NULL`,
}

/** Events with a status that does not depend on counts. */
const conditions = {
  accepted: (tenant: Tenant) =>
    Prisma.sql`${inForce} AND child.fanned_out_at IS NULL ${hasNone(tenant, 'event_tallies')} ${isUnchanged(tenant)}`,
  cancelled: () => Prisma.sql`AND child.cancelled_at IS NOT NULL`,
}

/** For one reason, an index has its events in order. */
const withReason = (reasons: readonly string[]): Prisma.Sql =>
  reasons.length === 1
    ? Prisma.sql`AND child.cancelled_at IS NULL AND child.reason = ${reasons[0]}`
    : Prisma.sql`AND child.cancelled_at IS NULL AND child.reason = ANY (${[...reasons]}::text[])`

/** Events whose status depends on counts. */
const isCounted = (status: ListedStatus): status is 'running' | 'completed' =>
  status === 'running' || status === 'completed'

/** The condition that an event has a status, with a leading AND. */
function withStatus(tenant: Tenant, status: ListedStatus): Prisma.Sql {
  if (isCounted(status)) return exactly[status]
  return typeof status === 'string' ? conditions[status](tenant) : withReason(status)
}

/** Events with one of these statuses, which is found by checking each event. */
function narrowed(tenant: Tenant, { from, where, key }: EventSource, statuses: EventFilter['status']): Branch {
  const keyed = key === undefined ? {} : { key }
  if (statuses === undefined) return { from, where, ...keyed }
  return {
    from: statuses.some(isCounted) ? Prisma.sql`${from} ${counted(tenant)}` : from,
    where: Prisma.sql`${where} ${anyOf(statuses.map((status) => withStatus(tenant, status)))}`,
    ...keyed,
  }
}

/**
 * Events with running or completed runs. Tallies have an index. Few events have changes that are not added to a tally
 * yet, and few are partly fanned out.
 */
function branchesByRuns(status: 'running' | 'completed', tenant: Tenant): Branch[] {
  const environment = Prisma.sql`environment_id = ${tenant.environmentId}::uuid`
  const added: Branch = {
    from: Prisma.sql`event_tallies AS tally ${eventOf(tenant, 'tally.event_id')}`,
    where:
      status === 'running'
        ? Prisma.sql`AND tally.${environment} AND tally.runs_running + tally.runs_waiting > 0
            ${inForce} ${isUnchanged(tenant)}`
        : Prisma.sql`AND tally.${environment} AND tally.runs_running + tally.runs_waiting <= 0
            ${inForce} ${isUnchanged(tenant)} AND child.fanned_out_at IS NOT NULL`,
    key: { createdAt: 'tally.created_at', id: 'tally.event_id' },
  }
  const of = (ids: Prisma.Sql) =>
    Prisma.sql`(SELECT DISTINCT ${ids}) AS given ${eventOf(tenant, 'given.event_id')} ${counted(tenant)}`
  const changed: Branch = {
    from: of(Prisma.sql`event_id FROM event_tally_changes WHERE ${environment}`),
    where: exactly[status],
  }
  if (status === 'completed') return [added, changed]
  const betweenPages: Branch = {
    from: of(Prisma.sql`(data->>'eventId')::uuid AS event_id FROM jobs
      WHERE ${environment} AND queue = 'fan_out' AND data ? 'place'`),
    where: Prisma.sql`${exactly[status]} AND runs.open = 0 ${isUnchanged(tenant)}`,
  }
  return [added, changed, betweenPages]
}

/** Events with an outcome, by the best index for a filter. */
function branchesOfOutcome(
  outcome: OutcomeFilter,
  isOfWorkflow: boolean,
  tenant: Tenant,
  { field }: Order,
): EventSource[] {
  // Most events of a workflow deliver something to all recipients, or nothing to any, and only few have failed.
  const isUsual = outcome.outcome === 'delivered' || outcome.outcome === 'nothing'
  return field !== 'createdAt' || (isOfWorkflow && isUsual)
    ? [checked(tenant, allEvents, [outcome])]
    : branchesByOutcome(outcome, tenant)
}

/** Events with a status, by the best index for a filter. */
function branchesOfStatus(status: ListedStatus, isOfWorkflow: boolean, tenant: Tenant): readonly Branch[] {
  // Most events of a workflow are completed, and only few are running.
  if (status === 'running' || (status === 'completed' && !isOfWorkflow)) return branchesByRuns(status, tenant)
  return typeof status === 'string'
    ? [narrowed(tenant, allEvents, [status])]
    : status.map((reason) => narrowed(tenant, allEvents, [[reason]]))
}

/** Events, by the best index for a filter. */
function branchesOf(
  { status, outcome }: EventFilter,
  isOfWorkflow: boolean,
  tenant: Tenant,
  order: Order,
): readonly Branch[] {
  // Two filters that exclude each other.
  if (outcome?.length === 0 || status?.length === 0) return [{ ...allEvents, where: Prisma.sql`AND false` }]
  if (outcome !== undefined) {
    return outcome.flatMap((each) =>
      branchesOfOutcome(each, isOfWorkflow, tenant, order).map((branch) => narrowed(tenant, branch, status)),
    )
  }
  if (order.field !== 'createdAt' || status === undefined) return [narrowed(tenant, allEvents, status)]
  return status.flatMap((each) => branchesOfStatus(each, isOfWorkflow, tenant))
}

/** The runs of a subscriber as `recipient`, with their events. A subscriber has few enough to check each. */
const recipients = (tenant: Tenant): EventSource => ({
  from: Prisma.sql`workflow_runs AS recipient ${eventOf(tenant, 'recipient.event_id')}`,
  where: Prisma.sql`AND recipient.environment_id = ${tenant.environmentId}::uuid AND recipient.event_created_at IS NOT NULL`,
  key: { createdAt: 'recipient.event_created_at', id: 'recipient.event_id' },
})

function branchesOfSubscriber(filter: EventFilter, tenant: Tenant): Branch[] {
  const { status, outcome, subscriberId, workflowIdentifier } = filter
  const { where, ...base } = recipients(tenant)
  const conditions = [
    where,
    // The list is split into parts with one subscriber each.
    ...(subscriberId === undefined ? [] : [Prisma.sql`AND recipient.subscriber_id = ${subscriberId[0]}`]),
    // An index has the few runs of a rare workflow.
    ...(workflowIdentifier === undefined
      ? []
      : [Prisma.sql`AND ${oneOf(Prisma.sql`recipient.workflow_identifier`, workflowIdentifier)}`]),
  ]
  const all = { ...base, where: Prisma.join(conditions, ' ') }
  return [narrowed(tenant, outcome === undefined ? all : checked(tenant, all, outcome), status)]
}

/**
 * The branches of a list. Each has the events created within the filter's limits, from the index that has them in
 * order.
 */
function branchesFor(
  filter: EventFilter,
  isOf: 'workflow' | 'subscriber' | undefined,
  tenant: Tenant,
  order: Order,
): readonly Branch[] {
  const isOfWorkflow = isOf === 'workflow' || filter.workflowIdentifier !== undefined
  const branches =
    isOf === 'subscriber' || filter.subscriberId !== undefined
      ? branchesOfSubscriber(filter, tenant)
      : branchesOf(filter, isOfWorkflow, tenant, order)
  return branches.map((branch) =>
    branch.key === undefined
      ? branch
      : { ...branch, where: Prisma.sql`${branch.where} ${createdWithin(filter, branch.key.createdAt)}` },
  )
}

/** More branches than these take longer to plan than one that checks each event. */
const MAX_WORKFLOW_PARTS = 10

/**
 * Events of several subscribers or workflows as those of each. A filter by status or outcome already has several branches
 * for each of them.
 */
function partsOf(filter: EventFilter): readonly EventFilter[] {
  if (filter.subscriberId !== undefined) return filterParts(filter, ['subscriberId'])
  return filter.status === undefined && filter.outcome === undefined
    ? filterParts(filter, ['reason', 'workflowIdentifier'])
    : filterParts(filter, ['workflowIdentifier'], MAX_WORKFLOW_PARTS)
}

const list: RowList<Event, EventFilter> = {
  name: 'events',
  table: eventTable,
  where: (filter) => Prisma.sql`${equal(filter)} ${inContexts(filter)} ${createdWithin(filter)}`,
  parts: partsOf,
  overlaps: ({ subscriberId }) => subscriberId !== undefined,
  branches: (filter, tenant, order) => branchesFor(filter, undefined, tenant, order),
  // With both filters, the rarer one determines the best index. Few events have given contexts, or most have none.
  planForValues: ({ workflowIdentifier, contextKeys, reason, status, outcome, subscriberId }) =>
    contextKeys !== undefined ||
    [workflowIdentifier, reason, status, outcome, subscriberId].filter((value) => value !== undefined).length > 1,
}

export const eventPages = environmentPages<Event, EventFilter>(list)

/** Pages of the events of workflows, by identifier. */
export const eventsByWorkflow = pagesBy<Event, EventFilter>(
  { ...list, branches: (filter, tenant, order) => branchesFor(filter, 'workflow', tenant, order) },
  { field: 'workflowIdentifier' },
)

/** Pages of the events in which subscribers have a run, by subscriberId. */
export const eventsBySubscriber = pagesBy<Event, EventFilter>(
  { ...list, branches: (filter, tenant, order) => branchesFor(filter, 'subscriber', tenant, order) },
  { field: 'subscriberId', of: 'recipient' },
)

/** Pages of the events with exactly one context, by its key. */
export const eventsByContext = pagesBy<Event, EventFilter>(list, { by: 'context', isPartial: true })
