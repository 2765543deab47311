// Channel endpoints: pages of all, by subscriber and by integration.
import { childPageBatch, environmentPageBatch, equalTo } from './child-page.ts'
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

const list = {
  name: 'channelEndpoints',
  fields: Object.values(Prisma.ChannelEndpointScalarFieldEnum),
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

export const endpointsBySubscriber = childPageBatch<ChannelEndpoint, ChannelEndpointFilter>({
  ...list,
  parentColumn: 'subscriber_id',
})
export const endpointsByIntegration = childPageBatch<ChannelEndpoint, ChannelEndpointFilter>({
  ...list,
  parentColumn: 'integration_identifier',
})
export const endpointPages = environmentPageBatch<ChannelEndpoint, ChannelEndpointFilter>(list)
