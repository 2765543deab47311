// Channel endpoints: pages of all endpoints, and by subscriber and integration.
import { groupBy } from '../lib/group-by.ts'
import type { Batch } from './reading/loader.ts'
import { filterParts } from './reading/filter-parts.ts'
import { environmentPages, equalTo, pagesBy } from './reading/page.ts'
import { type ChannelEndpoint, Prisma } from './prisma/client.ts'
import type { Channel, EndpointType } from './prisma/enums.ts'
import { rowBy } from './reading/row.ts'
import { limitTo, sql } from './statement/statement.ts'
import { rowsOf, type Table } from './statement/table.ts'

export const channelEndpointTable: Table<ChannelEndpoint> = {
  name: 'channel_endpoints',
  fields: Object.values(Prisma.ChannelEndpointScalarFieldEnum),
}

export const endpointsById = rowBy(channelEndpointTable, { field: 'id', type: 'uuid' })
export const endpointsByIdentifier = rowBy(channelEndpointTable, { field: 'identifier' })

/** Selects endpoints that have one of the values in each list. Undefined fields match everything. */
export interface ChannelEndpointFilter {
  readonly subscriberId?: readonly string[] | undefined
  readonly integrationIdentifier?: readonly string[] | undefined
  readonly connectionIdentifier?: string | undefined
  readonly channel?: readonly Channel[] | undefined
  readonly providerId?: readonly string[] | undefined
  readonly type?: readonly EndpointType[] | undefined
  /** The exact set of contexts, sorted, duplicates removed. */
  readonly contextKeys?: readonly string[] | undefined
}

const list = {
  name: 'channelEndpoints',
  table: channelEndpointTable,
  texts: { identifier: 'child.identifier' },
  where: equalTo<ChannelEndpointFilter>({
    subscriberId: 'text',
    integrationIdentifier: 'text',
    connectionIdentifier: 'text',
    channel: '"Channel"',
    providerId: 'text',
    type: '"EndpointType"',
    contextKeys: 'text[]',
  }),
  parts: (filter: ChannelEndpointFilter) =>
    filterParts(filter, ['subscriberId', 'integrationIdentifier', 'providerId', 'channel', 'type']),
}

export const endpointsBySubscriber = pagesBy<ChannelEndpoint, ChannelEndpointFilter>(list, { field: 'subscriberId' })
/** Pages of the endpoints with exactly one context, by its key. */
export const endpointsByContext = pagesBy<ChannelEndpoint, ChannelEndpointFilter>(list, { by: 'context' })
export const endpointsByIntegration = pagesBy<ChannelEndpoint, ChannelEndpointFilter>(list, {
  field: 'integrationIdentifier',
})
export const endpointPages = environmentPages<ChannelEndpoint, ChannelEndpointFilter>(list)

/** An endpoint of a subscriber, without its address. */
export type EndpointName = Pick<ChannelEndpoint, 'id' | 'identifier' | 'integrationIdentifier' | 'contextKeys'>

interface EndpointsKey {
  readonly subscriberId: string
  readonly channel: Channel
}

/** The maximum number of endpoints that `endpointNames` reads for one subscriber. */
export const MAX_ENDPOINT_NAMES = 4

/** The oldest endpoints of subscribers for a channel, under any contexts. LATERAL stops at the limit of each subscriber. */
export const endpointNames: Batch<EndpointsKey, readonly EndpointName[]> = {
  cacheKey: ({ subscriberId, channel }) => JSON.stringify([subscriberId, channel]),
  async load({ db, environmentId }, keys) {
    const rows = await sql<EndpointName & { readonly place: number }>(db, 'channel-endpoint.endpointNames')`
      SELECT given.ordinality::int - 1 AS place, child.*
      FROM ${rowsOf(channelEndpointTable, keys)} WITH ORDINALITY AS given
      CROSS JOIN LATERAL (
        SELECT id, identifier, integration_identifier AS "integrationIdentifier", context_keys AS "contextKeys"
        FROM channel_endpoints
        WHERE environment_id = ${environmentId}::uuid AND subscriber_id = given.subscriber_id
          AND channel_endpoints.channel = given.channel
        ORDER BY created_at, id ${limitTo(MAX_ENDPOINT_NAMES)}
      ) AS child
      ORDER BY given.ordinality`
    const byPlace = groupBy(rows, ({ place }) => place)
    return keys.map((_key, place) => byPlace.get(place) ?? [])
  },
}
