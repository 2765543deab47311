// Decides each step of each run, with a reason from `stepReasons`, so that the log answers: why was this message skipped,
// failed or sent? The decision becomes the step run's status, reason and detail. Checks, in order: the step is active,
// its condition, its expiry, the subscriber's preferences and schedule, an integration, a destination, the content, suppressed
// addresses. Topic subscriptions are in admission.ts. Code from callers is evaluated for many runs at once.
import type { ActiveRun } from '../../data/run.ts'
import type { StepRunRow } from '../../data/step-run.ts'
import type { Subscriber } from '../../data/subscriber.ts'
import { sendingRulesOf } from '../../domain/access/sending.ts'
import {
  type AttachedFile,
  MAX_ATTACHMENT_BYTES,
  MAX_ATTACHMENTS,
  withinLimits,
} from '../../domain/channel/attachment-file.ts'
import { noLinks } from '../../domain/channel/unsubscribe-link.ts'
import { asObject } from '../../domain/channel/stored-json.ts'
import { overriddenRecipient } from '../../domain/trigger/overrides.ts'
import { type StepReason, stepReasons } from '../../domain/trigger/step-reason.ts'
import { SECRETS_REMOVED } from '../../domain/trigger/secret-payload.ts'
import { categoryOfWorkflow, decideChannel, preferencesBySubscriber } from '../../domain/preference/preference-rule.ts'
import { sentenceAbout } from '../../domain/preference/preference-sentence.ts'
import type { EnvironmentScope } from '../../domain/resolver/scope.ts'
import { type ChannelStep, selectedIntegration, type Step } from '../../domain/workflow-step.ts'
import type { Evaluation } from '../../evaluation/evaluator.ts'
import { explain, type Failure } from '../../evaluation/work.ts'
import { present } from '../../lib/present.ts'
import type { JsonObject } from '../../lib/validation.ts'
import { type Decided, type Decision, fail, skip } from './decided.ts'
import { capturedDestinations, type Destination, destinationsOf, usableIntegrations } from './destination.ts'
import { explainNoDestination } from './no-destination.ts'
import { explainNoIntegration, explainSelected } from './no-integration.ts'
import { decideBySchedule, sendingTime } from './outside-schedule.ts'
import { overriddenContents } from './overridden-content.ts'
import type { RunContext } from './run-context.ts'
import { feedContent, messageContent, namedPayload, SECRET_KEY, SECRET_THREAD } from './step-content.ts'
import { renderStep } from './step-rendering.ts'
import { unlessSuppressed } from './suppressed-decision.ts'
import { conditionInWords } from './unmet-condition.ts'

/** The reason of a step, if it has one, as its row has it. */
export interface StatedReason extends Pick<StepRunRow, 'detail' | 'namedId'> {
  readonly reason?: StepReason
}

/** The reason of a decision with its explanation. Empty if the step is executed. */
export function statedReasonOf(decision: Decision, { hide }: RunContext): StatedReason {
  if (!('reason' in decision)) return 'detail' in decision ? present({ detail: decision.detail }) : {}
  const { reason, detail, namedId } = decision
  return { reason, detail: hide(detail), ...present({ namedId }) }
}

/** The evaluation of a workflow's code, with the reasons why parts of it were stopped. */
export interface WorkflowEvaluation extends Evaluation {
  /** In sentences, in order. Filled while steps are decided. */
  readonly stops: string[]
}

/** Returns the sentence about a failure of the workflow's own code, and records it if the code was stopped. */
function explained({ stops }: WorkflowEvaluation, subject: string, failure: Failure): string {
  const sentence = explain(subject, failure)
  if (failure.cause !== 'error') stops.push(sentence)
  return sentence
}

/**
 * Decides the checks that do not depend on the step's type, for each run. Undefined if the step must be executed.
 *
 * @param hasExpired true if the messages of the step are no longer of use.
 */
