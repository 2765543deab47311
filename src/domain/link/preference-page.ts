// The preference page of a link: what its subscriber may choose, as it is in force, and the choices that it saves.
import { z } from 'zod'
import { keepCategoriesById, keepWorkflows, lockSubscribers } from '../../data/lock.ts'
import { allCategories } from '../../data/category.ts'
import type { Category } from '../../data/prisma/client.ts'
import { Channel } from '../../data/prisma/enums.ts'
import { Refusal } from '../../lib/errors.ts'
import { ensureContextKeys } from '../context.ts'
import { type Choice, writeChoices } from '../preference/change-preference.ts'
import { type ChannelPreference, isOn, preferencesBySubscriber } from '../preference/preference-rule.ts'
import { channelsUsedBy, preferenceFor, type WorkflowPreference } from '../preference/workflow-preference.ts'
import { mutation, query } from '../resolver/resolver.ts'
import type { Scope } from '../resolver/scope.ts'
import { ownerOf, type Reader, readReader } from './link-page.ts'

/** The maximum number of workflows on a page. The oldest are shown. */
const MAX_WORKFLOWS = 200

/** One choice on the page: whether a channel is on. */
export type ShownChannel = Pick<ChannelPreference, 'channel' | 'enabled'>

/** Workflows that are shown together. */
export interface PreferenceGroup {
  /** Null for workflows without a category. */
  readonly category: Category | null
  /** For all workflows of the category together: on if it is on for one of them. Empty without a category. */
  readonly channels: readonly ShownChannel[]
  readonly workflows: readonly WorkflowPreference[]
}

export interface PreferencePage {
  readonly reader: Reader
  /** False if the subscriber turned everything off. */
  readonly isOn: boolean
  readonly groups: readonly PreferenceGroup[]
}

/** Returns the channels of workflows together, without those that nobody can turn off. */
function together(workflows: readonly WorkflowPreference[]): ShownChannel[] {
  const changeable = workflows.filter(({ workflow }) => !workflow.critical).flatMap(({ channels }) => channels)
  return Object.values(Channel).flatMap((channel) => {
    const own = changeable.filter((one) => one.channel === channel)
    return own.length === 0 ? [] : { channel, enabled: own.some(({ enabled }) => enabled) }
  })
}

async function readGroups(scope: Scope): Promise<Pick<PreferencePage, 'isOn' | 'groups'>> {
  const { load, db, environmentId } = scope
  const [stored, categories, rows] = await Promise.all([
    load(preferencesBySubscriber, ownerOf(scope)),
    load(allCategories, ''),
    db.workflow.findMany({
      where: { environmentId, active: true },
      orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
      take: MAX_WORKFLOWS,
    }),
  ])
  const preferences = rows.map((workflow) => {
    const category = categories.find(({ id }) => id === workflow.categoryId) ?? null
    return { category, ...preferenceFor(workflow, category, channelsUsedBy(workflow), stored) }
  })
  const groups = [...categories.filter(({ isHidden }) => !isHidden), null].map((category) => {
    const workflows = preferences.filter((one) => one.category?.id === category?.id && one.channels.length > 0)
    return { category, workflows, channels: category === null ? [] : together(workflows) }
  })
  return { isOn: isOn(stored), groups: groups.filter(({ workflows }) => workflows.length > 0) }
}

/** Reads what a subscriber may choose. Hidden categories and inactive workflows are left out. */
export const preferencePage = query({
  name: 'preference.getPage',
  permission: 'preference:read',
  owner: 'caller',
  input: z.object({}),
  async run(scope): Promise<PreferencePage> {
    const [reader, groups] = await Promise.all([readReader(scope), readGroups(scope)])
    return { reader, ...groups }
  },
})

const changes = z.array(z.object({ id: z.uuid(), channels: z.partialRecord(z.enum(Channel), z.boolean()) }))

/**
 * Saves choices of the preference page: for everything, or for categories and workflows. A choice for a category applies
 * before those for its workflows. What the page does not show is ignored.
 */
export const savePreferencePage = mutation({
  name: 'preference.savePage',
  permission: 'preference:write',
  owner: 'caller',
  input: z.object({
    everything: z.boolean().optional(),
    categories: changes.max(50),
    workflows: changes.max(MAX_WORKFLOWS),
    deliveryId: z.uuid().nullable(),
  }),
  async run(scope, given): Promise<PreferencePage> {
    const { groups } = await readGroups(scope)
    const owner = ownerOf(scope)
    const shown = new Set(
      groups.flatMap(({ workflows }) => workflows.flatMap(({ workflow }) => (workflow.critical ? [] : workflow.id))),
    )
    const shownCategories = new Set(groups.flatMap(({ category }) => category?.id ?? []))
    const channelsOf = new Map([...given.categories, ...given.workflows].map(({ id, channels }) => [id, channels]))
    const idsIn = (list: z.output<typeof changes>, allowed: ReadonlySet<string>) =>
      list.map(({ id }) => id).filter((id) => allowed.has(id))
    const workflows = await keepWorkflows(scope, idsIn(given.workflows, shown))
    const categories = await keepCategoriesById(scope, idsIn(given.categories, shownCategories))
    const existing = await lockSubscribers(scope, [owner.subscriberId])
    if (!existing.has(owner.subscriberId)) throw new Refusal('NOT_FOUND', 'The subscriber was deleted')
    await ensureContextKeys(scope, owner.contextKeys)
    const { everything } = given
    const choices: Choice[] = [
      ...(everything === undefined ? [] : [{ ...owner, subject: { scope: 'all' } as const, enabled: everything }]),
      ...categories.map(({ id, key }) => ({
        ...owner,
        subject: { scope: 'category', id, key } as const,
        channels: channelsOf.get(id),
      })),
      ...workflows.map(({ id, identifier }) => ({
        ...owner,
        subject: { scope: 'workflow', id, identifier } as const,
        channels: channelsOf.get(id),
      })),
    ]
    await writeChoices(scope, choices, { source: 'preference_page', deliveryId: given.deliveryId })
    scope.forget()
    return { reader: await readReader(scope), ...(await readGroups(scope)) }
  },
})
