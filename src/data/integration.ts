// Integrations: rows and pages.
import { searchFor } from './reading/like-filter.ts'
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
export interface IntegrationFilter {
  readonly channel?: readonly Channel[] | undefined
  readonly providerId?: readonly string[] | undefined
  readonly active?: boolean | undefined
  /** A part of the identifier or the name. If it is short, the beginning of one. */
  readonly search?: string | undefined
}

const searched = ['identifier', 'name']
const equal = equalTo<Omit<IntegrationFilter, 'search'>>({
  channel: '"Channel"',
  providerId: 'text',
  active: 'boolean',
})

export const integrationPages = environmentPages<Integration, IntegrationFilter>({
  name: 'integrations',
  table: integrationTable,
  texts: { name: 'child.name', identifier: 'child.identifier' },
  where: ({ search, ...exact }) =>
    Prisma.sql`${equal(exact)} ${searchFor(search, { substring: searched, prefix: searched })}`,
  planForValues: ({ search }) => search !== undefined,
})
