// Contexts: pages.
import { environmentPageBatch, equalTo } from './child-page.ts'
import { exactly, searchFor } from './like-filter.ts'
import { type Context, Prisma } from './prisma/client.ts'

/** Selects contexts. Undefined fields match everything. */
interface ContextFilter {
  readonly type?: string
  readonly identifier?: string
  /** A part of the key; if it is short, the beginning of the identifier. */
  readonly search?: string
}

const ofType = equalTo<Pick<ContextFilter, 'type'>>({ type: 'text' })

export const contextPages = environmentPageBatch<Context, ContextFilter>({
  name: 'contexts',
  fields: Object.values(Prisma.ContextScalarFieldEnum),
  where: ({ search, identifier, ...exact }) =>
    Prisma.sql`${ofType(exact)} ${exactly({ identifier })} ${searchFor(search, { substring: ['key'], prefix: ['identifier'] })}`,
})
