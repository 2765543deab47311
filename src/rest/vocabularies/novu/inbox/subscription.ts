// Routes of a session's own topic subscriptions.
import { z } from 'zod'
import { Channel } from '../../../../data/prisma/enums.ts'
import {
  ownTopicSubscription,
  ownTopicSubscriptions,
  subscribeToTopic,
  unsubscribeFromTopic,
  updateOwnSubscriptionPreferences,
  updateOwnTopicSubscription,
} from '../../../../domain/own/own-subscription.ts'
import type { DoorScope } from '../../../../domain/resolver/door-scope.ts'
import { MAX_PREFERENCES } from '../../../../domain/subscription-preference.ts'
import type { TopicSubscription } from '../../../../domain/topic-subscription.ts'
import type { Path } from '../../../../lib/errors.ts'
import { present } from '../../../../lib/present.ts'
import { route } from '../../../route.ts'
import {
  preferencePath,
  preferences,
  preferenceView,
  showPreferences,
} from '../../../routes/subscription-preference.ts'
import { byTopicKey, found } from '../../../views.ts'
import { channelFields } from '../words/channels.ts'
import { inbox, inEnvelope, ownerIn } from './own.ts'

const path = `${inbox}/topics/{topicKey}/subscriptions` as const

const view = z
  .object({
    id: z.string(),
    identifier: z.string(),
    name: z.string().optional(),
    preferences: z.array(preferenceView),
  })
  .meta({ id: 'NovuOwnSubscription', description: 'A subscription of the session to a topic.' })
type Shown = z.output<typeof view>

/** Which preferences to show. All if it is empty. */
interface Selection {
  readonly workflowIds?: readonly string[] | undefined
  readonly tags?: readonly string[] | undefined
}

function isSelected({ workflow, filter }: Shown['preferences'][number], { workflowIds = [], tags = [] }: Selection) {
  if (workflowIds.length + tags.length === 0) return true
  if (workflow && (workflowIds.includes(workflow.id) || workflowIds.includes(workflow.identifier))) return true
  return [...(workflow?.tags ?? []), ...(filter?.tags ?? [])].some((tag) => tags.includes(tag))
}

async function show(row: TopicSubscription, scope: DoorScope, selection: Selection = {}): Promise<Shown> {
  const shown = (await showPreferences(scope, row)).filter((entry) => isSelected(entry, selection))
  return { id: row.id, identifier: row.identifier, ...present({ name: row.name }), preferences: shown }
}

const byIdentifier = byTopicKey.extend({
  identifier: z.string().meta({ description: 'Identifier of the subscription, unique in the topic.' }),
})

const { name, topicName } = subscribeToTopic.definition.input.shape

/** The path of a field in the request. */
const nameOf = (path: Path): Path => (path[0] === 'topicName' ? ['topic', 'name'] : preferencePath(path))

const entryChange = updateOwnSubscriptionPreferences.definition.input.shape.preferences.element.shape

/** The settings of an entry. The page repeats `enabled` for each channel, which have no settings of their own. */
const settings = { enabled: entryChange.enabled, condition: entryChange.condition, ...channelFields }

type Settings = z.output<z.ZodObject<typeof settings>>

/** Refuses channels that differ from `enabled`. */
function refuseChannels({ value, issues }: { readonly value: Settings; readonly issues: z.core.$ZodRawIssue[] }): void {
  for (const name of Object.values(Channel)) {
    const choice = value[name] ?? value.enabled
    if (choice === value.enabled) continue
    const message = 'must be the same as enabled: a subscription has no settings for single channels'
    issues.push({ code: 'custom', path: [name], message, input: choice })
  }
}

/** Returns the shown entry for a workflow. */
const entryFor = ({ preferences }: Shown, workflow: string) =>
  preferences.find((entry) => entry.workflow?.id === workflow || entry.workflow?.identifier === workflow)

/** The bulk update of preferences whose items name a subscription. */
export const novuOwnBulkRoute = route({
  method: 'patch',
  path: `${inbox}/preferences/bulk`,
  operationId: 'own.topicSubscription.updatePreferences',
  summary: "Update several preferences of one of the session's subscriptions; nothing is written if one fails",
  body: z.strictObject({
    preferences: z
      .array(
        z
          .strictObject({ subscriptionIdentifier: z.string(), workflowId: z.string().min(1), ...settings })
          .check(refuseChannels),
      )
      .min(1)
      .max(MAX_PREFERENCES)
      .check(({ value: [first, ...others], issues }) => {
        for (const [index, { subscriptionIdentifier }] of others.entries()) {
          if (subscriptionIdentifier === first?.subscriptionIdentifier) continue
          const message = 'must be the same in all items: a request changes one subscription'
          const path = [index + 1, 'subscriptionIdentifier']
          issues.push({ code: 'custom', path, message, input: subscriptionIdentifier })
        }
      }),
  }),
  resolver: updateOwnSubscriptionPreferences,
  input: ({ body: { preferences } }, scope) => ({
    ...ownerIn(scope),
    identifier: preferences[0]?.subscriptionIdentifier ?? '',
    preferences: preferences.map(({ workflowId, enabled, condition }) => ({ workflowId, enabled, condition })),
  }),
  nameOf: (path) => (path[0] === 'identifier' ? ['preferences', 0, 'subscriptionIdentifier'] : path),
  statuses: [200],
  response: inEnvelope(z.array(preferenceView)),
  async view(row, scope, { body: { preferences } }) {
    const shown = await show(row, scope)
    return {
      data: preferences.map(({ workflowId }) => found(entryFor(shown, workflowId) ?? null, 'Workflow', workflowId)),
    }
  },
})

