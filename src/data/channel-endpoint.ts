// Channel endpoints: pages by subscriber and by integration.
import { childPageBatch } from './child-page.ts'
import { type ChannelEndpoint, Prisma } from './prisma/client.ts'
import type { Channel, EndpointType } from './prisma/enums.ts'

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

/** The column of each filter and the type of its parameter. */
const columns = {
  subscriberId: ['subscriber_id', 'text'],
  integrationIdentifier: ['integration_identifier', 'text'],
  connectionIdentifier: ['connection_identifier', 'text'],
  channel: ['channel', '"Channel"'],
  providerId: ['provider_id', 'text'],
  type: ['type', '"EndpointType"'],
  contextKeys: ['context_keys', 'text[]'],
} as const satisfies Record<keyof ChannelEndpointFilter, readonly [column: string, type: string]>

function conditions(filter: ChannelEndpointFilter): Prisma.Sql {
  const given = (Object.keys(columns) as (keyof typeof columns)[]).flatMap((field) => {
    const [column, type] = columns[field]
    const value = filter[field]
    return value === undefined ? [] : [Prisma.sql`AND child.${Prisma.raw(column)} = ${value}::${Prisma.raw(type)}`]
  })
  return given.length === 0 ? Prisma.empty : Prisma.join(given, ' ')
}

const childrenBy = (parentColumn: string) =>
  childPageBatch<ChannelEndpoint, ChannelEndpointFilter>({
    name: 'channelEndpoints',
    table: 'channel_endpoints',
    parentColumn,
    fields: Object.values(Prisma.ChannelEndpointScalarFieldEnum),
    where: conditions,
  })

export const endpointsBySubscriber = childrenBy('subscriber_id')
export const endpointsByIntegration = childrenBy('integration_identifier')
