// Routes of a session's own preferences.
import { z } from 'zod'
import { Channel, Severity } from '../../../../data/prisma/enums.ts'
import {
  type ChangedPreference,
  MAX_CHANGES,
  updatePreferences,
} from '../../../../domain/preference/preference-bulk.ts'
import type { ChannelPreference } from '../../../../domain/preference/preference-rule.ts'
import {
  subscriberPreferences,
  type SubscriberPreferences,
  updateSubscriberPreferences,
} from '../../../../domain/preference/preference.ts'
import {
  channelsUsedBy,
  usedChannels,
  type WorkflowPreference,
  workflowPreference,
  workflowPreferences,
} from '../../../../domain/preference/workflow-preference.ts'
import type { DoorScope } from '../../../../domain/resolver/door-scope.ts'
import type { Path } from '../../../../lib/errors.ts'
import { route } from '../../../route.ts'
import { eitherOf } from '../../../vocabulary.ts'
import { scheduleView, showSchedule } from '../../../routes/preference.ts'
import { found } from '../../../views.ts'
import { channelFields } from '../words/channels.ts'
import { workflowInWords, showWorkflowInWords } from '../words/item.ts'
import { isListed } from '../routes/preference.ts'
import { firstPage, rowsOfAllPages } from '../words/whole-list.ts'
import { inbox, inEnvelope, ownerIn } from './own.ts'
import { novuOwnBulkRoute } from './subscription.ts'

const view = z
  .object({
    level: z.enum(['global', 'template']).meta({ description: '`template` for the preferences of one workflow.' }),
    enabled: z.boolean(),
    channels: z
      .partialRecord(z.enum(Channel), z.boolean())
      .meta({ description: 'Setting of each channel that the workflow uses, or any workflow: true if it is on.' }),
    workflow: workflowInWords.optional().meta({ description: 'Absent for the global preferences.' }),
    schedule: scheduleView.optional(),
  })
  .meta({ id: 'NovuPreference', description: 'Preferences of a subscriber: global, or for one workflow.' })
type Shown = z.input<typeof view>

const byChannel = (preferences: readonly ChannelPreference[]) =>
  Object.fromEntries(preferences.map(({ channel, enabled }) => [channel, enabled]))

function showOne({ workflow, enabled, channels }: WorkflowPreference): Shown {
  const used = channelsUsedBy(workflow)
  const shown = channels.filter(({ channel }) => used.includes(channel))
  return { level: 'template', enabled, channels: byChannel(shown), workflow: showWorkflowInWords(workflow) }
}

async function showGlobal({ enabled, schedule }: SubscriberPreferences, scope: DoorScope): Promise<Shown> {
  const channels = byChannel(await usedChannels(scope, ownerIn(scope)))
  return { level: 'global', enabled, channels, ...(schedule && { schedule: showSchedule(schedule) }) }
}

async function showChanged(changed: ChangedPreference, scope: DoorScope): Promise<Shown> {
  if (changed.kind === 'workflow') return showOne(changed)
  if (changed.kind === 'global') return showGlobal(changed, scope)
  throw new Error('a page cannot change the preferences of a category')
}

/** The contexts of a session by type. */
const contextOf = (keys: readonly string[]) =>
  Object.fromEntries(keys.map((key) => [key.slice(0, key.indexOf(':')), key.slice(key.indexOf(':') + 1)] as const))

const choicesIn = (given: z.output<z.ZodObject<typeof channelFields>>) =>
  Object.fromEntries(
    Object.entries(given).filter((choice): choice is [string, boolean] => typeof choice[1] === 'boolean'),
  )

/** The names of fields in a request, which has channels without `channels`. */
const nameOf = (path: Path): Path => path.filter((part) => part !== 'channels')

const tagsOfQuery = z.array(z.string()).optional()

async function workflowsOf(scope: DoorScope, tags: string[] | undefined): Promise<readonly WorkflowPreference[]> {
  const filter = { active: true, ...(tags && tags.length > 0 && { tags }) }
  const read = (page: Parameters<typeof workflowPreferences>[1]['page']) =>
    workflowPreferences(scope, { ...ownerIn(scope), page, filter })
  return rowsOfAllPages(await read(firstPage), read)
}

const own = (_wire: unknown, scope: DoorScope) => ownerIn(scope)

