// Channel connections: rows, and pages of all connections.
import { environmentPages, equalTo } from '../reading/page.ts'
import { filterParts } from '../reading/filter-parts.ts'
import { type ChannelConnection, Prisma } from '../prisma/client.ts'
import type { Channel } from '../prisma/enums.ts'
import { rowBy } from '../reading/row.ts'
import type { Table } from '../statement/table.ts'

const channelConnectionTable: Table<ChannelConnection> = {
  name: 'channel_connections',
  fields: Object.values(Prisma.ChannelConnectionScalarFieldEnum),
}

export const connectionsById = rowBy(channelConnectionTable, { field: 'id', type: 'uuid' })
export const connectionsByIdentifier = rowBy(channelConnectionTable, { field: 'identifier' })

/** Selects connections that have one of the values in each list. Undefined fields match everything. */
export interface ChannelConnectionFilter {
  readonly subscriberId?: readonly string[] | undefined
  readonly integrationIdentifier?: readonly string[] | undefined
  readonly channel?: readonly Channel[] | undefined
  readonly providerId?: readonly string[] | undefined
  /** The exact set of contexts, sorted, duplicates removed. */
  readonly contextKeys?: readonly string[] | undefined
  /** True for connections without a subscriber, false for all others. */
  readonly isShared?: boolean | undefined
}

const equal = equalTo<Omit<ChannelConnectionFilter, 'isShared'>>({
  subscriberId: 'text',
  integrationIdentifier: 'text',
  channel: '"Channel"',
  providerId: 'text',
  contextKeys: 'text[]',
})

function sharedOrNot(isShared: boolean | undefined): Prisma.Sql {
  if (isShared === undefined) return Prisma.empty
  return isShared ? Prisma.sql`AND child.subscriber_id IS NULL` : Prisma.sql`AND child.subscriber_id IS NOT NULL`
}

export const connectionPages = environmentPages<ChannelConnection, ChannelConnectionFilter>({
  name: 'channelConnections',
  table: channelConnectionTable,
  texts: { identifier: 'child.identifier' },
  where: ({ isShared, ...exact }) => Prisma.sql`${equal(exact)} ${sharedOrNot(isShared)}`,
  parts: (filter) => filterParts(filter, ['subscriberId', 'integrationIdentifier', 'providerId', 'channel']),
})
