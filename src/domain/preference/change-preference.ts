// Changes the choices of subscribers, and records each change with its source: the record of consent. Every way to
// change a preference ends here.
import { z } from 'zod'
import { categoryIdsOf } from '../../data/category.ts'
import { keepCategoriesById, keepWorkflows, lockSubscribers } from '../../data/lock.ts'
import { type NewPreferenceChange, recordChanges } from '../../data/preference/preference-change.ts'
import {
  deletePreferences,
  type PreferenceKey,
  preferenceRows,
  writePreferences,
} from '../../data/preference/preference.ts'
import { Channel, type PreferenceChangeSource } from '../../data/prisma/enums.ts'
import { type ChannelChoices, channelChoices } from '../channel/channel-choices.ts'
import { ensureContextKeys } from '../context.ts'
import { recordWebhookMessages } from '../outbox/webhook-message.ts'
import type { Caller } from '../resolver/caller.ts'
import type { EnvironmentScope } from '../resolver/scope.ts'
import { readPreference } from './preference-rule.ts'
import { changedSchedule, type Schedule, type ScheduleChange } from './schedule.ts'

/** How a preference is changed. */
export interface ChangeOrigin {
  readonly source: PreferenceChangeSource
  /** The message that led to the change, such as the one whose link was clicked. */
  readonly deliveryId?: string | null
}

/** Choices to change. Null removes a choice. */
export const changedChoices = z.partialRecord(z.enum(Channel), z.boolean().nullable())
type ChangedChoices = z.output<typeof changedChoices>

/** What a choice is about: all workflows, those of a category, or one. */
export type Subject =
  | { readonly scope: 'all' }
  | { readonly scope: 'category'; readonly id: string; readonly key: string }
  | { readonly scope: 'workflow'; readonly id: string; readonly identifier: string }

/** New choices of a subscriber under exactly these contexts. */
export interface Choice extends PreferenceKey {
  readonly subject: Subject
  /** Null and undefined leave the overall choice unchanged. */
  readonly enabled?: boolean | null | undefined
  /** Channels that are absent do not change. */
  readonly channels?: ChangedChoices | null | undefined
  /** Only for all workflows. Null removes the schedule, and undefined leaves it unchanged. */
  readonly schedule?: ScheduleChange
}

/** Returns the source of changes by a caller. */
export const originOf = ({ kind }: Caller): ChangeOrigin => ({
  source: kind === 'session' ? 'session' : kind === 'operator' ? 'command_line' : 'api',
})

/** Returns the text by which choices of the same subscriber under the same contexts are grouped. */
export const ownerText = ({ subscriberId, contextKeys }: PreferenceKey) => JSON.stringify([subscriberId, contextKeys])

/** A stored preference that choices change. */
interface Draft {
  readonly id: string
  readonly isNew: boolean
  readonly workflowId: string | null
  readonly categoryId: string | null
  enabled: boolean | null
  channels: ChannelChoices
  schedule: Schedule | null
  isDeleted: boolean
  isChanged: boolean
}

/** The preferences under one set of contexts, by the id of their workflow or category. The key '' is for all workflows. */
type Drafts = Map<string, Draft>

const idOf = (subject: Subject) => (subject.scope === 'all' ? '' : subject.id)

/** Merges new choices into existing ones. */
function withChoices(before: ChannelChoices, now: ChangedChoices): ChannelChoices {
  const merged = { ...before, ...now }
  return channelChoices.parse(Object.fromEntries(Object.entries(merged).filter(([, choice]) => choice !== null)))
}

/** Returns the preferences that a choice overrides: a category's those of its workflows, and one for all every other. */
function narrower(drafts: Drafts, subject: Subject, categoryIds: ReadonlyMap<string, string>): Draft[] {
  if (subject.scope === 'workflow') return []
  return [...drafts].flatMap(([id, draft]) => {
    if (id === '' || draft.isDeleted) return []
    if (subject.scope === 'all') return draft
    return draft.workflowId !== null && categoryIds.get(draft.workflowId) === subject.id ? draft : []
  })
}

