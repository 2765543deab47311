// Which preference decides whether a workflow may use a channel for a subscriber.
import type { Batch } from '../../data/reading/loader.ts'
import { categoriesById } from '../../data/category.ts'
import { type PreferenceKey, preferenceRows } from '../../data/preference/preference.ts'
import type { Category, SubscriberPreference as Row, Workflow } from '../../data/prisma/client.ts'
import type { Channel } from '../../data/prisma/enums.ts'
import { type ChannelChoices, storedChoices } from '../channel/channel-choices.ts'
import type { EnvironmentScope } from '../resolver/scope.ts'
import { type Schedule, scheduleIn } from './schedule.ts'

/** A stored preference: for all workflows, for those of a category or for one. */
interface StoredPreference {
  /** Null if the subscriber has made no overall choice. */
  readonly enabled: boolean | null
  readonly channels: ChannelChoices
  /** The hours in which messages are sent. Null if there are none. Only in the preference for all workflows. */
  readonly schedule: Schedule | null
}

/** The preferences that are stored under one set of contexts. */
interface PreferenceSet {
  readonly global: StoredPreference | undefined
  /** By category id. */
  readonly byCategory: ReadonlyMap<string, StoredPreference>
  /** By workflow id. */
  readonly byWorkflow: ReadonlyMap<string, StoredPreference>
}

/** The preferences that can decide under a set of contexts. */
interface StoredPreferences extends PreferenceSet {
  /**
   * The preferences without context, if they turn everything off. They decide where the contexts have no choice of their
   * own. Undefined otherwise, and in the preferences without context.
   */
  readonly optOut: PreferenceSet | undefined
}

/** The rules that can decide, in order of precedence, each with its source. */
const deciders = {
  critical: 'workflow',
  subscriber_workflow: 'subscriber',
  subscriber_category: 'subscriber',
  subscriber_global: 'subscriber',
  category_default: 'workflow',
  workflow_default: 'workflow',
} as const

type Decider = keyof typeof deciders

export interface ChannelPreference {
  readonly channel: Channel
  readonly enabled: boolean
  readonly decidedBy: Decider
  readonly source: (typeof deciders)[Decider]
  /** True if a preference without context decided, because there is none under the contexts. */
  readonly inherited: boolean
  /** True if the subscriber turned off the whole workflow, the whole category or everything, and not only this channel. */
  readonly turnedOffWhole: boolean
}

type DecidedWorkflow = Pick<Workflow, 'id' | 'critical' | 'channels'>
type DecidedCategory = Pick<Category, 'id' | 'channels'>

/** What is decided: a workflow with its category, a category, or what applies to all workflows. */
interface Decidable {
  readonly workflow?: DecidedWorkflow | undefined
  readonly category?: DecidedCategory | null | undefined
}

/** The preferences for what is decided, and for everything. */
function choicesFor({ workflow, category }: Decidable, { global, byCategory, byWorkflow }: PreferenceSet) {
  return {
    ofWorkflow: workflow && byWorkflow.get(workflow.id),
    ofCategory: category ? byCategory.get(category.id) : undefined,
    global,
  }
}

/** The first rule that applies decides, with the preferences of one set of contexts. */
function decideIn(
  channel: Channel,
  decided: Decidable,
  stored: PreferenceSet,
): readonly [Decider, enabled: boolean, turnedOffWhole?: boolean] {
  const { workflow, category } = decided
  const { ofWorkflow, ofCategory, global } = choicesFor(decided, stored)
  if (workflow?.critical) return ['critical', true]
  if (ofWorkflow?.enabled === false) return ['subscriber_workflow', false, true]
  const own = ofWorkflow?.channels[channel]
  if (own !== undefined) return ['subscriber_workflow', own]
  const isWorkflowOn = ofWorkflow?.enabled === true
  if (ofCategory?.enabled === false && !isWorkflowOn) return ['subscriber_category', false, true]
  const grouped = ofCategory?.channels[channel]
  if (grouped !== undefined) return ['subscriber_category', grouped]
  const isCategoryOn = ofCategory?.enabled === true
  if (global?.enabled === false && !isWorkflowOn && !isCategoryOn) return ['subscriber_global', false, true]
  const general = global?.channels[channel]
  if (general !== undefined) return ['subscriber_global', general]
  const categoryDefault = storedChoices(category?.channels ?? {})[channel]
  if (categoryDefault !== undefined) return ['category_default', categoryDefault]
  return ['workflow_default', storedChoices(workflow?.channels ?? {})[channel] ?? true]
}

