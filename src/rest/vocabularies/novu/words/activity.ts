// Workflow runs as activities: each with its steps as jobs, and what happened to them as execution details.
import { z } from 'zod'
import { Severity, type StepStatus, StepType } from '../../../../data/prisma/enums.ts'
import {
  attemptsOf,
  deliveriesOfStep,
  type Delivery,
  type ShownAttempt,
} from '../../../../domain/execution/delivery.ts'
import { eventOfRun, stepRunsOf, type StepRun, type WorkflowRun } from '../../../../domain/execution/run.ts'
import { asObject } from '../../../../domain/channel/stored-json.ts'
import type { ProviderId } from '../../../../domain/channel/provider-id.ts'
import type { DoorScope } from '../../../../domain/resolver/door-scope.ts'
import { subscriber } from '../../../../domain/subscriber.ts'
import { workflowOfEvent } from '../../../../domain/trigger/triggered-workflow.ts'
import { present } from '../../../../lib/present.ts'
import { ownData, timestamp } from '../../../views.ts'
import { wordOfProvider } from './names.ts'

const executionDetail = z
  .object({
    _id: z.string(),
    status: z.enum(['Pending', 'Success', 'Failed']),
    detail: z.string(),
    isRetry: z.boolean(),
    isTest: z.boolean(),
    source: z.enum(['Internal', 'Webhook']),
    createdAt: timestamp,
    providerId: z.string().optional(),
    raw: z.string().optional().meta({ description: 'The beginning of the response of the provider.' }),
  })
  .meta({ id: 'NovuExecutionDetail', description: 'What happened to a step, or to an attempt to deliver its message.' })

const job = z
  .object({
    _id: z.string(),
    type: z.enum(StepType),
    providerId: z.string().meta({ description: 'Provider of the message. `novu` for steps without one.' }),
    status: z.string(),
    step: z.object({
      _id: z.string().meta({ description: 'Key of the step in the workflow.' }),
      active: z.boolean(),
      filters: z.array(z.never()),
      _templateId: z.string(),
    }),
    executionDetails: z.array(executionDetail),
  })
  .meta({ id: 'NovuJob', description: 'A step of a workflow run.' })

export const activityView = z
  .object({
    _id: z.string(),
    _environmentId: z.string(),
    _organizationId: z.string(),
    _subscriberId: z.string(),
    _templateId: z.string(),
    transactionId: z.string(),
    createdAt: timestamp,
    updatedAt: timestamp,
    channels: z.array(z.string()),
    subscriber: z
      .object({
        _id: z.string(),
        subscriberId: z.string(),
        firstName: z.string().optional(),
        lastName: z.string().optional(),
        email: z.string().optional(),
        phone: z.string().optional(),
      })
      .optional()
      .meta({ description: 'Absent if the subscriber was deleted.' }),
    template: z.object({
      _id: z.string(),
      name: z.string(),
      origin: z.literal('novu-cloud'),
      triggers: z.array(z.object({ type: z.literal('event'), identifier: z.string(), variables: z.array(z.never()) })),
    }),
    jobs: z.array(job),
    payload: ownData,
    tags: z.array(z.string()),
    severity: z.enum(Severity),
    critical: z.boolean(),
    contextKeys: z.array(z.string()),
  })
  .meta({ id: 'NovuActivity', description: 'The run of a workflow for one recipient.' })

interface StateOfJob {
  readonly status: string
  readonly detail: 'Pending' | 'Success' | 'Failed'
  /** Says what happened if the step has no detail of its own. */
  readonly sentence: string
}

const states = {
  waiting: { status: 'delayed', detail: 'Pending', sentence: 'The step waits' },
  sending: { status: 'running', detail: 'Pending', sentence: 'The message is being sent' },
  sent: { status: 'completed', detail: 'Success', sentence: 'The message was sent' },
  completed: { status: 'completed', detail: 'Success', sentence: 'The step is completed' },
  skipped: { status: 'skipped', detail: 'Success', sentence: 'The step was skipped' },
  merged: { status: 'merged', detail: 'Success', sentence: 'The step was merged into a digest' },
  failed: { status: 'failed', detail: 'Failed', sentence: 'The step failed' },
  cancelled: { status: 'canceled', detail: 'Success', sentence: 'The step was cancelled' },
} as const satisfies Record<StepStatus, StateOfJob>

