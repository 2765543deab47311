// What becomes of one step for one subscriber: the decision that the story of an event tells.
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

/** Why a step was not sent, each in words for whoever asks. */
export const reasons = {
  step_inactive: 'The step is not active.',
  condition: "The step's condition does not hold.",
  topic_preference:
    "The preferences of the subscriber's topic subscription are against this workflow, or it was ended.",
  subscriber_workflow_preference: "The subscriber's preference for this workflow is against the channel.",
  subscriber_global_preference: "The subscriber's preference for all workflows is against the channel.",
  workflow_default: 'The subscriber chose nothing, and by default the workflow does not use the channel.',
  no_integration: 'No active integration of the channel is meant for these contexts.',
  no_destination: 'The subscriber cannot be reached by the channel.',
  content: 'What the step sends cannot be made.',
  refused: 'No destination took it.',
  cancelled: 'The event was cancelled.',
} as const satisfies Record<string, string>

export type Reason = keyof typeof reasons

export type Decision =
  | { readonly kind: 'skip' | 'fail'; readonly reason: Reason; readonly detail: string }
  | { readonly kind: 'notify'; readonly content: FeedContent }
  | { readonly kind: 'send'; readonly content: Content; readonly destinations: readonly Destination[] }

const skip = (reason: Reason, detail: string = reasons[reason]): Decision => ({ kind: 'skip', reason, detail })

/** Whether a step is left out before it is looked at whose step it is. */
export function decideStep(step: Step, facts: JsonObject): Decision | undefined {
  if (!step.active) return skip('step_inactive')
  return holds(step.condition, facts) ? undefined : skip('condition')
}

/** The reason of a preference that is against a channel. */
const againstBy = {
  subscriber_workflow: 'subscriber_workflow_preference',
  subscriber_global: 'subscriber_global_preference',
  workflow_default: 'workflow_default',
} as const satisfies Record<string, Reason>

/**
 * A path of the site that shows the feed, or an absolute address; anything else, such as `javascript:`, is none. Browsers
 * read `/\` as `//`, which leads to another site.
 */
const link = /^(?:\/(?![/\\])|https?:\/\/)\S+$|^\/$/i

/** @param field what the step calls it. @throws TemplateError when it leads nowhere that a browser may go. */
function linkOf(field: string, rendered: string): string {
  if (link.test(rendered)) return rendered
  throw new TemplateError(`${field} must become an http or https address, or a path that begins with "/"`)
}

const plain = (text: string, facts: JsonObject) => render(text, facts, { escape: 'none' })

/** Optional texts that come out empty are left out. */
function optional<Result>(text: string | null | undefined, facts: JsonObject, use: (rendered: string) => Result) {
  const rendered = text ? plain(text, facts).trim() : ''
  return rendered === '' ? null : use(rendered)
}

const asIs = (rendered: string) => rendered

/** @throws TemplateError */
function feedContent(step: Extract<ChannelStep, { type: 'in_app' }>, facts: JsonObject): FeedContent {
  return {
    subject: optional(step.subject, facts, asIs),
    body: plain(step.body, facts),
    avatar: optional(step.avatar, facts, (url) => linkOf('avatar', url)),
    url: optional(step.url, facts, (url) => linkOf('url', url)),
    actions: step.actions.map(({ label, url }) => ({
      label: plain(label, facts),
      url: linkOf('url of an action', plain(url, facts)),
    })),
    data: step.data,
  }
}

/** @throws TemplateError */
function contentOf(step: Exclude<ChannelStep, { type: 'in_app' }>, facts: JsonObject): Content {
  return {
    subject: 'subject' in step && step.subject ? plain(step.subject, facts) : null,
    // In HTML what a subscriber is called must not become markup.
    body: render(step.body, facts, { escape: step.type === 'email' ? 'html' : 'none' }),
  }
}

/** Preferences (SPEC: Subscriber preferences): undefined when they let the channel be used. */
async function againstChannel(
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
  return enabled || decidedBy === 'critical' ? undefined : skip(againstBy[decidedBy])
}

/** Who gets what by one channel step. Batched over the subscribers of a step. */
export async function decideChannelStep(
  scope: EnvironmentScope,
  runContext: RunContext,
  step: ChannelStep,
  subscriber: Subscriber,
  facts: JsonObject,
): Promise<Decision> {
  const against = await againstChannel(scope, runContext, step, subscriber)
  if (against) return against
  try {
    if (step.type === 'in_app') return { kind: 'notify', content: feedContent(step, facts) }
    const usable = await usableIntegrations(scope, step.type, runContext.variables)
    if (usable.length === 0) return skip('no_integration')
    const { contextKeys } = runContext.event
    const destinations = await destinationsOf(scope, step.type, subscriber, contextKeys, usable)
    if (destinations.length === 0) {
      return skip('no_destination', `Subscriber "${subscriber.subscriberId}" has ${channels[step.type].lacking}.`)
    }
    return { kind: 'send', content: contentOf(step, facts), destinations }
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error
    return { kind: 'fail', reason: 'content', detail: error.message }
  }
}