const none: PreferenceSet = { global: undefined, byCategory: new Map(), byWorkflow: new Map() }

/** Returns true for a rule that applies because the subscriber has made no choice. */
const isDefault = (decider: Decider) => decider === 'category_default' || decider === 'workflow_default'

/** Returns true if the subscriber turned everything on or off, or turned on the workflow or its category. */
function hasOverallChoice(stored: PreferenceSet, decided: Decidable): boolean {
  const { ofWorkflow, ofCategory, global } = choicesFor(decided, stored)
  return typeof global?.enabled === 'boolean' || ofWorkflow?.enabled === true || ofCategory?.enabled === true
}

/**
 * Decides whether a workflow may use a channel for a subscriber (SPEC: Subscriber preferences). The first rule that
 * applies decides: the workflow is critical; the subscriber turned the workflow off; the subscriber's choice for the
 * workflow's channel; the subscriber turned the category off and did not turn this workflow on; the subscriber's choice
 * for the category's channel; the subscriber turned all workflows off and turned neither this one nor its category on;
 * the subscriber's choice for the channel of all workflows; the category's default; the workflow's default, which is on
 * unless the workflow turns the channel off.
 *
 * Without a choice under the contexts, the preferences without context decide if they turn everything off.
 *
 * @param stored undefined if the subscriber has no preferences under any contexts.
 */
export function decideChannel(
  channel: Channel,
  decided: Decidable,
  { optOut, ...own }: StoredPreferences = { ...none, optOut: undefined },
): ChannelPreference {
  const byOwn = decideIn(channel, decided, own)
  const isOptedOut = optOut !== undefined && isDefault(byOwn[0]) && !hasOverallChoice(own, decided)
  const [decidedBy, enabled, turnedOffWhole = false] = isOptedOut ? decideIn(channel, decided, optOut) : byOwn
  const inherited = isOptedOut && !isDefault(decidedBy)
  return { channel, enabled, decidedBy, source: deciders[decidedBy], inherited, turnedOffWhole }
}

/** Reads the category of a workflow, as it is now. Batched. Null without a category, and if it was deleted. */
export const categoryOfWorkflow = async (
  { load }: Pick<EnvironmentScope, 'load'>,
  { categoryId }: { readonly categoryId?: string | null | undefined },
): Promise<Category | null> => (typeof categoryId === 'string' ? load(categoriesById, categoryId) : null)

/** Returns false if the subscriber turned everything off, under these contexts or without context. */
export const isOn = ({ global, optOut }: StoredPreferences): boolean => global?.enabled ?? optOut === undefined

export const readPreference = ({
  enabled,
  channels,
  schedule,
}: Pick<Row, 'enabled' | 'channels' | 'schedule'>): StoredPreference => ({
  enabled,
  channels: storedChoices(channels),
  schedule: scheduleIn(schedule),
})

function asSet(rows: readonly Row[]): PreferenceSet {
  const global = rows.find(({ workflowId, categoryId }) => workflowId === null && categoryId === null)
  const byCategory = new Map(rows.map((row) => [row.categoryId ?? '', readPreference(row)]))
  const byWorkflow = new Map(rows.map((row) => [row.workflowId ?? '', readPreference(row)]))
  return { global: global && readPreference(global), byCategory, byWorkflow }
}

/**
 * The preferences of many subscribers. One statement reads those under the contexts and those without context, which may
 * apply too.
 */
export const preferencesBySubscriber: Batch<PreferenceKey, StoredPreferences> = {
  ...preferenceRows,
  async load(tenant, keys) {
    const scoped = keys.filter(({ contextKeys }) => contextKeys.length > 0)
    const general = scoped.map(({ subscriberId }) => ({ subscriberId, contextKeys: [] }))
    const found = (await preferenceRows.load(tenant, [...keys, ...general])).map((rows) =>
      rows instanceof Error ? rows : asSet(rows),
    )
    const generalOf = new Map(general.map((key, index) => [key.subscriberId, found[keys.length + index]]))
    return keys.map((key, index) => {
      const [own = none, without] = [found[index], key.contextKeys.length > 0 ? generalOf.get(key.subscriberId) : none]
      if (own instanceof Error) return own
      if (without instanceof Error) return without
      return { ...own, optOut: without?.global?.enabled === false ? without : undefined }
    })
  },
}