const bulk = route({
  method: 'patch',
  path: `${inbox}/preferences/bulk`,
  operationId: 'own.preference.updateMany',
  summary: "Update the session's preferences for several workflows; nothing is written if one of them fails",
  example: { preferences: [{ workflowId: 'order', email: false }] },
  body: z.strictObject({
    preferences: z
      .array(z.strictObject({ workflowId: z.string().min(1), ...channelFields }))
      .min(1)
      .max(MAX_CHANGES),
  }),
  resolver: updatePreferences,
  input({ body: { preferences } }, scope) {
    const { subscriberId, contextKeys } = ownerIn(scope)
    const contexts = Object.entries(contextOf(contextKeys)).map(([type, identifier]) => ({ type, identifier }))
    const changes = preferences.map(({ workflowId, ...given }) => ({ workflowId, channels: choicesIn(given) }))
    return { preferences: changes.map((change) => ({ ...change, subscriberId, contexts })), allOrNothing: true }
  },
  nameOf,
  statuses: [200],
  response: inEnvelope(z.array(view)),
  view: async ({ changed }, scope) => ({ data: await Promise.all(changed.map((one) => showChanged(one, scope))) }),
})

const ofSubscription = z.object({ subscriptionIdentifier: z.unknown() }).loose()

/** A bulk update of which an item names a subscription. */
const ofSubscriptions = z.object({
  preferences: z
    .array(z.unknown())
    .refine((items) => items.some((item) => ofSubscription.safeParse(item).data?.subscriptionIdentifier !== undefined)),
})

export const novuOwnPreferenceRoutes = [
  route({
    method: 'get',
    path: `${inbox}/preferences`,
    operationId: 'own.preference.list',
    summary: "List the session's preferences: the global ones, and those of each workflow",
    query: z.object({
      tags: tagsOfQuery.meta({ description: 'Workflows with any of these tags.' }),
      severity: z.array(z.enum(Severity)).optional().meta({ description: 'Workflows with any of these severities.' }),
      criticality: z
        .enum(['all', 'critical', 'nonCritical'])
        .default('nonCritical')
        .meta({ description: 'Workflows to list: critical ones ignore preferences.' }),
    }),
    resolver: subscriberPreferences,
    input: own,
    statuses: [200],
    response: inEnvelope(z.array(view)),
    async view(preferences, scope, { query: { tags, severity = [], criticality } }) {
      const [global, workflows] = await Promise.all([showGlobal(preferences, scope), workflowsOf(scope, tags)])
      const shown = workflows.filter(
        ({ workflow }) =>
          isListed[criticality]({ workflow }) && (severity.length === 0 || severity.includes(workflow.severity)),
      )
      return { data: [global, ...shown.map(showOne)] }
    },
  }),
  route({
    method: 'get',
    path: `${inbox}/preferences/global`,
    operationId: 'own.preference.get',
    summary: "Read the session's global preferences",
    resolver: subscriberPreferences,
    input: own,
    statuses: [200],
    response: inEnvelope(view),
    view: async (preferences, scope) => ({ data: await showGlobal(preferences, scope) }),
  }),
  route({
    method: 'patch',
    path: `${inbox}/preferences`,
    operationId: 'own.preference.update',
    summary: "Update the session's global preferences",
    example: { email: false },
    body: z.strictObject({ ...channelFields, schedule: updateSubscriberPreferences.definition.input.shape.schedule }),
    resolver: updateSubscriberPreferences,
    input({ body: { schedule, ...given } }, scope) {
      const { subscriberId, contextKeys } = ownerIn(scope)
      return { subscriberId, context: contextOf(contextKeys), channels: choicesIn(given), schedule }
    },
    nameOf,
    statuses: [200],
    response: inEnvelope(view),
    view: async (preferences, scope) => ({ data: await showGlobal(preferences, scope) }),
  }),
  eitherOf(bulk, novuOwnBulkRoute, (body) => ofSubscriptions.safeParse(body).success),
  route({
    method: 'patch',
    path: `${inbox}/preferences/{workflowId}`,
    operationId: 'own.preference.updateOfWorkflow',
    summary: "Update the session's preferences for a workflow",
    example: { email: false },
    params: z.object({ workflowId: z.string().meta({ description: 'Id or identifier of the workflow.' }) }),
    body: z.strictObject(channelFields),
    resolver: updateSubscriberPreferences,
    input({ params: { workflowId }, body }, scope) {
      const { subscriberId, contextKeys } = ownerIn(scope)
      return { subscriberId, context: contextOf(contextKeys), workflowId, channels: choicesIn(body) }
    },
    nameOf,
    statuses: [200],
    response: inEnvelope(view),
    async view(_updated, scope, { params: { workflowId } }) {
      const preference = await workflowPreference(scope, { ...ownerIn(scope), workflowId })
      return { data: showOne(found(preference, 'Workflow', workflowId)) }
    },
  }),
]
