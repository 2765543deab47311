// The search across nouns: people, workflows, events, topics and integrations by what someone types.
import { z } from 'zod'
import { trimmedText } from '../../lib/validation.ts'
import { integration, type Integration, integrations } from '../integration.ts'
import type { Permission } from '../resolver/permission.ts'
import { query } from '../resolver/resolver.ts'
import type { Scope } from '../resolver/scope.ts'
import { subscriber, type Subscriber, subscribers } from '../subscriber.ts'
import { topic, type Topic, topics } from '../topic.ts'
import { workflow, type Workflow, workflows } from '../workflow.ts'
import { event, type Event } from './event.ts'

/** Maximum objects of each noun. */
export const MAX_FOUND = 20
/** The default number. */
export const DEFAULT_FOUND = 5

export type SearchResult = Subscriber | Workflow | Event | Topic | Integration

interface List {
  readonly page: { readonly first: number }
  readonly filter: { readonly search: string }
}

interface Search {
  readonly permission: Permission
  /** Finds the object whose own name is the text. */
  readonly named: (scope: Scope, text: string) => Promise<SearchResult | null>
  /** Lists the objects that contain the text, newest first. */
  readonly containing?: (scope: Scope, list: List) => Promise<{ readonly rows: readonly SearchResult[] }>
}

/** The nouns in the order of the results. */
const searches: readonly Search[] = [
  {
    permission: 'subscriber:read',
    named: (scope, subscriberId) => subscriber(scope, { subscriberId }),
    containing: subscribers,
  },
  {
    permission: 'workflow:read',
    named: (scope, identifier) => workflow(scope, { identifier }),
    containing: workflows,
  },
  {
    // Parts of transaction ids have no index, because each trigger would have to write it.
    permission: 'event:read',
    named: (scope, transactionId) => event(scope, { transactionId }),
  },
  { permission: 'topic:read', named: (scope, key) => topic(scope, { key }), containing: topics },
  {
    permission: 'integration:read',
    named: (scope, identifier) => integration(scope, { identifier }),
    containing: integrations,
  },
]

/**
 * Finds objects by a text, grouped by noun. In each group, the object whose own name is the text is first, and the
 * others are newest first. Nouns that the caller may not read are left out.
 */
export const search = query({
  name: 'search.find',
  permission: 'environment:read',
  input: z.object({ query: trimmedText(255), first: z.number().int().min(1).max(MAX_FOUND).nullish() }),
  async run(scope, { query, first }): Promise<SearchResult[]> {
    const size = first ?? DEFAULT_FOUND
    // For fewer rows, PostgreSQL would expect to find them soon in the order of creation, and may read all.
    const list = { page: { first: MAX_FOUND }, filter: { search: query } }
    const groups = searches
      .filter(({ permission }) => scope.caller.permissions.has(permission))
      .map(async ({ named, containing }) => {
        const [exact, page] = await Promise.all([named(scope, query), containing?.(scope, list)])
        const rows = page?.rows ?? []
        const others = rows.filter(({ id }) => id !== exact?.id)
        return [...(exact === null ? [] : [exact]), ...others].slice(0, size)
      })
    return (await Promise.all(groups)).flat()
  },
})
