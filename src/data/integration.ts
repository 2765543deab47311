// Integrations: rows and pages.
import { environmentPages, equalTo } from './reading/page.ts'
import { type Integration, Prisma } from './prisma/client.ts'
import type { Channel } from './prisma/enums.ts'
import { rowBy, rowsBy } from './reading/row.ts'
import type { Table } from './statement/table.ts'

const integrationTable: Table<Integration> = {
  name: 'integrations',
  fields: Object.values(Prisma.IntegrationScalarFieldEnum),
}

export const integrationsById = rowBy(integrationTable, { field: 'id', type: 'uuid' })
export const integrationsByIdentifier = rowBy(integrationTable, { field: 'identifier' })

/** The integrations of providers, oldest first. */
export const integrationsByProvider = rowsBy(integrationTable, { field: 'providerId' }, ['createdAt', 'id'])

/** Selects integrations. Undefined fields match everything. */
interface IntegrationFilter {
  readonly channel?: Channel
  readonly providerId?: string
  readonly active?: boolean
}

export const integrationPages = environmentPages<Integration, IntegrationFilter>({
  name: 'integrations',
  table: integrationTable,
  where: equalTo<IntegrationFilter>({ channel: '"Channel"', providerId: 'text', active: 'boolean' }),
})