export async function decideSteps(
  { evaluation, runContext }: Pick<ChannelStepContext, 'evaluation' | 'runContext'>,
  { active, condition, stepId }: Step,
  runs: readonly { readonly variables: JsonObject }[],
  hasExpired: boolean,
): Promise<readonly (Decided | undefined)[]> {
  if (!active) return runs.map(() => skip('step_inactive', `Step "${stepId}" is inactive.`))
  const met = hasExpired ? skip('expired', stepReasons.expired) : undefined
  if (condition === null) return runs.map(() => met)
  const outcomes = await evaluation.run(
    'condition',
    runs.map(({ variables }) => ({ rule: condition, variables })),
  )
  return outcomes.map((outcome, index) => {
    if (outcome.status === 'deferred') return 'later'
    if (outcome.status === 'done') {
      if (outcome.value) return met
      const words = conditionInWords(condition, runContext.shown(runs[index]?.variables ?? {}))
      return skip('condition', `The condition of step "${stepId}" is not met: ${words}`)
    }
    return fail('condition_failed', explained(evaluation, `The condition of step "${stepId}"`, outcome))
  })
}

/** The reason for each source of a preference that turns a channel off. */
const reasonOf = {
  subscriber_workflow: 'subscriber_workflow_preference',
  subscriber_category: 'subscriber_category_preference',
  subscriber_global: 'subscriber_global_preference',
  category_default: 'category_default',
  workflow_default: 'workflow_default',
} as const satisfies Record<string, StepReason>

/** Decides by preferences (SPEC: Subscriber preferences). @returns undefined if the channel is on. */
async function decideByPreferences(
  scope: EnvironmentScope,
  { event, workflow }: RunContext,
  step: ChannelStep,
  { subscriber, run: { hasPreferences } }: Recipient,
  dueAt: Date,
): Promise<Decision | undefined> {
  const { subscriberId } = subscriber
  const { contextKeys } = event
  const key = { subscriberId, contextKeys }
  const stored = hasPreferences ? await scope.load(preferencesBySubscriber, key) : undefined
  const category = await categoryOfWorkflow(scope, workflow)
  const decided = decideChannel(step.type, { workflow, category }, stored)
  if (decided.decidedBy === 'critical') return undefined
  if (decided.enabled) {
    const isExempt = step.type === 'in_app' || stored === undefined
    return isExempt
      ? undefined
      : decideBySchedule(stored.global?.schedule ?? null, subscriber, sendingTime(scope, dueAt))
  }
  return skip(reasonOf[decided.decidedBy], sentenceAbout(decided, { subscriberId, workflow, category }))
}

/** A channel step, executed for runs of an event. */
interface ChannelStepContext {
  readonly scope: EnvironmentScope
  readonly runContext: RunContext
  readonly evaluation: WorkflowEvaluation
  readonly step: ChannelStep
  /** When the step is due. */
  readonly dueAt: Date
}

interface Recipient {
  readonly run: Pick<ActiveRun, 'hasPreferences' | 'addressKey'>
  readonly subscriber: Subscriber
  readonly variables: JsonObject
  /** The attachments of its events, oldest first. */
  readonly files: readonly AttachedFile[]
}

/**
 * Decides everything except the content. @returns the destinations if the step must be executed. Empty for the feed.
 */
async function decideDestinations(
  { scope, runContext, evaluation, step, dueAt }: ChannelStepContext,
  recipients: readonly Recipient[],
): Promise<readonly (Decided | readonly Destination[])[]> {
  const optedOut = await Promise.all(
    recipients.map((recipient) => decideByPreferences(scope, runContext, step, recipient, dueAt)),
  )
  if (step.type === 'in_app') return optedOut.map((decision) => decision ?? [])
  if (optedOut.every((decision) => decision !== undefined)) return optedOut
  const { type, stepId } = step
  const selected = selectedIntegration(step)
  const usable = await usableIntegrations(scope, evaluation, type, runContext.variables)
  return Promise.all(
    recipients.map(async ({ subscriber }, index) => {
      const decision = optedOut[index]
      if (decision) return decision
      if (usable === undefined) return 'later'
      const { contextKeys } = runContext.event
      const { integrations } = usable
      const isUnusable = !integrations.some(({ identifier }) => selected === null || identifier === selected)
      const replacement = overriddenRecipient(asObject(runContext.event.overrides), type)
      // Read only if it matters, so that it costs others nothing.
      const isCaptured = isUnusable && (await sendingRulesOf(scope)).sending === 'capture'
      if (integrations.length === 0 && !isCaptured) {
        const { failures } = usable
        const [failure] = failures
        if (failure) {
          const detail = failures.map(({ sentence }) => sentence).join(' ')
          return fail('integration_condition_failed', detail, failure.integrationId)
        }
        const { detail, namedId } = await explainNoIntegration(
          scope,
          type,
          usable.unmet,
          runContext.shown(runContext.variables),
        )
        return skip('no_integration', detail, namedId)
      }
      if (selected !== null && isUnusable && !isCaptured) {
        const { detail, namedId } = await explainSelected(scope, stepId, selected)
        return skip('no_integration', detail, namedId)
      }
      const destinations = isCaptured
        ? await capturedDestinations(scope, type, subscriber, contextKeys, replacement)
        : await destinationsOf(scope, type, subscriber, contextKeys, { integrations, selected, replacement })
      if (destinations.length > 0) return destinations
      const { detail, namedId } = await explainNoDestination(scope, type, subscriber, contextKeys)
      return skip('no_destination', detail, namedId)
    }),
  )
}

