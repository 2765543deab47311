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
import type { Explanation } from './decision/no-integration.ts'
import { isNamed, type RunContext } from './decision/run-context.ts'
import { conditionInWords } from './decision/unmet-condition.ts'

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
  ({ readonly reason: 'topic_preference' | 'subscription_condition_failed' } & Explanation) | 'later' | undefined

/** The result of one subscription's preferences. The sentence says why they exclude the workflow or fail. */
type Verdict = 'admits' | 'later' | { readonly kind: 'excludes' | 'fails'; readonly sentence: string }

/** What a run needs a subscription for. */
interface Wanted {
  readonly subscriber: Subscriber
  readonly topicKeys: readonly string[]
  readonly contextKeys: readonly string[]
}

/** The maximum number of subscriptions, and of conditions of one, to name. Others are counted or left out. */
const MAX_NAMED = 3

/**
 * Evaluates the preferences of one subscription (SPEC: Topic subscription). A preference applies if its condition is
 * true. A disabled preference that applies excludes the workflow. If all are enabled, at least one must apply. Without
 * preferences, the workflow is admitted. A preference that cannot be evaluated never admits the workflow, because it
 * might exclude it.
 */
function verdictOf(
  identifier: string,
  relevant: readonly TopicSubscriptionPreference[],
  outcomes: ReadonlyMap<TopicSubscriptionPreference, Evaluated<boolean>>,
  variables: JsonObject,
): Verdict {
  const name = `the topic subscription "${identifier}"`
  const words = ({ condition }: TopicSubscriptionPreference) =>
    conditionInWords(conditionOf(condition) ?? {}, variables)
  const results = relevant.map((preference) => ({
    preference,
    enabled: preference.enabled,
    outcome: outcomes.get(preference) ?? ({ status: 'done', value: true } as const),
  }))
  if (results.some(({ outcome }) => outcome.status === 'deferred')) return 'later'
  const applies = ({ outcome }: (typeof results)[number]) => outcome.status === 'done' && outcome.value
  const disabled = results.find((result) => !result.enabled && applies(result))
  if (disabled) {
    const { preference } = disabled
    const because = preference.condition === null ? '.' : `, because its condition is met: ${words(preference)}`
    return { kind: 'excludes', sentence: `The topic subscription "${identifier}" turns the workflow off${because}` }
  }
  const failed = results.flatMap(({ enabled, outcome }) => (outcome.status === 'failed' ? [{ enabled, outcome }] : []))
  const decisive = failed.find(({ enabled }) => !enabled)
  const admits = results.some(applies) || results.every(({ enabled }) => !enabled)
  if (decisive === undefined && admits) return 'admits'
  const [failure] = decisive ? [decisive] : failed
  if (failure) return { kind: 'fails', sentence: explain(`A condition of ${name}`, failure.outcome) }
  const unmet = results.flatMap(({ preference, enabled }) => (enabled ? [words(preference)] : []))
  return {
    kind: 'excludes',
    sentence: `The condition of ${name} is not met: ${unmet.slice(0, MAX_NAMED).join(' And: ')}`,
  }
}

/**
 * Decides a run by the verdicts of its subscriptions: one that admits the workflow suffices. A condition that could not
 * be evaluated outweighs an exclusion.
 */
function exclusionBy(
  verdicts: readonly { readonly id: string; readonly verdict: Verdict }[],
  { subscriber, topicKeys, contextKeys }: Wanted,
): Exclusion {
  if (verdicts.some(({ verdict }) => verdict === 'admits')) return undefined
  if (verdicts.some(({ verdict }) => verdict === 'later')) return 'later'
  const stated = verdicts.flatMap(({ id, verdict }) => (typeof verdict === 'object' ? [{ id, ...verdict }] : []))
  const failed = stated.filter(({ kind }) => kind === 'fails')
  const [first, ...others] = failed.length > 0 ? failed : stated
  if (first === undefined) {
    const topics = topicKeys.map((key) => `"${key}"`).join(', ')
    const under = contextKeys.length > 0 ? `under exactly ${contextKeys.join(', ')}` : 'without context'
    const gone = `Subscriber "${subscriber.subscriberId}" is no longer subscribed to ${topics} ${under}.`
    return { reason: 'topic_preference', detail: gone }
  }
  const more = others.length + 1 - MAX_NAMED
  const sentences = [first, ...others].slice(0, MAX_NAMED).map(({ sentence }) => sentence)
  const rest = more > 0 ? [`${more} more subscriptions do not admit it either.`] : []
  const reason = first.kind === 'fails' ? 'subscription_condition_failed' : 'topic_preference'
  return { reason, detail: [...sentences, ...rest].join(' '), namedId: first.id }
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
  { event, workflow, recipients, shown }: RunContext,
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
  return runs.map(({ subscriber, variables }, index): Exclusion => {
    const found = subscriptions[index]
    if (found === undefined) return undefined
    const verdicts = found.map(({ subscription: { id, identifier }, relevant }) => {
      const verdict = verdictOf(identifier, relevant, outcomes, shown(variables))
      if (typeof verdict === 'object' && verdict.kind === 'fails') evaluator.warn({ topicSubscription: identifier })
      return { id, verdict }
    })
    const topicKeys = recipients.topics.map(({ topicKey }) => topicKey)
    return exclusionBy(verdicts, { subscriber, topicKeys, contextKeys: event.contextKeys })
  })
}
