// Whether a topic subscription wants a workflow that its topic was triggered with.
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

/** The subscriptions of many subscribers; all keys of one event have its topics and contexts. */
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
 * What the entries of one subscription say (SPEC: Topic subscription). Entries about the workflow itself are heard
 * before those about a group that it is in. An entry speaks when its condition holds: one that is disabled then shuts
 * the workflow out, and where there are only enabled ones, one of them has to speak. No entry at all lets it in.
 */
function admits(
  entries: readonly TopicSubscriptionPreference[],
  { id, tags }: TriggeredWorkflow,
  facts: JsonObject,
): boolean {
  const own = entries.filter(({ workflowId }) => workflowId === id)
  const group = entries.filter(
    ({ workflowId, filterWorkflowIds, filterTags }) =>
      workflowId === null && (filterWorkflowIds.includes(id) || filterTags.some((tag) => tags.includes(tag))),
  )
  const heard = own.length > 0 ? own : group
  const speaking = heard.filter(({ condition }) => holds(conditionOf(condition), facts))
  if (speaking.some(({ enabled }) => !enabled)) return false
  return speaking.length > 0 || heard.every(({ enabled }) => !enabled)
}

/**
 * Whether an event may run for a subscriber: when it is critical, when the subscriber was named by itself, and when one
 * of its subscriptions to the topics that were named, under exactly the event's contexts, lets it. Batched.
 */
export async function isAdmitted(
  { load }: EnvironmentScope,
  { event, workflow, recipients }: RunContext,
  subscriberId: string,
  facts: JsonObject,
): Promise<boolean> {
  if (workflow.critical || recipients.subscriberIds.includes(subscriberId)) return true
  const topicKeys = recipients.topics
    .filter(({ exclude }) => !exclude.has(subscriberId))
    .map(({ topicKey }) => topicKey)
  const subscriptions = await load(subscriptionsUnder, { subscriberId, topicKeys, contextKeys: event.contextKeys })
  return subscriptions.some(({ preferences }) => admits(preferences, workflow, facts))
}
