// Channel endpoints: pages of all endpoints, and by subscriber and integration.
import { environmentPages, equalTo, pagesBy } from './reading/page.ts'
import { type ChannelEndpoint, Prisma } from './prisma/client.ts'
import type { Channel, EndpointType } from './prisma/enums.ts'
import { rowBy } from './reading/row.ts'
import type { Table } from './statement/table.ts'

export const channelEndpointTable: Table<ChannelEndpoint> = {
  name: 'channel_endpoints',
  fields: Object.values(Prisma.ChannelEndpointScalarFieldEnum),
}

export const endpointsById = rowBy(channelEndpointTable, { field: 'id', type: 'uuid' })
export const endpointsByIdentifier = rowBy(channelEndpointTable, { field: 'identifier' })

/** Selects endpoints that have exactly these values. */
export interface ChannelEndpointFilter {
  readonly subscriberId?: string
  readonly integrationIdentifier?: string
  readonly connectionIdentifier?: string
  readonly channel?: Channel
  readonly providerId?: string
  readonly type?: EndpointType
  /** Sorted, duplicates removed. */
  readonly contextKeys?: string[]
}

const list = {
  name: 'channelEndpoints',
  table: channelEndpointTable,
  where: equalTo<ChannelEndpointFilter>({
    subscriberId: 'text',
    integrationIdentifier: 'text',
    connectionIdentifier: 'text',
    channel: '"Channel"',
    providerId: 'text',
    type: '"EndpointType"',
    contextKeys: 'text[]',
  }),
}

export const endpointsBySubscriber = pagesBy<ChannelEndpoint, ChannelEndpointFilter>(list, { field: 'subscriberId' })
/** Pages of the endpoints with exactly one context, by its key. */
export const endpointsByContext = pagesBy<ChannelEndpoint, ChannelEndpointFilter>(list, { by: 'context' })
export const endpointsByIntegration = pagesBy<ChannelEndpoint, ChannelEndpointFilter>(list, {
  field: 'integrationIdentifier',
})
export const endpointPages = environmentPages<ChannelEndpoint, ChannelEndpointFilter>(list)
