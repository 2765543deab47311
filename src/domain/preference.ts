// Subscriber preferences: which channels a subscriber wants, in general and of each workflow, under exact contexts.
import { z } from 'zod'
import type { Batch, Tenant } from '../data/loader.ts'
import { keepWorkflows, lockSubscriber } from '../data/lock.ts'
import { takeBackChannels } from '../data/preference.ts'
import type { Prisma, Workflow } from '../data/prisma/client.ts'
import { Channel } from '../data/prisma/enums.ts'
import { contextInput, contextKeys, contextKeysOf, ensureContextKeys, ensureContexts } from './context.ts'
import { mutation, query } from './resolver.ts'
import type { Scope } from './scope.ts'
import { loadSubscriber, requireSubscriber, subscriberId } from './subscriber.ts'
import { type ChannelChoices, channelChoices, storedChoices, workflowNotFound } from './workflow.ts'

const channelNames = Object.values(Channel)

/** A subscriber's own row: the one for all workflows, or that of one. */
export interface PreferenceRow {
  readonly enabled: boolean
  readonly channels: ChannelChoices
}

/** What decided, in the order in which they are asked, and who spoke by it: the subscriber, or nobody but the workflow. */
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
}

export interface WorkflowPreference {
  readonly workflow: Workflow
  /** The switch of the whole workflow. */
  readonly enabled: boolean
  /** What holds for each channel, everything weighed. */
  readonly channels: readonly ChannelPreference[]
}

export interface SubscriberPreferences {
  readonly subscriberId: string
  readonly contextKeys: readonly string[]
  readonly global: { readonly enabled: boolean; readonly channels: readonly ChannelPreference[] }
  /** One for each workflow of the environment, oldest first. */
  readonly workflows: readonly WorkflowPreference[]
}

const choiceIn = (row: PreferenceRow | undefined, channel: Channel) =>
  row?.enabled === false ? false : row?.channels[channel]

/**
 * Whether a workflow may use a channel for a subscriber. The first that speaks decides: a critical workflow, the
 * subscriber's row for the workflow, the row for all workflows, and then the workflow's own default, which is yes unless
 * it says no.
 */
export function decideChannel(
  channel: Channel,
  workflow: Pick<Workflow, 'critical' | 'channels'> | undefined,
  [ofWorkflow, ofAll]: readonly [PreferenceRow | undefined, PreferenceRow | undefined],
): ChannelPreference {
  const decided = (decidedBy: Decider, enabled: boolean) => ({
    channel,
    enabled,
    decidedBy,
    source: deciders[decidedBy],
  })
  if (workflow?.critical) return decided('critical', true)
  const own = choiceIn(ofWorkflow, channel)
  if (own !== undefined) return decided('subscriber_workflow', own)
  const general = choiceIn(ofAll, channel)
  if (general !== undefined) return decided('subscriber_global', general)
  const defaults = storedChoices(workflow?.channels ?? {})
  return decided('workflow_default', defaults[channel] ?? true)
}

interface PreferenceKey {
  readonly subscriberId: string
  readonly contextKeys: readonly string[]
}

interface PreferenceRows {
  readonly global: PreferenceRow | undefined
  /** By the workflow's id. */
  readonly byWorkflow: ReadonlyMap<string, PreferenceRow>
}

const asRow = ({ enabled, channels }: { enabled: boolean; channels: Prisma.JsonValue }): PreferenceRow => ({
  enabled,
  channels: storedChoices(channels),
})

const keyText = ({ subscriberId, contextKeys }: PreferenceKey) => JSON.stringify([subscriberId, contextKeys])

/** The rows of many subscribers: a statement for each set of contexts, of which a request has one as a rule. */
export const preferencesBySubscriber: Batch<PreferenceKey, PreferenceRows> = {
  cacheKey: keyText,
  async load(tenant, keys) {
    const found = new Map<string, PreferenceRows>()
    for (const contexts of new Set(keys.map(({ contextKeys }) => JSON.stringify(contextKeys)))) {
      const group = keys.filter(({ contextKeys }) => JSON.stringify(contextKeys) === contexts)
      for (const [key, rows] of await readRows(tenant, group)) found.set(key, rows)
    }
    return keys.map((key) => found.get(keyText(key)) ?? { global: undefined, byWorkflow: new Map() })
  },
}

/** @param keys all of the same contexts. */
async function readRows(
  { db, environmentId }: Tenant,
  keys: readonly PreferenceKey[],
): Promise<[string, PreferenceRows][]> {
  const rows = await db.subscriberPreference.findMany({
    where: {
      environmentId,
      subscriberId: { in: keys.map(({ subscriberId }) => subscriberId) },
      contextKeys: { equals: [...(keys[0]?.contextKeys ?? [])] },
    },
  })
  return keys.map((key) => {
    const own = rows.filter(({ subscriberId }) => subscriberId === key.subscriberId)
    const global = own.find(({ workflowId }) => workflowId === null)
    const byWorkflow = new Map(own.map((row) => [row.workflowId ?? '', asRow(row)]))
    return [keyText(key), { global: global && asRow(global), byWorkflow }]
  })
}