const isEmpty = ({ enabled, channels }: Draft) => enabled === null && Object.keys(channels).length === 0

/** One difference that a choice makes. */
type Difference = Pick<NewPreferenceChange, 'channel' | 'enabled'>

/** Applies a choice. @returns what it changes of the choices. Empty if it changes none. */
function applyTo(
  drafts: Drafts,
  { subject, enabled, channels, schedule }: Choice,
  categoryIds: ReadonlyMap<string, string>,
  newId: () => string,
): readonly Difference[] {
  const id = idOf(subject)
  const found = drafts.get(id)
  const before = found?.isDeleted === false ? found : undefined
  const overridden = narrower(drafts, subject, categoryIds)
  const differences: Difference[] = []
  const isOff = enabled === false && overridden.some((draft) => !isEmpty(draft))
  if (typeof enabled === 'boolean' && (before?.enabled !== enabled || isOff)) {
    differences.push({ channel: null, enabled })
  }
  for (const channel of Object.values(Channel)) {
    const choice = channels?.[channel]
    if (choice === undefined) continue
    const isTaken = overridden.some((draft) => draft.channels[channel] !== undefined)
    if ((before?.channels[channel] ?? null) !== choice || isTaken) differences.push({ channel, enabled: choice })
  }
  if (differences.length === 0 && schedule === undefined) return []

  const taken = Object.fromEntries(Object.keys(channels ?? {}).map((channel) => [channel, null]))
  for (const draft of overridden) {
    if (enabled === false) draft.isDeleted = true
    else draft.channels = withChoices(draft.channels, taken)
    draft.isChanged = true
  }
  drafts.set(id, {
    // A deleted row keeps its id, so that it is changed instead.
    id: found?.id ?? newId(),
    isNew: found?.isNew ?? true,
    workflowId: subject.scope === 'workflow' ? id : null,
    categoryId: subject.scope === 'category' ? id : null,
    enabled: enabled ?? before?.enabled ?? null,
    channels: withChoices(before?.channels ?? {}, channels ?? {}),
    schedule: changedSchedule(before?.schedule ?? null, schedule),
    isDeleted: false,
    isChanged: true,
  })
  return differences
}

/** Reads the preferences that choices can change. */
async function readDrafts(scope: EnvironmentScope, keys: readonly PreferenceKey[]): Promise<Map<string, Drafts>> {
  const rows = await preferenceRows.load(scope, keys)
  return new Map(
    keys.map((key, index): [string, Drafts] => {
      const found = rows[index] ?? []
      if (found instanceof Error) throw found
      const drafts = found.map((row): [string, Draft] => {
        const { id, workflowId, categoryId } = row
        const state = { isNew: false, isDeleted: false, isChanged: false }
        return [workflowId ?? categoryId ?? '', { id, workflowId, categoryId, ...readPreference(row), ...state }]
      })
      return [ownerText(key), new Map(drafts)]
    }),
  )
}

/** The categories of the workflows that a choice for a category can override. */
function categoriesIn(scope: EnvironmentScope, choices: readonly Choice[], drafts: Iterable<Drafts>) {
  if (choices.every(({ subject }) => subject.scope !== 'category')) return new Map<string, string>()
  const stored = [...drafts].flatMap((each) => [...each.values()].flatMap(({ workflowId }) => workflowId ?? []))
  const named = choices.flatMap(({ subject }) => (subject.scope === 'workflow' ? subject.id : []))
  return categoryIdsOf(scope, [...new Set([...stored, ...named])])
}

/**
 * Applies choices one after the other, with a constant number of statements, and records what they change. What is so
 * already is neither written nor recorded. A choice for a category overrides earlier choices for its workflows, and a
 * choice for all workflows overrides earlier choices for categories and single workflows: it removes the channel from
 * their preferences, and turning everything off deletes them. A schedule is no choice, so its change is not recorded.
 *
 * Workflows, categories and subscribers must be locked, and contexts must exist.
 *
 * @returns the number of recorded changes.
 */