const leftOutOf = (count: number) =>
  `${count} ${count === 1 ? 'attachment was' : 'attachments were'} left out: an email has at most ${MAX_ATTACHMENTS}, with ${MAX_ATTACHMENT_BYTES} bytes together.`

/** Decides a channel step for each of its recipients. */
export async function decideChannelSteps(
  context: ChannelStepContext,
  recipients: readonly Recipient[],
): Promise<readonly Decided[]> {
  const { scope, runContext, evaluation, step } = context
  if (runContext.event.secretsRemovedAt !== null) return recipients.map(() => fail('content', SECRETS_REMOVED))
  const found = await decideDestinations(context, recipients)
  const isOpen = (index: number) => Array.isArray(found[index])
  const outcomes = await renderStep(
    { evaluation, runContext, step },
    recipients
      .filter((_recipient, index) => isOpen(index))
      // A notification stays in the feed: its link would have no token.
      .map(({ variables }) => (step.type === 'in_app' ? { ...variables, unsubscribe: { ...noLinks } } : variables)),
  )
  const rest = [...outcomes]
  // The same for all recipients.
  const payload = step.type === 'in_app' ? namedPayload(step, asObject(runContext.event.payload)) : null
  const decided = found.map((destinations, index): Decided => {
    if (destinations === 'later' || 'kind' in destinations) return destinations
    const outcome = rest.shift()
    if (outcome === undefined || outcome.status === 'deferred') return 'later'
    if (outcome.status === 'failed') {
      const isOwn = outcome.cause === 'error'
      return fail(
        'content',
        isOwn ? outcome.message : explained(evaluation, `The template of step "${step.stepId}"`, outcome),
      )
    }
    const { shown, secret } = outcome.value
    // A notification stays in the feed, where its content can be read again: it has masks.
    if (step.type === 'in_app') {
      const entry = feedContent(step, shown, payload)
      return typeof entry === 'string' ? fail('content', entry) : { kind: 'notify', content: entry }
    }
    const { environmentId } = scope
    const { subscriber, files = [] } = recipients[index] ?? {}
    const { chosen, leftOut } = withinLimits(files)
    const unsubscribe = runContext.unsubscribe.url
    const recipient = { environmentId, subscriberRowId: subscriber?.id ?? '', files: chosen, unsubscribe }
    const content = messageContent(step, shown, recipient, secret !== undefined)
    const secretContent = secret && messageContent(step, secret, recipient, false)
    if (typeof content === 'string') return fail('content', content)
    if (typeof secretContent === 'string') return fail('content', secretContent)
    if (secretContent && secretContent.incident?.key !== content.incident?.key) return fail('content', SECRET_KEY)
    if (secretContent && secretContent.email?.thread !== content.email?.thread) return fail('content', SECRET_THREAD)
    const detail = leftOut === 0 ? undefined : leftOutOf(leftOut)
    const contents = overriddenContents(
      { content, secretContent },
      asObject(runContext.event.overrides),
      step,
      destinations,
    )
    if (typeof contents === 'string') return fail('content', contents)
    return { kind: 'send', ...contents, destinations, ...present({ detail }) }
  })
  return unlessSuppressed(context, recipients, decided)
}