/** Every workflow of the environment, under the one key ''. */
const allWorkflows: Batch<string, readonly Workflow[]> = {
  async load({ db, environmentId }, keys) {
    const rows = await db.workflow.findMany({
      where: { environmentId },
      orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
    })
    return keys.map(() => rows)
  },
}

/** What holds for a subscriber under exactly these contexts. Batched; the subscriber must exist. */
async function effectivePreferences({ load }: Scope, key: PreferenceKey): Promise<SubscriberPreferences> {
  const [{ global, byWorkflow }, workflows] = await Promise.all([
    load(preferencesBySubscriber, key),
    load(allWorkflows, ''),
  ])
  return {
    ...key,
    global: {
      enabled: global?.enabled ?? true,
      channels: channelNames.map((channel) => decideChannel(channel, undefined, [undefined, global])),
    },
    workflows: workflows.map((workflow) => {
      const own = byWorkflow.get(workflow.id)
      return {
        workflow,
        enabled: workflow.critical || (own ?? global)?.enabled !== false,
        channels: channelNames.map((channel) => decideChannel(channel, workflow, [own, global])),
      }
    }),
  }
}

export const subscriberPreferences = query({
  name: 'preference.get',
  permission: 'preference:read',
  input: z.object({ subscriberId: z.string(), contextKeys }),
  owner: (named) => named,
  async run(scope, { subscriberId, contextKeys }) {
    await loadSubscriber(scope, subscriberId)
    return effectivePreferences(scope, { subscriberId, contextKeys })
  },
})

/** The workflow of a preference. Sessions see its identifier and name only. */
export const workflowOf = query({
  name: 'preference.getWorkflow',
  permission: 'workflow:read',
  input: z.custom<Pick<WorkflowPreference, 'workflow'>>(),
  run: async (_scope, { workflow }) => workflow,
})

/** Null takes a choice back. */
const changedChoices = z.partialRecord(z.enum(Channel), z.boolean().nullable())

/** What was chosen before, with what is chosen now. */
function withChoices(before: ChannelChoices, now: z.output<typeof changedChoices>): ChannelChoices {
  const merged = { ...before, ...now }
  return channelChoices.parse(Object.fromEntries(Object.entries(merged).filter(([, choice]) => choice !== null)))
}

/**
 * Changes what a subscriber wants under exactly these contexts: of one workflow, or of all when none is named. A
 * channel that is written for all is taken back in the rows of the workflows, so that it holds everywhere.
 */
export const updateSubscriberPreferences = mutation({
  name: 'preference.update',
  permission: 'preference:write',
  input: z.object({
    subscriberId,
    context: contextInput,
    workflowId: z.string().nullish(),
    enabled: z.boolean().nullish(),
    channels: changedChoices.nullish(),
  }),
  owner: ({ subscriberId, context }) => ({ subscriberId, contextKeys: contextKeysOf(context) }),
  async run(scope, { subscriberId, context, workflowId, enabled, channels }) {
    await lockSubscriber(scope, subscriberId)
    await requireSubscriber(scope, subscriberId)
    const contextKeys = contextKeysOf(context)
    // What a context is made with, a browser does not say: for that its session was opened with a hash.
    await (scope.caller.kind === 'session' ? ensureContextKeys(scope, contextKeys) : ensureContexts(scope, context))
    const key = { subscriberId, contextKeys }
    const change = { enabled, channels: channels ?? {} }
    if (workflowId) {
      const [workflow] = await keepWorkflows(scope, [workflowId])
      if (workflow === undefined) throw workflowNotFound(workflowId, 'workflowId')
      await writeRow(scope, key, workflow.id, change)
    } else {
      await writeRow(scope, key, null, change)
      await takeBackChannels(scope, key, Object.keys(change.channels))
    }
    return effectivePreferences(scope, key)
  },
})

interface Change {
  readonly enabled: boolean | null | undefined
  readonly channels: z.output<typeof changedChoices>
}

/** Writes the row of one workflow, or of all when `workflowId` is null. The subscriber is locked. */
async function writeRow(
  { db, environmentId, newId, now }: Scope,
  { subscriberId, contextKeys }: PreferenceKey,
  workflowId: string | null,
  { enabled, channels }: Change,
): Promise<void> {
  const where = { environmentId, subscriberId, contextKeys: { equals: [...contextKeys] }, workflowId }
  const found = await db.subscriberPreference.findFirst({ where })
  const before = found === null ? { enabled: true, channels: {} } : asRow(found)
  const updatedAt = now()
  const data = { enabled: enabled ?? before.enabled, channels: withChoices(before.channels, channels), updatedAt }
  if (found !== null) {
    await db.subscriberPreference.updateMany({ where, data })
    return
  }
  const identity = { environmentId, id: newId(), subscriberId, contextKeys: [...contextKeys], workflowId }
  await db.subscriberPreference.create({ data: { ...identity, ...data, createdAt: updatedAt } })
}
