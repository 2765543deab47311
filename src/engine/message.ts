// The message that a provider delivers: rendered content, a target and credentials, with all secrets decrypted. A step
// decides on destinations (an integration and a target). Each becomes a delivery, which stores the target without its
// secrets (domain/execution/target.ts). An attempt resolves the target and composes the message.
import { deliveriesById } from '../data/delivery.ts'
import { eventsById } from '../data/event.ts'
import { integrationsById } from '../data/integration.ts'
import type { Delivery, Event, Integration, StepRun, WorkflowRun } from '../data/prisma/client.ts'
import { NO_INTEGRATION } from '../data/queue/job.ts'
import { runsByStepRun } from '../data/run.ts'
import { stepRunsById } from '../data/step-run.ts'
import { subscribersById } from '../data/subscriber.ts'
import { subscriptionsById } from '../data/topic-subscription.ts'
import type { Channel } from '../data/prisma/enums.ts'
import type { AttachedFile } from '../domain/channel/attachment-file.ts'
import type { Content } from '../domain/channel/content.ts'
import { openCredentials } from '../domain/integration-setting.ts'
import type { FailureCause } from '../domain/channel/failure-cause.ts'
import type { ResolvedTarget } from '../domain/channel/provider-directory.ts'
import { CAPTURE, type ProviderId, providerOf } from '../domain/channel/provider-id.ts'
import { contentOf, sentContent } from '../domain/channel/sent-content.ts'
import type { EnvironmentScope } from '../domain/resolver/scope.ts'
import { asObject, conditionOf } from '../domain/channel/stored-json.ts'
import { describeTarget, targetOf } from '../domain/execution/target.ts'
import { requestOverrides, severityOf } from '../domain/trigger/overrides.ts'
import { openContent, openPayload, SECRETS_REMOVED } from '../domain/trigger/secret-payload.ts'
import { loadTriggeredWorkflow, type TriggeredWorkflow } from '../domain/trigger/triggered-workflow.ts'
import { reportUrlOf } from '../domain/execution/inbound-webhook.ts'
import { requestBudget } from '../evaluation/evaluator.ts'
import { explain } from '../evaluation/work.ts'
import { present } from '../lib/present.ts'
import type { JsonObject } from '../lib/validation.ts'
import { openRunContext, subscriberVariables } from './decision/run-context.ts'
import { createLinkToken } from './message-link.ts'
import { type Meant, resolveTarget } from './resolved-target.ts'

/** A file of a message, with its bytes. */
export interface LoadedFile extends Pick<AttachedFile, 'name' | 'contentId' | 'inline'> {
  readonly contentType: string
  readonly bytes: Uint8Array
}

/** All data that a provider may send. It contains secrets: do not store or log it. */
export interface Message {
  /** The delivery's id, the same for every attempt. Receivers get it as `Idempotency-Key`. */
  readonly deliveryId: string
  readonly environmentId: string
  readonly channel: Channel
  readonly providerId: ProviderId
  readonly integration: Pick<Integration, 'id' | 'identifier'>
  readonly content: Content
  /** The files that the content names, during an attempt. Absent if it names none. */
  readonly files?: readonly LoadedFile[]
  readonly target: ResolvedTarget
  /** The integration's credentials as stored. Each provider validates the fields that it needs. */
  readonly credentials: JsonObject
  readonly eventId: string
  readonly transactionId: string
  /** The trace of the trigger, in the format of the `traceparent` header. Null for events of earlier versions. */
  readonly traceparent: string | null
  readonly workflow: Pick<TriggeredWorkflow, 'identifier' | 'name' | 'severity' | 'tags'>
  /** True if the workflow is critical. */
  readonly isCritical: boolean
  readonly subscriber: ReturnType<typeof subscriberVariables>
  readonly contextKeys: readonly string[]
  readonly payload: JsonObject
  /** Texts and numbers that must not appear in the execution log: those of the payload, and the token of the links. */
  readonly secrets: readonly string[]
  /** The token of the unsubscribe links in the content, which has an example in its place. Null without such links. */
  readonly linkToken: string | null
  /** What is merged into the request to the provider. Later ones win. */
  readonly overrides: readonly JsonObject[]
  /** The URL for reports of the integration. Absent if the gateway has no `BASE_URL`. */
  readonly reportUrl?: string
  /** The time of the trigger. If the message follows a delay or a digest, the time when the message was created. */
  readonly dueSince: Date
}

