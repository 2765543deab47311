// What the pages of links show: the brand and the language of the recipient, and what a link turns off.
import { z } from 'zod'
import { environmentsById } from '../../data/access/environment.ts'
import { categoriesById } from '../../data/category.ts'
import { subscribersBySubscriberId } from '../../data/subscriber.ts'
import { workflowsById } from '../../data/workflow.ts'
import type { Channel } from '../../data/prisma/enums.ts'
import { type Brand, brandWith } from '../access/brand.ts'
import type { LinkScope } from '../channel/link-token.ts'
import { existingContexts } from '../context.ts'
import type { Owner } from '../resolver/resolver.ts'
import { query } from '../resolver/resolver.ts'
import type { Scope } from '../resolver/scope.ts'
import { categoryOfWorkflow, decideChannel, preferencesBySubscriber } from '../preference/preference-rule.ts'
import type { OpenedLink } from './link-caller.ts'

/** Who reads a page. */
export interface Reader {
  readonly brand: Brand
  /** The locale of the subscriber. Null if it has none. */
  readonly locale: string | null
}

/** The owner of a link. */
export function ownerOf({ caller }: Scope): Owner {
  if (caller.kind !== 'link') throw new Error('only links have pages')
  const { subscriberId, contextKeys } = caller
  return { subscriberId, contextKeys }
}

/** Reads the brand and the locale for a page. */
export async function readReader(scope: Scope): Promise<Reader> {
  const { subscriberId, contextKeys } = ownerOf(scope)
  const [environment, subscriber, contexts] = await Promise.all([
    scope.load(environmentsById, scope.environmentId),
    scope.load(subscribersBySubscriberId, subscriberId),
    existingContexts(scope, contextKeys),
  ])
  const datas = contexts.map(({ data }) => data)
  return { brand: brandWith(environment?.brand ?? null, datas), locale: subscriber?.locale ?? null }
}

/** What a link turns off, as it is now. */
export interface LinkSubject {
  readonly kind: LinkScope['kind']
  /** The id of the workflow or the category. Null for everything. */
  readonly id: string | null
  /** The name of the workflow or the category. Null for everything. */
  readonly name: string | null
  readonly channel: Channel
  /** True if the channel is off. */
  readonly isOff: boolean
  /** True if nobody can turn it off any more. */
  readonly isCritical: boolean
}

/** @returns undefined if what the link turns off no longer exists, or if it turns off nothing. */
export async function readSubject(
  scope: Scope,
  { scope: linkScope, channel }: Pick<OpenedLink, 'scope' | 'channel'>,
): Promise<LinkSubject | undefined> {
  if (linkScope === null || channel === null) return undefined
  const { load } = scope
  const [workflow, named, stored] = await Promise.all([
    load(workflowsById, linkScope.workflowId),
    linkScope.kind === 'category' ? load(categoriesById, linkScope.categoryId) : null,
    load(preferencesBySubscriber, ownerOf(scope)),
  ])
  const decide = (decided: Parameters<typeof decideChannel>[1]) => !decideChannel(channel, decided, stored).enabled
  if (linkScope.kind === 'all') {
    return { kind: 'all', id: null, name: null, channel, isOff: decide({}), isCritical: false }
  }
  if (named !== null) {
    const { id, name } = named
    return { kind: 'category', id, name, channel, isOff: decide({ category: named }), isCritical: false }
  }
  if (workflow === null) return undefined
  const { id, name, critical } = workflow
  const category = await categoryOfWorkflow(scope, workflow)
  const isOff = decide({ workflow, category })
  return { kind: 'workflow', id, name, channel, isOff, isCritical: critical }
}

/** Reads what the page of a link shows. */
export const linkPage = query({
  name: 'preference.getLinkPage',
  permission: 'preference:read',
  owner: 'caller',
  input: z.object({ link: z.custom<OpenedLink>() }),
  async run(scope, { link }) {
    const [reader, subject] = await Promise.all([readReader(scope), readSubject(scope, link)])
    return { reader, subject }
  },
})
