// Lists of deliveries, and their filters.
import { deliveryTable } from './delivery.ts'
import { containing } from './reading/like-filter.ts'
import type { Tenant } from './reading/loader.ts'
import { environmentPages, equalTo, inContexts, oneOf, pagesBy } from './reading/page.ts'
import { type Delivery, Prisma } from './prisma/client.ts'
import type { Channel, DeliveryStatus } from './prisma/enums.ts'
import { filterParts } from './reading/filter-parts.ts'
import { type CreatedWithin, createdWithin, type RowList } from './reading/row-list.ts'

/** Selects deliveries. Undefined fields match everything. */
export interface DeliveryFilter extends CreatedWithin {
  readonly status?: readonly DeliveryStatus[] | undefined
  readonly channel?: readonly Channel[] | undefined
  readonly cause?: readonly string[] | undefined
  readonly integrationIdentifier?: readonly string[] | undefined
  readonly subscriberId?: readonly string[] | undefined
  readonly workflowIdentifier?: readonly string[] | undefined
  /** The keys of the steps in their workflows. */
  readonly stepId?: readonly string[] | undefined
  /** The exact set of contexts, sorted, duplicates removed. */
  readonly contextKeys?: readonly string[] | undefined
  /** The transaction id of the event. */
  readonly transactionId?: string | undefined
  /** States of the receipt, as the index calls them. */
  readonly receipt?: readonly string[] | undefined
  readonly isCaptured?: boolean | undefined
  /** A part of the address of a captured message. */
  readonly search?: string | undefined
}

const equal = equalTo<
  Omit<
    DeliveryFilter,
    keyof CreatedWithin | 'transactionId' | 'contextKeys' | 'stepId' | 'receipt' | 'isCaptured' | 'search'
  >
>({
  status: '"DeliveryStatus"',
  channel: '"Channel"',
  cause: 'text',
  integrationIdentifier: 'text',
  subscriberId: 'text',
  workflowIdentifier: 'text',
})

/** The condition that a message was sent by one of the steps. Empty without steps. A scalar query, so that rows are read in the order of the list. */
export const ofSteps = (
  { environmentId }: Tenant,
  delivery: Prisma.Sql,
  stepIds: readonly string[] | undefined,
): Prisma.Sql =>
  stepIds === undefined
    ? Prisma.empty
    : Prisma.sql`AND (
        SELECT step_id FROM step_runs WHERE environment_id = ${environmentId}::uuid AND id = ${delivery}.step_run_id
      ) = ANY (${[...stepIds]}::text[])`

/** The state of the receipt of `child`. A constant, so that the partial index of the migration serves it. */
const receiptState = Prisma.sql`(CASE
  WHEN child.complained_at IS NOT NULL THEN 'complained' WHEN child.bounced_at IS NOT NULL THEN 'bounced'
  WHEN child.delivered_at IS NOT NULL THEN 'delivered' WHEN child.deferred_at IS NOT NULL THEN 'deferred' ELSE 'unknown' END)`

/** The condition on receipts. Only messages without a report are not in the index. */
function withReceipt({ receipt }: DeliveryFilter): Prisma.Sql {
  if (receipt === undefined) return Prisma.empty
  const reported = receipt.includes('unknown')
    ? Prisma.empty
    : Prisma.sql`AND coalesce(child.complained_at, child.bounced_at, child.delivered_at, child.deferred_at) IS NOT NULL`
  return Prisma.sql`AND ${oneOf(receiptState, receipt)} ${reported}`
}

/** The conditions on captured messages. Constants, so that the partial indexes of the migration serve them. */
function captured({ isCaptured, search }: DeliveryFilter): Prisma.Sql {
  const state =
    isCaptured === undefined
      ? Prisma.empty
      : isCaptured
        ? Prisma.sql`AND child.is_captured`
        : Prisma.sql`AND NOT child.is_captured`
  if (!search) return state
  return Prisma.sql`${state} AND child.is_captured AND coalesce(
    child.target->>'address', child.target->>'phoneNumber', child.target->>'identifier'
  ) ILIKE ${containing(search)}`
}

const list: RowList<Delivery, DeliveryFilter> = {
  name: 'deliveries',
  table: deliveryTable,
  where: (filter, tenant) => Prisma.sql`
    ${equal(filter)} ${inContexts(filter, true)} ${createdWithin(filter)}
    ${ofSteps(tenant, Prisma.sql`child`, filter.stepId)} ${withReceipt(filter)} ${captured(filter)}`,
  parts: (filter) => filterParts(filter, ['subscriberId', 'cause', 'receipt', 'workflowIdentifier', 'status']),
  branches: ({ transactionId }, { environmentId }) => [
    {
      from: Prisma.sql`"deliveries" AS child`,
      where:
        transactionId === undefined
          ? Prisma.empty
          : Prisma.sql`AND child.event_id = (
              SELECT id FROM events WHERE environment_id = ${environmentId}::uuid AND transaction_id = ${transactionId}
            )`,
    },
  ],
  // With both filters, the rarer one determines the best index.
  planForValues: ({ createdAfter: _after, createdBefore: _before, ...given }) =>
    Object.values<unknown>(given).filter((value) => value !== undefined).length > 1,
}

export const deliveryPages = environmentPages<Delivery, DeliveryFilter>(list)

/** Pages of the deliveries of subscribers, by subscriberId. */
export const deliveriesBySubscriber = pagesBy<Delivery, DeliveryFilter>(list, { field: 'subscriberId' })
