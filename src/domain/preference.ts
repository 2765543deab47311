// Subscriber preferences: the channels that a subscriber wants, in general and per workflow. Reads and writes.
import { z } from 'zod'
import { keepWorkflows } from '../data/lock.ts'
import { preferenceContexts, type PreferenceKey, takeBackChannels } from '../data/preference.ts'
import { Channel } from '../data/prisma/enums.ts'
import { contextInput, contextKeys, contextKeysOf, ensureContextKeys, ensureContexts } from './context.ts'
import {
  type ChannelPreference,
  decideChannel,
  isOn,
  preferencesBySubscriber,
  readPreference,
} from './preference-rule.ts'
import { referenceOf } from './resolver/reference.ts'
import { mutation, query } from './resolver/resolver.ts'
import type { Scope } from './resolver/scope.ts'
import { subscriberReference } from './subscriber-id.ts'
import { loadSubscriber, lockedSubscriber } from './subscriber.ts'
import { type ChannelChoices, channelChoices, workflowNotFound } from './workflow.ts'
import { storableText } from '../lib/validation.ts'

const channelNames = Object.values(Channel)

/** The preferences of a subscriber under contexts, without those of single workflows. */
export interface SubscriberPreferences extends PreferenceKey {
  /** False if the subscriber turned everything off. */
  readonly enabled: boolean
  /** The effective preference of each channel for workflows without a preference of their own. */
  readonly channels: readonly ChannelPreference[]
}

/** Returns the effective preferences under these contexts. Batched. The subscriber must exist. */
export async function effectivePreferences({ load }: Scope, key: PreferenceKey): Promise<SubscriberPreferences> {
  const stored = await load(preferencesBySubscriber, key)
  const channels = channelNames.map((channel) => decideChannel(channel, undefined, stored))
  return { ...key, enabled: isOn(stored), channels }
}

export const subscriberPreferences = query({
  name: 'preference.get',
  permission: 'preference:read',
  input: z.object({ subscriberId: storableText, contextKeys }),
  owner: (named) => named,
  async run(scope, { subscriberId, contextKeys }) {
    await loadSubscriber(scope, { subscriberId })
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

/** Choices to change. Null removes a choice. */
export const changedChoices = z.partialRecord(z.enum(Channel), z.boolean().nullable())

/** Merges new choices into existing ones. */
export function withChoices(before: ChannelChoices, now: z.output<typeof changedChoices>): ChannelChoices {
  const merged = { ...before, ...now }
  return channelChoices.parse(Object.fromEntries(Object.entries(merged).filter(([, choice]) => choice !== null)))
}

interface UpdatedPreferences extends SubscriberPreferences {
  /** Sentences about what has no effect. */
  readonly notes: readonly string[]
}

export const ignoredBy = (identifier: string) =>
  `The workflow "${identifier}" is critical and ignores preferences. The change is stored and has no effect while the workflow is critical.`

/**
 * Changes a subscriber's preferences under exactly these contexts, for one workflow or, if none is named, for all. A
 * choice for all workflows overrides earlier choices for single workflows: it removes the channel from their
 * preferences, and turning everything off deletes them.
 */
export const updateSubscriberPreferences = mutation({
  name: 'preference.update',
  permission: 'preference:write',
  input: z.object({
    ...subscriberReference,
    context: contextInput,
    workflowId: storableText.nullish(),
    enabled: z.boolean().nullish(),
    channels: changedChoices.nullish(),
  }),
  async owner({ subscriberId, id, context }, scope) {
    const named = referenceOf({ subscriberId }, { id })
    const owner = 'id' in named ? await loadSubscriber(scope, named) : named
    return { subscriberId: owner.subscriberId, contextKeys: contextKeysOf(context) }
  },
  async run(scope, { context, workflowId, enabled, channels, ...named }): Promise<UpdatedPreferences> {
    const notes: string[] = []
    const subscriber = referenceOf({ subscriberId: named.subscriberId }, { id: named.id })
    const { subscriberId } = await lockedSubscriber(scope, subscriber)
    const contextKeys = contextKeysOf(context)
    // A browser cannot set the data of a context, because its session is limited to the signed context.
    await (scope.caller.kind === 'session' ? ensureContextKeys(scope, contextKeys) : ensureContexts(scope, context))
    const key = { subscriberId, contextKeys }
    const change = { enabled, channels: channels ?? {} }
    if (workflowId) {
      const [workflow] = await keepWorkflows(scope, [workflowId])
      if (workflow === undefined) throw workflowNotFound(workflowId, 'workflowId')
      await writePreference(scope, key, workflow.id, change)
      if (workflow.critical) notes.push(ignoredBy(workflow.identifier))
    } else {
      await writePreference(scope, key, null, change)
      await (enabled === false
        ? deleteWorkflowPreferences(scope, key)
        : takeBackChannels(scope, key, Object.keys(change.channels)))
    }
    return { ...(await effectivePreferences(scope, key)), notes }
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
