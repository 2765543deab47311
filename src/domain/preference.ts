// Subscriber preferences: the channels that a subscriber wants, in general and per workflow, under each set of contexts.
import { z } from 'zod'
import type { Batch } from '../data/reading/loader.ts'
import { keepWorkflows } from '../data/lock.ts'
import { preferenceContexts, type PreferenceKey, takeBackChannels } from '../data/preference.ts'
import type { Workflow } from '../data/prisma/client.ts'
import { Channel } from '../data/prisma/enums.ts'
import { contextInput, contextKeys, contextKeysOf, ensureContextKeys, ensureContexts } from './context.ts'
import {
  type ChannelPreference,
  decideChannel,
  isOn,
  preferencesBySubscriber,
  readPreference,
} from './preference-rule.ts'
import { mutation, query } from './resolver/resolver.ts'
import type { Scope } from './resolver/scope.ts'
import { subscriberId } from './subscriber-id.ts'
import { loadSubscriber, lockedSubscriber } from './subscriber.ts'
import { type ChannelChoices, channelChoices, workflowNotFound } from './workflow.ts'
import { storableText } from '../lib/validation.ts'

const channelNames = Object.values(Channel)

export interface WorkflowPreference {
  readonly workflow: Workflow
  /** True if at least one channel is on. */
  readonly enabled: boolean
  /** The effective preference of each channel. */
  readonly channels: readonly ChannelPreference[]
}

export interface SubscriberPreferences {
  readonly subscriberId: string
  readonly contextKeys: readonly string[]
  readonly global: { readonly enabled: boolean; readonly channels: readonly ChannelPreference[] }
  /** One item per workflow of the environment, oldest first. */
  readonly workflows: readonly WorkflowPreference[]
}

/** All workflows of the environment, as one batch with the key ''. */
const allWorkflows: Batch<string, readonly Workflow[]> = {
  async load({ db, environmentId }, keys) {
    const rows = await db.workflow.findMany({
      where: { environmentId },
      orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
    })
    return keys.map(() => rows)
  },
}

/** Returns the effective preferences under these contexts. Batched. The subscriber must exist. */
async function effectivePreferences({ load }: Scope, key: PreferenceKey): Promise<SubscriberPreferences> {
  const [stored, workflows] = await Promise.all([load(preferencesBySubscriber, key), load(allWorkflows, '')])
  return {
    ...key,
    global: {
      enabled: isOn(stored),
      channels: channelNames.map((channel) => decideChannel(channel, undefined, stored)),
    },
    workflows: workflows.map((workflow) => {
      const channels = channelNames.map((channel) => decideChannel(channel, workflow, stored))
      return { workflow, enabled: channels.some(({ enabled }) => enabled), channels }
    }),
  }
}

export const subscriberPreferences = query({
  name: 'preference.get',
  permission: 'preference:read',
  input: z.object({ subscriberId: storableText, contextKeys }),
  owner: (named) => named,
  async run(scope, { subscriberId, contextKeys }) {
    await loadSubscriber(scope, subscriberId)
    return effectivePreferences(scope, { subscriberId, contextKeys })
  },
})

/** Lists the sets of contexts under which a subscriber has stored preferences. Batched. */
export const preferenceContextsOf = query({
  name: 'preference.listContexts',
  permission: 'preference:read',
  // A session knows its own contexts and must not learn others.
  owner: null,
  input: z.object({ subscriberId: storableText }),
  run: ({ load }, { subscriberId }) => load(preferenceContexts, subscriberId),
})

/** Returns the workflow of a preference. Sessions can only read its identifier and name. */
export const workflowOf = query({
  name: 'preference.getWorkflow',
  permission: 'workflow:read',
  input: z.custom<Pick<WorkflowPreference, 'workflow'>>(),
  run: async (_scope, { workflow }) => workflow,
})

/** Null removes a choice. */
const changedChoices = z.partialRecord(z.enum(Channel), z.boolean().nullable())

/** Merges new choices into existing ones. */
function withChoices(before: ChannelChoices, now: z.output<typeof changedChoices>): ChannelChoices {
  const merged = { ...before, ...now }
  return channelChoices.parse(Object.fromEntries(Object.entries(merged).filter(([, choice]) => choice !== null)))
}

/**
 * Changes a subscriber's preferences under exactly these contexts, for one workflow or, if none is named, for all. A
 * choice for all workflows overrides earlier choices for single workflows: it removes the channel from their
 * preferences, and turning everything off deletes them.
 */
export const updateSubscriberPreferences = mutation({
  name: 'preference.update',
  permission: 'preference:write',
  input: z.object({
    subscriberId,
    context: contextInput,
    workflowId: storableText.nullish(),
    enabled: z.boolean().nullish(),
    channels: changedChoices.nullish(),
  }),
  owner: ({ subscriberId, context }) => ({ subscriberId, contextKeys: contextKeysOf(context) }),
  async run(scope, { subscriberId, context, workflowId, enabled, channels }) {
    await lockedSubscriber(scope, subscriberId)
    const contextKeys = contextKeysOf(context)
    // A browser cannot set the data of a context, because its session is limited to the signed context.
    await (scope.caller.kind === 'session' ? ensureContextKeys(scope, contextKeys) : ensureContexts(scope, context))
    const key = { subscriberId, contextKeys }
    const change = { enabled, channels: channels ?? {} }
    if (workflowId) {
      const [workflow] = await keepWorkflows(scope, [workflowId])
      if (workflow === undefined) throw workflowNotFound(workflowId, 'workflowId')
      await writePreference(scope, key, workflow.id, change)
    } else {
      await writePreference(scope, key, null, change)
      await (enabled === false
        ? deleteWorkflowPreferences(scope, key)
        : takeBackChannels(scope, key, Object.keys(change.channels)))
    }
    return effectivePreferences(scope, key)
  },
})

interface Change {
  readonly enabled: boolean | null | undefined
  readonly channels: z.output<typeof changedChoices>
}

async function deleteWorkflowPreferences(
  { db, environmentId }: Scope,
  { subscriberId, contextKeys }: PreferenceKey,
): Promise<void> {
  const where = { environmentId, subscriberId, contextKeys: { equals: [...contextKeys] }, workflowId: { not: null } }
  await db.subscriberPreference.deleteMany({ where })
}

/** Writes the preference for one workflow, or for all if `workflowId` is null. The subscriber must be locked. */
async function writePreference(
  { db, environmentId, newId, now }: Scope,
  { subscriberId, contextKeys }: PreferenceKey,
  workflowId: string | null,
  { enabled, channels }: Change,
): Promise<void> {
  const where = { environmentId, subscriberId, contextKeys: { equals: [...contextKeys] }, workflowId }
  const found = await db.subscriberPreference.findFirst({ where })
  const before = found === null ? { enabled: null, channels: {} } : readPreference(found)
  const updatedAt = now()
  const data = { enabled: enabled ?? before.enabled, channels: withChoices(before.channels, channels), updatedAt }
  if (found !== null) {
    await db.subscriberPreference.updateMany({ where, data })
    return
  }
  const identity = { environmentId, id: newId(), subscriberId, contextKeys: [...contextKeys], workflowId }
  await db.subscriberPreference.create({ data: { ...identity, ...data, createdAt: updatedAt } })
}
