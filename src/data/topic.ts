// Topics: rows and pages.
import { exactly, searchFor } from './reading/like-filter.ts'
import { environmentPages, equalTo } from './reading/page.ts'
import { Prisma, type Topic } from './prisma/client.ts'
import { rowBy } from './reading/row.ts'
import type { Table } from './statement/table.ts'

export const topicTable: Table<Topic> = {
  name: 'topics',
  fields: Object.values(Prisma.TopicScalarFieldEnum),
}

export const topicsByKey = rowBy(topicTable, { field: 'key' })
export const topicsById = rowBy(topicTable, { field: 'id', type: 'uuid' })

/** Selects topics. Undefined fields match everything. */
interface TopicFilter {
  readonly key?: string
  readonly name?: string
  /** A part of the key or the name. If it is short, the beginning of one. */
  readonly search?: string
}

const searched = ['key', 'name']
const withKey = equalTo<Pick<TopicFilter, 'key'>>({ key: 'text' })

export const topicPages = environmentPages<Topic, TopicFilter>({
  name: 'topics',
  table: topicTable,
  texts: { name: `coalesce(nullif(child.name, ''), child.key)`, identifier: 'child.key' },
  where: ({ search, name, ...exact }) =>
    Prisma.sql`${withKey(exact)} ${exactly({ name })} ${searchFor(search, { substring: searched, prefix: searched })}`,
  planForValues: ({ search }) => search !== undefined,
})