/** The reason why a message can never be sent. */
export interface Obstacle {
  readonly obstacle: string
  readonly failureCause: FailureCause
  /** The underlying error, for the log. */
  readonly cause?: Error
}

/** The reason if a row of the message's destination is missing, or if another row has taken its place. */
const GONE: Obstacle = { obstacle: 'The destination no longer exists.', failureCause: 'destination_gone' }

/** The reason if the values of secret fields were removed, which happens after the end of an event. */
const SECRETS_GONE: Obstacle = { obstacle: SECRETS_REMOVED, failureCause: 'credentials_unreadable' }

/** A delivery and what it belongs to. */
interface DeliveryInRun {
  readonly delivery: Delivery
  readonly stepRun: StepRun
  readonly run: WorkflowRun
  readonly event: Event
}

/** Reads a delivery and what it belongs to. Undefined if they were just deleted. */
async function loadDeliveryInRun({ load }: EnvironmentScope, deliveryId: string): Promise<DeliveryInRun | undefined> {
  const delivery = await load(deliveriesById, deliveryId)
  if (delivery === null) return undefined
  const [stepRun, run] = await Promise.all([
    load(stepRunsById, delivery.stepRunId),
    load(runsByStepRun, delivery.stepRunId),
  ])
  const event = run && (await load(eventsById, run.eventId))
  return stepRun && run && event ? { delivery, stepRun, run, event } : undefined
}

/**
 * Finds the rows that a delivery was created for. @returns the obstacle if one is missing: a new row is no replacement.
 */
async function findMeant(
  { load }: EnvironmentScope,
  { delivery, run, event }: DeliveryInRun,
): Promise<Meant | Obstacle> {
  const { subscriberId, subscriberRowId } = run
  const { integrationId, channel, providerId, subscriptionIds } = delivery
  const [subscriber, stored, subscriptions] = await Promise.all([
    load(subscribersById, subscriberRowId),
    providerId === CAPTURE || integrationId === null ? null : load(integrationsById, integrationId),
    Promise.all(subscriptionIds.map((id) => load(subscriptionsById, id))),
  ])
  if (subscriber?.subscriberId !== subscriberId) return GONE
  const integration = stored?.channel === channel && stored.providerId === providerId ? stored : null
  if (integration === null && delivery.routes !== null) {
    const obstacle = `Integration "${delivery.integrationIdentifier}" no longer exists.`
    return { obstacle, failureCause: 'integration_unusable' }
  }
  if (integration === null && providerId !== CAPTURE) return GONE
  if (subscriptions.length > 0 && subscriptions.every((one) => one === null)) {
    const obstacle = `Subscriber "${subscriberId}" is no longer subscribed to the topics of the trigger.`
    return { ...GONE, obstacle }
  }
  return { subscriber, integration, contextKeys: event.contextKeys }
}

/** Returns why the integration must no longer be used for the event. Undefined if it may be used. */
async function objectionTo(
  scope: EnvironmentScope,
  { active, identifier, conditions }: Integration,
  event: Event,
): Promise<Obstacle | undefined> {
  const failureCause = 'integration_unusable'
  if (!active) {
    const obstacle = `Integration "${identifier}" is not active. If it is paused instead, its messages wait.`
    return { obstacle, failureCause }
  }
  const condition = conditionOf(conditions)
  if (condition === null) return undefined
  const { variables } = await openRunContext(scope, event)
  const [outcome] = await scope.evaluator.begin(requestBudget).run('condition', [{ rule: condition, variables }])
  if (outcome?.status === 'failed') {
    return { obstacle: explain(`The condition of integration "${identifier}"`, outcome), failureCause }
  }
  // The job is attempted again later.
  if (outcome?.status !== 'done') throw new Error('the environment has used its evaluation time')
  if (outcome.value) return undefined
  return {
    obstacle: `The conditions of integration "${identifier}" do not hold for these contexts any more.`,
    failureCause,
  }
}

