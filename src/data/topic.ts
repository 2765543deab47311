// Topics: pages.
import { environmentPageBatch, equalTo } from './child-page.ts'
import { exactly, searchFor } from './like-filter.ts'
import { Prisma, type Topic } from './prisma/client.ts'

/** Selects topics. Undefined fields match everything. */
interface TopicFilter {
  readonly key?: string
  readonly name?: string
  /** A part of the key or the name; if it is short, the beginning of one. */
  readonly search?: string
}

const searched = ['key', 'name']
const withKey = equalTo<Pick<TopicFilter, 'key'>>({ key: 'text' })

export const topicPages = environmentPageBatch<Topic, TopicFilter>({
  name: 'topics',
  fields: Object.values(Prisma.TopicScalarFieldEnum),
  where: ({ search, name, ...exact }) =>
    Prisma.sql`${withKey(exact)} ${exactly({ name })} ${searchFor(search, { substring: searched, prefix: searched })}`,
})
