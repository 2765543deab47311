// Decides whether a subscriber's topic subscriptions admit a workflow that was triggered for their topics.
import type { TopicSubscriptionPreference } from '../data/prisma/client.ts'
import type { Subscriber } from '../data/subscriber.ts'
import { type Subscription, subscriptionsToTopics } from '../data/topic-subscription.ts'
import type { EnvironmentScope } from '../domain/resolver/scope.ts'
import { conditionOf } from '../domain/channel/stored-json.ts'
import { type TriggeredWorkflow } from '../domain/trigger/triggered-workflow.ts'
import type { Evaluation } from '../evaluation/evaluator.ts'
import { explain, type Evaluated } from '../evaluation/work.ts'
import type { JsonObject } from '../lib/validation.ts'
import { isNamed, type RunContext } from './run-context.ts'

/**
 * The preferences of a subscription that apply to a workflow: those that name the workflow, otherwise those of a group.
 */
function relevantTo(
  { preferences }: Subscription,
  { id, tags }: TriggeredWorkflow,
): readonly TopicSubscriptionPreference[] {
  const own = preferences.filter(({ workflowId }) => workflowId === id)
  if (own.length > 0) return own
  return preferences.filter(
    ({ workflowId, filterWorkflowIds, filterTags }) =>
      workflowId === null && (filterWorkflowIds.includes(id) || filterTags.some((tag) => tags.includes(tag))),
  )
}

/** Why a run must not be executed. `later` if the decision is pending. Undefined if the run may be executed. */
export type Exclusion =
  | { readonly reason: 'topic_preference' }
  | { readonly reason: 'subscription_condition_failed'; readonly detail: string }
  | 'later'
  | undefined

/** The result of one subscription's preferences. */
type Verdict = 'admits' | 'excludes' | 'later' | { readonly failure: string }

/**
 * Evaluates the preferences of one subscription (SPEC: Topic subscription). A preference applies if its condition is
 * true. A disabled preference that applies excludes the workflow. If all are enabled, at least one must apply. Without
 * preferences, the workflow is admitted. A preference that cannot be evaluated never admits the workflow, because it
 * might exclude it.
 */
function verdictOf(
  { identifier }: Subscription,
  relevant: readonly TopicSubscriptionPreference[],
  outcomes: ReadonlyMap<TopicSubscriptionPreference, Evaluated<boolean>>,
): Verdict {
  const results = relevant.map((preference) => ({
    enabled: preference.enabled,
    outcome: outcomes.get(preference) ?? ({ status: 'done', value: true } as const),
  }))
  if (results.some(({ outcome }) => outcome.status === 'deferred')) return 'later'
  const applies = ({ outcome }: (typeof results)[number]) => outcome.status === 'done' && outcome.value
  if (results.some((result) => !result.enabled && applies(result))) return 'excludes'
  const failed = results.flatMap(({ enabled, outcome }) => (outcome.status === 'failed' ? [{ enabled, outcome }] : []))
  const decisive = failed.find(({ enabled }) => !enabled)
  const admits = results.some(applies) || results.every(({ enabled }) => !enabled)
  if (decisive === undefined && admits) return 'admits'
  const [failure] = decisive ? [decisive] : failed
  if (failure === undefined) return 'excludes'
  return { failure: explain(`A condition of the topic subscription "${identifier}"`, failure.outcome) }
}

interface Recipient {
  readonly subscriber: Subscriber
  readonly variables: JsonObject
}

/**
 * Decides for each subscriber whether an event may run: the workflow is critical, the subscriber is a direct recipient,
 * or one of its subscriptions to the event's topics, with exactly the event's contexts, admits the workflow.
 *
 * @param admitted the ids of subscribers that are known to have such a subscription. For all others, subscriptions
 *   are read.
 */
export async function exclusionsOf(
  { load, evaluator }: EnvironmentScope,
  evaluation: Evaluation,
  { event, workflow, recipients }: RunContext,
  runs: readonly Recipient[],
  admitted: ReadonlySet<string> = new Set(),
): Promise<readonly Exclusion[]> {
  const subscriptions = await Promise.all(
    runs.map(async ({ subscriber }) => {
      const { subscriberId } = subscriber
      if (workflow.critical || admitted.has(subscriberId) || isNamed(recipients, subscriber)) return undefined
      const topicKeys = recipients.topics
        .filter(({ exclude }) => !exclude.has(subscriberId))
        .map(({ topicKey }) => topicKey)
      const found = await load(subscriptionsToTopics, { subscriberId, topicKeys, contextKeys: event.contextKeys })
      return found.map((subscription) => ({ subscription, relevant: relevantTo(subscription, workflow) }))
    }),
  )
  const conditions = runs.flatMap(({ variables }, index) =>
    (subscriptions[index] ?? [])
      .flatMap(({ relevant }) => relevant)
      .flatMap((preference) => {
        const rule = conditionOf(preference.condition)
        return rule === null ? [] : [{ preference, item: { rule, variables } }]
      }),
  )
  const evaluated = await evaluation.run(
    'condition',
    conditions.map(({ item }) => item),
  )
  const outcomes = new Map<TopicSubscriptionPreference, Evaluated<boolean>>()
  for (const [index, { preference }] of conditions.entries()) {
    outcomes.set(preference, evaluated[index] ?? { status: 'deferred' })
  }
  return subscriptions.map((found): Exclusion => {
    if (found === undefined) return undefined
    const verdicts = found.map(({ subscription, relevant }) => ({
      identifier: subscription.identifier,
      verdict: verdictOf(subscription, relevant, outcomes),
    }))
    const failures = verdicts.flatMap(({ identifier, verdict }) => {
      if (typeof verdict !== 'object') return []
      evaluator.warn({ topicSubscription: identifier })
      return [verdict.failure]
    })
    const has = (wanted: Verdict) => verdicts.some(({ verdict }) => verdict === wanted)
    if (has('admits')) return undefined
    if (has('later')) return 'later'
    if (failures.length > 0) return { reason: 'subscription_condition_failed', detail: failures.join(' ') }
    return { reason: 'topic_preference' }
  })
}
