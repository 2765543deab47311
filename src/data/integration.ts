// Integrations: pages.
import { environmentPageBatch, equalTo } from './child-page.ts'
import { type Integration, Prisma } from './prisma/client.ts'
import type { Channel } from './prisma/enums.ts'

/** Selects integrations. Undefined fields match everything. */
interface IntegrationFilter {
  readonly channel?: Channel
  readonly providerId?: string
  readonly active?: boolean
}

export const integrationPages = environmentPageBatch<Integration, IntegrationFilter>({
  name: 'integrations',
  fields: Object.values(Prisma.IntegrationScalarFieldEnum),
  where: equalTo<IntegrationFilter>({ channel: '"Channel"', providerId: 'text', active: 'boolean' }),
})