/** In the client's words, a message that a schedule skips is canceled. */
const statusOf = ({ status, reason }: StepRun): string =>
  states[reason === 'outside_schedule' ? 'cancelled' : status].status

/** The client knows a closed list of providers. Others, such as captured messages, are shown as its own. */
const NO_PROVIDER = 'novu'
const providerWord = (provider: ProviderId): string => (provider === 'capture' ? NO_PROVIDER : wordOfProvider(provider))

const showAttempt = (
  delivery: Delivery,
  { number, error, answer, endedAt, providerId, isCaptured }: ShownAttempt,
): z.input<typeof executionDetail> => ({
  _id: `${delivery.id}:${number}`,
  status: error === null ? 'Success' : 'Failed',
  detail: error ?? `The message was sent to ${delivery.destination}`,
  isRetry: number > 1,
  isTest: isCaptured,
  source: 'Internal',
  createdAt: endedAt.toISOString(),
  providerId: providerWord(providerId),
  ...present({ raw: answer }),
})

/** Batched: a constant number of statements for any number of steps. */
async function showJob(step: StepRun, workflowId: string, scope: DoorScope): Promise<z.input<typeof job>> {
  const deliveries = await deliveriesOfStep(scope, { stepRunId: step.id })
  const attempts = await Promise.all(
    deliveries.map(async (delivery) => {
      const { id: deliveryId, providerId, integrationIdentifier } = delivery
      const made = await attemptsOf(scope, { deliveryId, providerId, integrationIdentifier })
      return made.map((attempt) => showAttempt(delivery, attempt))
    }),
  )
  const { detail, sentence } = states[step.status]
  const [first] = deliveries
  return {
    _id: step.id,
    type: step.type,
    providerId: first ? providerWord(first.providerId) : NO_PROVIDER,
    status: statusOf(step),
    step: { _id: step.stepId, active: true, filters: [], _templateId: workflowId },
    executionDetails: [
      ...attempts.flat(),
      {
        _id: step.id,
        status: detail,
        detail: step.detail ?? sentence,
        isRetry: step.isRepeated,
        isTest: false,
        source: 'Internal',
        createdAt: step.updatedAt.toISOString(),
      },
    ],
  }
}

/** Shows a run. Batched: a constant number of statements for any number of runs. */
export async function showActivity(run: WorkflowRun, scope: DoorScope): Promise<z.input<typeof activityView>> {
  const [event, steps, recipient] = await Promise.all([
    eventOfRun(scope, { eventId: run.eventId }),
    stepRunsOf(scope, { runId: run.id }),
    subscriber(scope, { id: run.subscriberRowId }),
  ])
  const workflow = await workflowOfEvent(scope, event)
  const jobs = await Promise.all(steps.map((step) => showJob(step, workflow.id, scope)))
  const isMessage = ({ type }: StepRun) => type !== 'delay' && type !== 'digest'
  return {
    _id: run.id,
    _environmentId: run.environmentId,
    _organizationId: scope.caller.organizationId,
    _subscriberId: run.subscriberRowId,
    _templateId: workflow.id,
    transactionId: event.transactionId,
    createdAt: run.createdAt.toISOString(),
    updatedAt: run.updatedAt.toISOString(),
    channels: [...new Set(steps.filter(isMessage).map(({ type }) => type))],
    ...(recipient && {
      subscriber: {
        _id: recipient.id,
        subscriberId: recipient.subscriberId,
        ...present({
          firstName: recipient.firstName,
          lastName: recipient.lastName,
          email: recipient.email,
          phone: recipient.phone,
        }),
      },
    }),
    template: {
      _id: workflow.id,
      name: workflow.name,
      origin: 'novu-cloud',
      triggers: [{ type: 'event', identifier: workflow.identifier, variables: [] }],
    },
    jobs,
    payload: asObject(event.payload),
    tags: [...workflow.tags],
    severity: workflow.severity,
    critical: workflow.critical,
    contextKeys: event.contextKeys,
  }
}