export const novuOwnSubscriptionRoutes = [
  route({
    method: 'get',
    path,
    operationId: 'own.topicSubscription.list',
    summary: "List the session's subscriptions to a topic",
    params: byTopicKey,
    resolver: ownTopicSubscriptions,
    input: ({ params }, scope) => ({ ...params, ...ownerIn(scope) }),
    statuses: [200],
    response: inEnvelope(z.array(view)),
    view: async (rows, scope) => ({ data: await Promise.all(rows.map((row) => show(row, scope))) }),
  }),
  route({
    method: 'get',
    path: `${path}/{identifier}`,
    operationId: 'own.topicSubscription.get',
    summary: "Read one of the session's subscriptions to a topic; null if it does not exist",
    params: byIdentifier,
    query: z.object({
      workflowIds: z.array(z.string()).optional().meta({ description: 'Workflows whose preferences are shown.' }),
      tags: z.array(z.string()).optional().meta({ description: 'Tags of workflows whose preferences are shown.' }),
    }),
    resolver: ownTopicSubscription,
    input: ({ params }, scope) => ({ ...params, ...ownerIn(scope) }),
    statuses: [200],
    response: inEnvelope(view.nullable()),
    view: async (row, scope, { query }) => ({ data: row && (await show(row, scope, query)) }),
  }),
  route({
    method: 'post',
    path,
    operationId: 'own.topicSubscription.create',
    summary: 'Subscribe the session to a topic, which is created if it does not exist and the session is signed',
    example: { identifier: 'daily', preferences: ['welcome'] },
    params: byTopicKey,
    body: z.strictObject({
      identifier: z
        .string()
        .nullish()
        .meta({ description: 'Unique in the topic. Default, also if it is empty: derived.' }),
      name,
      topic: z
        .strictObject({ name: topicName })
        .nullish()
        .meta({ description: 'Fields of the topic if it is created.' }),
      preferences: preferences.nullish(),
    }),
    resolver: subscribeToTopic,
    input: ({ params, body: { identifier, topic, ...body } }, scope) => ({
      ...{ ...body, ...params, ...ownerIn(scope) },
      identifier: identifier === '' ? undefined : identifier,
      topicName: topic?.name,
    }),
    nameOf,
    statuses: [201],
    response: inEnvelope(view),
    view: async (row, scope) => ({ data: await show(row, scope) }),
  }),
  route({
    method: 'patch',
    path: `${path}/{identifier}`,
    operationId: 'own.topicSubscription.update',
    summary: "Update the name and preferences of one of the session's subscriptions",
    example: { name: 'Daily', preferences: ['welcome'] },
    params: byIdentifier,
    body: z.strictObject({ name, preferences: preferences.optional() }),
    resolver: updateOwnTopicSubscription,
    input: ({ params, body }, scope) => ({ ...body, ...params, ...ownerIn(scope) }),
    nameOf,
    statuses: [200],
    response: inEnvelope(view),
    view: async (row, scope) => ({ data: await show(row, scope) }),
  }),
  route({
    method: 'delete',
    path: `${path}/{identifier}`,
    operationId: 'own.topicSubscription.delete',
    summary: "Delete one of the session's subscriptions",
    params: byIdentifier,
    resolver: unsubscribeFromTopic,
    input: ({ params }, scope) => ({ ...params, ...ownerIn(scope) }),
    statuses: [204],
  }),
  route({
    method: 'patch',
    path: `${inbox}/subscriptions/{identifier}/preferences/{workflowId}`,
    operationId: 'own.topicSubscription.updatePreference',
    summary: "Update the preference for a workflow of one of the session's subscriptions",
    example: { enabled: false },
    params: z.object({
      identifier: byIdentifier.shape.identifier,
      workflowId: z.string().meta({ description: 'Id or identifier of the workflow.' }),
    }),
    body: z.strictObject(settings).check(refuseChannels),
    resolver: updateOwnSubscriptionPreferences,
    input: ({ params: { identifier, workflowId }, body: { enabled, condition } }, scope) => ({
      ...ownerIn(scope),
      identifier,
      preferences: [{ workflowId, enabled, condition }],
    }),
    nameOf: ([field = '', , ...rest]) => (field === 'preferences' ? rest : [field]),
    statuses: [200],
    response: inEnvelope(preferenceView),
    async view(row, scope, { params: { workflowId } }) {
      return { data: found(entryFor(await show(row, scope), workflowId) ?? null, 'Workflow', workflowId) }
    },
  }),
]