export async function writeChoices(
  scope: EnvironmentScope,
  choices: readonly Choice[],
  { source, deliveryId = null }: ChangeOrigin,
): Promise<number> {
  const keys = new Map(
    choices.map(({ subscriberId, contextKeys }) => {
      const key = { subscriberId, contextKeys }
      return [ownerText(key), key]
    }),
  )
  const drafts = await readDrafts(scope, [...keys.values()])
  const categoryIds = await categoriesIn(scope, choices, drafts.values())
  const changes = choices.flatMap((choice) => {
    const { subject, subscriberId, contextKeys } = choice
    const differences = applyTo(
      drafts.get(ownerText(choice)) ?? new Map<string, Draft>(),
      choice,
      categoryIds,
      scope.newId,
    )
    return differences.map((difference) => ({
      id: scope.newId(),
      subscriberId,
      contextKeys: [...contextKeys],
      scope: subject.scope,
      workflowIdentifier: subject.scope === 'workflow' ? subject.identifier : null,
      categoryKey: subject.scope === 'category' ? subject.key : null,
      ...difference,
      source,
      deliveryId,
    }))
  })
  const changed = [...keys].flatMap(([text, { subscriberId, contextKeys }]) =>
    [...(drafts.get(text)?.values() ?? [])].flatMap(({ isChanged, ...draft }) =>
      isChanged ? { ...draft, subscriberId, contextKeys: [...contextKeys] } : [],
    ),
  )
  await deletePreferences(
    scope,
    changed.flatMap(({ id, isNew, isDeleted }) => (isDeleted && !isNew ? id : [])),
  )
  await writePreferences(
    scope,
    changed.flatMap(({ isNew: _isNew, isDeleted, ...row }) => (isDeleted ? [] : row)),
    scope.now(),
  )
  await recordChanges(scope, changes, scope.now())
  await recordWebhookMessages(scope, 'preference.updated', () =>
    changes.map(({ id: _id, deliveryId: _deliveryId, ...data }) => ({ data, contextKeys: data.contextKeys })),
  )
  return changes.length
}

/** What `changePreference` changes: one workflow, one category or, if neither is given, everything. */
interface PreferenceChangeRequest extends Pick<Choice, 'enabled' | 'channels'> {
  readonly workflowId?: string | null
  readonly categoryId?: string | null
}

/** Locks what a request names. @returns undefined if it was deleted. */
async function heldSubject(
  scope: EnvironmentScope,
  { workflowId, categoryId }: PreferenceChangeRequest,
): Promise<Subject | undefined> {
  if (typeof workflowId === 'string') {
    const [workflow] = await keepWorkflows(scope, [workflowId])
    return workflow && { scope: 'workflow', id: workflow.id, identifier: workflow.identifier }
  }
  if (typeof categoryId === 'string') {
    const [category] = await keepCategoriesById(scope, [categoryId])
    return category && { scope: 'category', ...category }
  }
  return { scope: 'all' }
}

/**
 * Changes the choices of one subscriber under exactly these contexts, and records the change. For ways without a
 * resolver of their own: links, replies and complaints. Call it in a transaction. An equal request has no effect, also at
 * the same time.
 *
 * @returns true if it changed something. False if everything was so already, and if the subscriber, the workflow or the
 *   category was deleted.
 */
export async function changePreference(
  scope: EnvironmentScope,
  key: PreferenceKey,
  request: PreferenceChangeRequest,
  origin: ChangeOrigin,
): Promise<boolean> {
  const subject = await heldSubject(scope, request)
  const existing = await lockSubscribers(scope, [key.subscriberId])
  if (subject === undefined || !existing.has(key.subscriberId)) return false
  await ensureContextKeys(scope, key.contextKeys)
  const { enabled, channels } = request
  return (await writeChoices(scope, [{ ...key, subject, enabled, channels }], origin)) > 0
}
