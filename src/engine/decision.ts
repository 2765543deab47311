// Why was this message skipped, failed or sent? Each step of each run is decided here, with a reason from `reasons`.
// The decision becomes the step run's status, reason and detail. Checks, in order: the step is active, its condition, the
// subscriber's preferences, an integration, a destination, the content. Topic subscriptions are in admission.ts.
import type { Subscriber } from '../data/prisma/client.ts'
import { channels } from '../domain/channel.ts'
import type { Content, FeedContent } from '../domain/content.ts'
import { decideChannel, preferencesBySubscriber } from '../domain/preference.ts'
import type { EnvironmentScope } from '../domain/scope.ts'
import { type ChannelStep, type Step } from '../domain/workflow-step.ts'
import { holds } from '../lib/json-logic.ts'
import { render, TemplateError } from '../lib/template.ts'
import type { JsonObject } from '../lib/validation.ts'
import { type Destination, destinationsOf, usableIntegrations } from './destination.ts'
import type { RunContext } from './run-context.ts'

/** The reasons why a step was not sent, with the default detail of each. The codes are part of the API. */
export const reasons = {
  step_inactive: 'The step is inactive.',
  condition: "The step's condition is not met.",
  topic_preference: "The subscriber's topic subscription excludes this workflow or no longer exists.",
  subscriber_workflow_preference: 'The subscriber turned this channel off for this workflow.',
  subscriber_global_preference: 'The subscriber turned this channel off for all workflows.',
  workflow_default: 'The workflow does not use this channel by default, and the subscriber has no preference.',
  no_integration: 'No active integration for this channel matches the contexts.',
  no_destination: 'The subscriber has no destination for this channel.',
  content: "The step's content could not be rendered.",
  refused: 'Every destination rejected the message.',
  cancelled: 'The event was cancelled.',
} as const satisfies Record<string, string>

type Reason = keyof typeof reasons

export type Decision =
  | { readonly kind: 'skip' | 'fail'; readonly reason: Reason; readonly detail: string }
  | { readonly kind: 'notify'; readonly content: FeedContent }
  | { readonly kind: 'send'; readonly content: Content; readonly destinations: readonly Destination[] }

const skip = (reason: Reason, detail: string = reasons[reason]): Decision => ({ kind: 'skip', reason, detail })

/** Decides what does not depend on the step's type. @returns undefined if the step is to be executed. */
export function decideStep(step: Step, variables: JsonObject): Decision | undefined {
  if (!step.active) return skip('step_inactive')
  return holds(step.condition, variables) ? undefined : skip('condition')
}

/** The reason for each source of a preference that turns a channel off. */
const reasonOf = {
  subscriber_workflow: 'subscriber_workflow_preference',
  subscriber_global: 'subscriber_global_preference',
  workflow_default: 'workflow_default',
} as const satisfies Record<string, Reason>

/**
 * An http or https URL, or a path on the site that shows the feed. Rejects `javascript:` URLs, and `//` and `/\`, which
 * browsers follow to another site.
 */
const link = /^(?:\/(?![/\\])|https?:\/\/)\S+$|^\/$/i

/** @param field the name in the error. @throws TemplateError if the rendered text is not a link. */
function linkOf(field: string, rendered: string): string {
  if (link.test(rendered)) return rendered
  throw new TemplateError(`${field} must render to an http or https URL, or to a path that starts with "/"`)
}

const plain = (text: string, variables: JsonObject) => render(text, variables, { escape: 'none' })

/** Null if the text is absent or renders to an empty string. */
function optional<Result>(text: string | null | undefined, variables: JsonObject, use: (rendered: string) => Result) {
  const rendered = text ? plain(text, variables).trim() : ''
  return rendered === '' ? null : use(rendered)
}

const asIs = (rendered: string) => rendered

/** @throws TemplateError */
function feedContent(step: Extract<ChannelStep, { type: 'in_app' }>, variables: JsonObject): FeedContent {
  return {
    subject: optional(step.subject, variables, asIs),
    body: plain(step.body, variables),
    avatar: optional(step.avatar, variables, (url) => linkOf('avatar', url)),
    url: optional(step.url, variables, (url) => linkOf('url', url)),
    actions: step.actions.map(({ label, url }) => ({
      label: plain(label, variables),
      url: linkOf('url of an action', plain(url, variables)),
    })),
    data: step.data,
  }
}

/** @throws TemplateError */
function messageContent(step: Exclude<ChannelStep, { type: 'in_app' }>, variables: JsonObject): Content {
  return {
    subject: 'subject' in step && step.subject ? plain(step.subject, variables) : null,
    // A variable, such as the subscriber's name, must not become markup.
    body: render(step.body, variables, { escape: step.type === 'email' ? 'html' : 'none' }),
  }
}

/** Decides by preferences (SPEC: Subscriber preferences). @returns undefined if the channel is on. */
async function decideByPreferences(
  scope: EnvironmentScope,
  { event, workflow }: RunContext,
  step: ChannelStep,
  { subscriberId }: Subscriber,
): Promise<Decision | undefined> {
  const { global, byWorkflow } = await scope.load(preferencesBySubscriber, {
    subscriberId,
    contextKeys: event.contextKeys,
  })
  const { enabled, decidedBy } = decideChannel(step.type, workflow, [byWorkflow.get(workflow.id), global])
  return enabled || decidedBy === 'critical' ? undefined : skip(reasonOf[decidedBy])
}

/** Decides a channel step for one subscriber. Batched over the subscribers of a step. */
export async function decideChannelStep(
  scope: EnvironmentScope,
  runContext: RunContext,
  step: ChannelStep,
  { subscriber, variables }: { readonly subscriber: Subscriber; readonly variables: JsonObject },
): Promise<Decision> {
  const optedOut = await decideByPreferences(scope, runContext, step, subscriber)
  if (optedOut) return optedOut
  try {
    if (step.type === 'in_app') return { kind: 'notify', content: feedContent(step, variables) }
    const usable = await usableIntegrations(scope, step.type, runContext.variables)
    if (usable.length === 0) return skip('no_integration')
    const { contextKeys } = runContext.event
    const destinations = await destinationsOf(scope, step.type, subscriber, contextKeys, usable)
    if (destinations.length === 0) {
      return skip('no_destination', `Subscriber "${subscriber.subscriberId}" has ${channels[step.type].lacking}.`)
    }
    return { kind: 'send', content: messageContent(step, variables), destinations }
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error
    return { kind: 'fail', reason: 'content', detail: error.message }
  }
}
