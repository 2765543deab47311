// Subscriber preferences: the channels that a subscriber wants, in general and per workflow. Reads and writes.
import { z } from 'zod'
import { keepCategories, keepWorkflows } from '../../data/lock.ts'
import { preferenceContexts, type PreferenceKey } from '../../data/preference/preference.ts'
import { Channel } from '../../data/prisma/enums.ts'
import { contextInput, contextKeys, contextKeysOf, ensureContextKeys, ensureContexts } from '../context.ts'
import { categoryKeyLookup, categoryNotFound } from '../category.ts'
import { changedChoices, originOf, type Subject, writeChoices } from './change-preference.ts'
import { type ChannelPreference, decideChannel, isOn, preferencesBySubscriber } from './preference-rule.ts'
import { type Schedule, scheduleInput } from './schedule.ts'
import { referenceOf } from '../resolver/reference.ts'
import { mutation, query } from '../resolver/resolver.ts'
import type { Scope } from '../resolver/scope.ts'
import { subscriberReference } from '../subscriber-id.ts'
import { loadSubscriber, lockedSubscriber } from '../subscriber.ts'
import { workflowNotFound } from '../workflow.ts'
import { refuse } from '../../lib/errors.ts'
import { storableText } from '../../lib/validation.ts'

const channelNames = Object.values(Channel)

/** The preferences of a subscriber under contexts, without those of categories and single workflows. */
export interface SubscriberPreferences extends PreferenceKey {
  /** False if the subscriber turned everything off. */
  readonly enabled: boolean
  /** The effective preference of each channel for workflows without a preference of their own. */
  readonly channels: readonly ChannelPreference[]
  /** The hours in which messages are sent. Null if there are none. */
  readonly schedule: Schedule | null
}

/** Returns the effective preferences under these contexts. Batched. The subscriber must exist. */
export async function effectivePreferences({ load }: Scope, key: PreferenceKey): Promise<SubscriberPreferences> {
  const stored = await load(preferencesBySubscriber, key)
  const channels = channelNames.map((channel) => decideChannel(channel, {}, stored))
  return { ...key, enabled: isOn(stored), channels, schedule: stored.global?.schedule ?? null }
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

interface UpdatedPreferences extends SubscriberPreferences {
  /** Sentences about what has no effect. */
  readonly notes: readonly string[]
}

export const ignoredBy = (identifier: string) =>
  `The workflow "${identifier}" is critical and ignores preferences. The change is stored and has no effect while the workflow is critical.`

/** What a change of preferences names, in place of everything. */
export const changedSubject = { workflowId: storableText.nullish(), categoryKey: categoryKeyLookup.nullish() }

/** @throws Refusal `MALFORMED` if a change names a workflow and a category. */
export function assertOneSubject({ workflowId, categoryKey }: { workflowId?: unknown; categoryKey?: unknown }): void {
  if (!workflowId || !categoryKey) return
  throw refuse('MALFORMED', 'categoryKey must not be given together with workflowId', 'categoryKey')
}

/** @throws Refusal `INVALID` if a change of the schedule names a workflow or a category. */
function assertForAll({ workflowId, categoryKey }: { workflowId?: unknown; categoryKey?: unknown }): void {
  if (!workflowId && !categoryKey) return
  const other = workflowId ? 'workflowId' : 'categoryKey'
  throw refuse('INVALID', `schedule must not be given together with ${other}: it is for all workflows`, 'schedule')
}

/**
 * Changes a subscriber's preferences under exactly these contexts, for one workflow, for one category or, if neither is
 * named, for all workflows. `writeChoices` says what a choice overrides.
 */
export const updateSubscriberPreferences = mutation({
  name: 'preference.update',
  permission: 'preference:write',
  input: z.object({
    ...subscriberReference,
    context: contextInput,
    ...changedSubject,
    enabled: z.boolean().nullish(),
    channels: changedChoices.nullish(),
    schedule: scheduleInput.nullish(),
  }),
  async owner({ subscriberId, id, context }, scope) {
    const named = referenceOf({ subscriberId }, { id })
    const owner = 'id' in named ? await loadSubscriber(scope, named) : named
    return { subscriberId: owner.subscriberId, contextKeys: contextKeysOf(context) }
  },
  async run(scope, { context, workflowId, categoryKey, ...given }): Promise<UpdatedPreferences> {
    const { enabled, channels, schedule, ...named } = given
    const reference = referenceOf({ subscriberId: named.subscriberId }, { id: named.id })
    assertOneSubject({ workflowId, categoryKey })
    if (schedule !== undefined) assertForAll({ workflowId, categoryKey })
    const { subject, notes } = await heldSubject(scope, workflowId, categoryKey)
    const { subscriberId } = await lockedSubscriber(scope, reference)
    const contextKeys = contextKeysOf(context)
    // A browser cannot set the data of a context, because its session is limited to the signed context.
    await (scope.caller.kind === 'session' ? ensureContextKeys(scope, contextKeys) : ensureContexts(scope, context))
    const key = { subscriberId, contextKeys }
    await writeChoices(scope, [{ ...key, subject, enabled, channels, schedule }], originOf(scope.caller))
    return { ...(await effectivePreferences(scope, key)), notes }
  },
})

/** Locks what a change names against deletion. @throws Refusal `NOT_FOUND` */
async function heldSubject(
  scope: Scope,
  workflowId: string | null | undefined,
  categoryKey: string | null | undefined,
): Promise<{ readonly subject: Subject; readonly notes: readonly string[] }> {
  if (workflowId) {
    const [workflow] = await keepWorkflows(scope, [workflowId])
    if (workflow === undefined) throw workflowNotFound(workflowId, 'workflowId')
    const { id, identifier, critical } = workflow
    return { subject: { scope: 'workflow', id, identifier }, notes: critical ? [ignoredBy(identifier)] : [] }
  }
  if (!categoryKey) return { subject: { scope: 'all' }, notes: [] }
  const [category] = await keepCategories(scope, [categoryKey])
  if (category === undefined) throw categoryNotFound(categoryKey, 'categoryKey')
  return { subject: { scope: 'category', ...category }, notes: [] }
}