/** True if an override has replaced the address, which is not the one of the subscriber then. */
const isReplaced = ({ email, sms }: Content) => email?.replacesTo === true || sms?.to !== undefined

/** Stores the current address of the profile, so that the execution log shows where the message went. */
async function storeAddress(
  scope: EnvironmentScope,
  { id, target }: Delivery,
  resolved: ResolvedTarget,
): Promise<void> {
  const isProfile = resolved.kind === 'email' || resolved.kind === 'phone'
  if (!isProfile || describeTarget(resolved) === describeTarget(targetOf(target))) return
  // If the subscriber was deleted meanwhile, the message is no longer pending and its target stays erased.
  const where = { environmentId: scope.environmentId, id, status: 'pending' } as const
  await scope.db.delivery.updateMany({ where, data: { target: resolved, updatedAt: scope.now() } })
}

/**
 * Composes the message of a delivery from the current state of its destination.
 *
 * @returns the obstacle if the destination no longer exists, even if another one has the same name.
 * @throws DecryptionError that names the row whose secrets cannot be decrypted.
 */
export async function composeMessage(scope: EnvironmentScope, deliveryId: string): Promise<Message | Obstacle> {
  const { environmentId } = scope
  const found = await loadDeliveryInRun(scope, deliveryId)
  if (found === undefined) return GONE
  const { delivery, stepRun, run, event } = found
  if (event.secretsRemovedAt !== null) return SECRETS_GONE
  const meant = await findMeant(scope, found)
  if ('obstacle' in meant) return meant
  const { subscriber, integration } = meant
  const objection = integration && (await objectionTo(scope, integration, event))
  if (objection) return objection
  const stored = targetOf(delivery.target)
  const isKept = isReplaced(contentOf(delivery)) && (stored.kind === 'email' || stored.kind === 'phone')
  const target = isKept ? stored : await resolveTarget(scope, stored, meant)
  if (target === undefined) return GONE
  await storeAddress(scope, delivery, target)
  const { payload, secrets } = openPayload(scope, event)
  const workflow = await loadTriggeredWorkflow(scope, { snapshotHash: run.snapshotHash ?? event.snapshotHash })
  const { identifier, name, severity, tags, critical, steps } = workflow
  const overrides = asObject(event.overrides)
  const providerId = providerOf(delivery.providerId)
  const isAfterWait = steps.slice(0, stepRun.position).some(({ type }) => type === 'delay' || type === 'digest')
  const content =
    delivery.secretContent === null
      ? contentOf(delivery)
      : sentContent(openContent(scope, delivery.id, delivery.secretContent), providerId)
  const linkToken = await createLinkToken(scope, { content, subscriber, workflow, ...found })
  return {
    deliveryId,
    environmentId,
    channel: delivery.channel,
    providerId,
    integration: integration
      ? { id: integration.id, identifier: integration.identifier }
      : { id: NO_INTEGRATION, identifier: delivery.integrationIdentifier },
    content,
    target,
    credentials: {
      ...(integration && openCredentials(scope, integration)),
      ...(content.sms?.from && { from: content.sms.from }),
    },
    eventId: event.id,
    transactionId: event.transactionId,
    traceparent: event.traceparent,
    workflow: { identifier, name, severity: severityOf(overrides, severity), tags },
    isCritical: critical,
    subscriber: subscriberVariables(subscriber),
    contextKeys: event.contextKeys,
    payload,
    secrets: linkToken === null ? secrets : [...secrets, linkToken],
    linkToken,
    overrides: requestOverrides(overrides, {
      channel: delivery.channel,
      providerId,
      stepId: stepRun.stepId,
    }),
    ...(integration && present({ reportUrl: reportUrlOf(scope, integration.id) })),
    dueSince: isAfterWait ? delivery.createdAt : event.createdAt,
  }
}
