// Which preference decides whether a workflow may use a channel for a subscriber.
import type { Batch } from '../data/reading/loader.ts'
import { type PreferenceKey, preferenceRows } from '../data/preference.ts'
import type { SubscriberPreference as Row, Workflow } from '../data/prisma/client.ts'
import type { Channel } from '../data/prisma/enums.ts'
import { type ChannelChoices, storedChoices } from './workflow.ts'

/** A stored preference: for all workflows or for one. */
interface StoredPreference {
  /** Null if the subscriber has made no overall choice. */
  readonly enabled: boolean | null
  readonly channels: ChannelChoices
}

/** The preferences that are stored under one set of contexts. */
interface PreferenceSet {
  readonly global: StoredPreference | undefined
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
  subscriber_global: 'subscriber',
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
  /** True if the subscriber turned off the whole workflow, or everything, and not only this channel. */
  readonly turnedOffWhole: boolean
}

type DecidedWorkflow = Pick<Workflow, 'id' | 'critical' | 'channels'>

/** The first rule that applies decides, with the preferences of one set of contexts. */
function decideIn(
  channel: Channel,
  workflow: DecidedWorkflow | undefined,
  { global, byWorkflow }: PreferenceSet,
): readonly [Decider, enabled: boolean, turnedOffWhole?: boolean] {
  const ofWorkflow = workflow && byWorkflow.get(workflow.id)
  if (workflow?.critical) return ['critical', true]
  if (ofWorkflow?.enabled === false) return ['subscriber_workflow', false, true]
  const own = ofWorkflow?.channels[channel]
  if (own !== undefined) return ['subscriber_workflow', own]
  if (global?.enabled === false && ofWorkflow?.enabled !== true) return ['subscriber_global', false, true]
  const general = global?.channels[channel]
  if (general !== undefined) return ['subscriber_global', general]
  const defaults = storedChoices(workflow?.channels ?? {})
  return ['workflow_default', defaults[channel] ?? true]
}

const none: PreferenceSet = { global: undefined, byWorkflow: new Map() }

/** Returns true if the subscriber turned everything on or off, or turned on the workflow, under the contexts. */
const hasOverallChoice = ({ global, byWorkflow }: PreferenceSet, workflow: DecidedWorkflow | undefined): boolean =>
  typeof global?.enabled === 'boolean' || (workflow !== undefined && byWorkflow.get(workflow.id)?.enabled === true)

/**
 * Decides whether a workflow may use a channel for a subscriber (SPEC: Subscriber preferences). The first rule that
 * applies decides: the workflow is critical; the subscriber turned the workflow off; the subscriber's choice for the
 * workflow's channel; the subscriber turned all workflows off and did not turn this one on; the subscriber's choice for
 * the channel of all workflows; the workflow's default, which is on unless the workflow turns the channel off.
 *
 * Without a choice under the contexts, the preferences without context decide if they turn everything off.
 *
 * @param stored undefined if the subscriber has no preferences under any contexts.
 */
export function decideChannel(
  channel: Channel,
  workflow: DecidedWorkflow | undefined,
  { optOut, ...own }: StoredPreferences = { ...none, optOut: undefined },
): ChannelPreference {
  const byOwn = decideIn(channel, workflow, own)
  const isOptedOut = optOut !== undefined && byOwn[0] === 'workflow_default' && !hasOverallChoice(own, workflow)
  const [decidedBy, enabled, turnedOffWhole = false] = isOptedOut ? decideIn(channel, workflow, optOut) : byOwn
  const inherited = isOptedOut && decidedBy !== 'workflow_default'
  return { channel, enabled, decidedBy, source: deciders[decidedBy], inherited, turnedOffWhole }
}

/** Returns false if the subscriber turned everything off, under these contexts or without context. */
export const isOn = ({ global, optOut }: StoredPreferences): boolean => global?.enabled ?? optOut === undefined

export const readPreference = ({ enabled, channels }: Pick<Row, 'enabled' | 'channels'>): StoredPreference => ({
  enabled,
  channels: storedChoices(channels),
})

function asSet(rows: readonly Row[]): PreferenceSet {
  const global = rows.find(({ workflowId }) => workflowId === null)
  const byWorkflow = new Map(rows.map((row) => [row.workflowId ?? '', readPreference(row)]))
  return { global: global && readPreference(global), byWorkflow }
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
