// Decides whether a subscriber's topic subscriptions admit a workflow that was triggered for their topics.
import type { Batch } from '../data/loader.ts'
import type { TopicSubscription, TopicSubscriptionPreference } from '../data/prisma/client.ts'
import type { EnvironmentScope } from '../domain/scope.ts'
import { conditionOf } from '../domain/stored-json.ts'
import { type TriggeredWorkflow } from '../domain/triggered-workflow.ts'
import { holds } from '../lib/json-logic.ts'
import type { JsonObject } from '../lib/validation.ts'
import { type RunContext } from './run-context.ts'

type Subscription = TopicSubscription & { readonly preferences: readonly TopicSubscriptionPreference[] }

interface SubscriptionsKey {
  readonly subscriberId: string
  readonly topicKeys: readonly string[]
  readonly contextKeys: readonly string[]
}

/** The subscriptions of many subscribers. The keys of one batch share the event's contexts. */
const subscriptionsUnder: Batch<SubscriptionsKey, readonly Subscription[]> = {
  cacheKey: (key) => JSON.stringify(key),
  async load({ db, environmentId }, keys) {
    const [one] = keys
    const rows = await db.topicSubscription.findMany({
      where: {
        environmentId,
        subscriberId: { in: keys.map(({ subscriberId }) => subscriberId) },
        topicKey: { in: [...new Set(keys.flatMap(({ topicKeys }) => topicKeys))] },
        contextKeys: { equals: [...(one?.contextKeys ?? [])] },
      },
      include: { preferences: { orderBy: { position: 'asc' } } },
    })
    return keys.map((key) =>
      rows.filter(
        ({ subscriberId, topicKey }) => subscriberId === key.subscriberId && key.topicKeys.includes(topicKey),
      ),
    )
  },
}

/**
 * Evaluates the preferences of one subscription (SPEC: Topic subscription). Preferences that name the workflow take
 * precedence over those that match a group of workflows. A preference applies if its condition is true. A disabled one
 * that applies excludes the workflow. If all are enabled, at least one must apply. Without preferences the workflow is
 * admitted.
 */
function admits(
  preferences: readonly TopicSubscriptionPreference[],
  { id, tags }: TriggeredWorkflow,
  variables: JsonObject,
): boolean {
  const own = preferences.filter(({ workflowId }) => workflowId === id)
  const group = preferences.filter(
    ({ workflowId, filterWorkflowIds, filterTags }) =>
      workflowId === null && (filterWorkflowIds.includes(id) || filterTags.some((tag) => tags.includes(tag))),
  )
  const relevant = own.length > 0 ? own : group
  const applying = relevant.filter(({ condition }) => holds(conditionOf(condition), variables))
  if (applying.some(({ enabled }) => !enabled)) return false
  return applying.length > 0 || relevant.every(({ enabled }) => !enabled)
}

/**
 * True if an event may run for a subscriber: the workflow is critical, the subscriber is a direct recipient, or one of
 * its subscriptions to the event's topics, with exactly the event's contexts, admits the workflow. Batched.
 */
export async function isAdmitted(
  { load }: EnvironmentScope,
  { event, workflow, recipients }: RunContext,
  subscriberId: string,
  variables: JsonObject,
): Promise<boolean> {
  if (workflow.critical || recipients.subscriberIds.includes(subscriberId)) return true
  const topicKeys = recipients.topics
    .filter(({ exclude }) => !exclude.has(subscriberId))
    .map(({ topicKey }) => topicKey)
  const subscriptions = await load(subscriptionsUnder, { subscriberId, topicKeys, contextKeys: event.contextKeys })
  return subscriptions.some(({ preferences }) => admits(preferences, workflow, variables))
}
