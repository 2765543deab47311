// Previews: the result that a trigger would have.
import type { Notification } from '../../data/prisma/client.ts'
import { pauseOfDelivery, pauseOfRun } from '../../domain/execution/current-pause.ts'
import { circuitOpenUntil } from '../../domain/execution/delivery-route.ts'
import { rateLimitedUntil } from '../../domain/execution/limited-delivery.ts'
import {
  MAX_PREVIEWED,
  type Preview,
  type PreviewedMessage as Message,
  type PreviewedRun,
  type PreviewedStep,
  previewTrigger,
} from '../../engine/preview.ts'
import { messageFields, waitsForCircuit, waitsForRate } from './delivery.ts'
import { causeField } from './failure-cause.ts'
import { contentFields } from './notification-content.ts'
import { Pause } from './pause.ts'
import { runReasonFields, stepReasonFields } from './step-reason.ts'
import { StepStatus } from './run.ts'
import { builder } from '../schema/builder.ts'
import { usualLength } from '../schema/complexity.ts'
import { replacedBy } from '../schema/former-name.ts'
import { edge, queryField } from '../schema/query.ts'
import { reasonStepDescription, RunOutcome } from './event-outcome.ts'
import { detailDescription, EventReason, EventStatus } from './event-status.ts'
import { readTrigger, triggerFields, TriggerStatus } from './trigger.ts'
import { readSteps, stepsField } from '../workflow-step-input.ts'
import { StepType } from '../workflow-step.ts'
import { keyOf } from '../schema/wording.ts'

const PreviewedNotification = builder.objectRef<Notification>('PreviewedNotification').implement({
  description: 'A notification that a trigger would add to the feed.',
  fields: contentFields,
})

const PreviewedMessage = builder.objectRef<Message>('PreviewedMessage').implement({
  description: 'A message that a trigger would send to one destination.',
  fields: (t) => ({
    ...messageFields(t),
    error: t.exposeString('error', {
      nullable: true,
      description:
        'The reason why the message would fail without a request to its provider, such as missing credentials, a destination that the provider does not support, or a blocked address. Null if the message would be sent.',
    }),
    pause: edge(t, {
      description:
        'The pause of the integration, workflow or environment that would hold the message. Null if there is none.',
      type: Pause,
      nullable: true,
      resolver: pauseOfDelivery,
      decode: ({ integrationId, workflowIdentifier }) => ({
        status: 'pending' as const,
        integrationId,
        workflowIdentifier,
      }),
    }),
    circuitOpenUntil: edge(t, {
      description: waitsForCircuit('would wait for it'),
      type: 'DateTime',
      nullable: true,
      resolver: circuitOpenUntil,
      decode: ({ id, integrationId, routes }) => ({
        id,
        status: 'pending' as const,
        integrationId,
        attemptCount: 0,
        routes,
      }),
    }),
    rateLimitedUntil: edge(t, {
      description: waitsForRate('would wait for it'),
      type: 'DateTime',
      nullable: true,
      resolver: rateLimitedUntil,
      decode: ({ id, integrationId }) => ({ id, status: 'pending' as const, integrationId, attemptCount: 0 }),
    }),
  }),
})

const PreviewedStepRef = builder.objectRef<PreviewedStep>('PreviewedStep').implement({
  description: 'The result that a step would have for one recipient.',
  fields: (t) => ({
    stepId: t.exposeString('stepId', { description: keyOf('step in the workflow') }),
    type: t.expose('type', { type: StepType, description: 'The type of the step.' }),
    status: t.expose('status', {
      type: StepStatus,
      description:
        'The expected status. `SENT` means that at least one message would be sent. `FAILED` also means that all messages would fail before a request to their provider.',
    }),
    ...stepReasonFields(t, 'would be skipped or fail'),
    detail: t.exposeString('detail', {
      nullable: true,
      description: 'A sentence that explains the reason. Null if there is no reason.',
    }),
    cause: causeField(t, 'the messages of the step'),
    dueAt: t.expose('dueAt', {
      type: 'DateTime',
      nullable: true,
      description: 'The time a delay or digest would end. Null for other steps.',
    }),
    notification: t.field({
      type: PreviewedNotification,
      nullable: true,
      description: 'The notification for the feed. Null if the step would write none.',
      resolve: ({ notification }) => notification,
    }),
    messages: t.expose('deliveries', {
      type: t.listRef(PreviewedMessage),
      description: 'The messages, one for each destination.',
      complexity: usualLength(2),
    }),
  }),
})

const PreviewedRunRef = builder.objectRef<PreviewedRun>('PreviewedRun').implement({
  description: 'The run that a trigger would create for one recipient.',
  fields: (t) => ({
    subscriberId: t.exposeString('subscriberId', { description: 'The subscriberId of the recipient.' }),
    outcome: t.expose('outcome', {
      type: RunOutcome,
      description: 'The outcome that the run would have.',
    }),
    ...runReasonFields(t),
    reasonStepId: t.exposeString('reasonStepId', { nullable: true, description: reasonStepDescription }),
    steps: t.expose('steps', {
      type: t.listRef(PreviewedStepRef),
      description: 'The steps, in order.',
    }),
  }),
})

const TriggerPreview = builder.objectRef<Preview>('TriggerPreview').implement({
  description: 'The preview of a trigger.',
  fields: (t) => ({
    status: t.expose('status', {
      type: TriggerStatus,
      description: 'The expected status, in the words of the REST API.',
      deprecationReason: replacedBy('eventStatus'),
    }),
    errors: t.expose('errors', {
      type: t.listRef('String'),
      description: 'The reasons why the trigger would have no effect. Empty if it would be processed.',
    }),
    eventStatus: t.expose('eventStatus', {
      type: EventStatus,
      description: 'The status that the event would end with: `COMPLETED` or `SKIPPED`.',
    }),
    reason: t.expose('reason', {
      type: EventReason,
      nullable: true,
      description: 'The reason why the event would be skipped. Null if it would not be skipped.',
    }),
    detail: t.exposeString('detail', { nullable: true, description: detailDescription }),
    pause: edge(t, {
      description: 'The pause of the workflow or environment that would hold the event. Null if there is none.',
      type: Pause,
      nullable: true,
      resolver: pauseOfRun,
      decode: ({ workflowIdentifier }) => ({ status: 'running' as const, workflowIdentifier }),
    }),
    runs: t.expose('runs', {
      type: t.listRef(PreviewedRunRef),
      description: `The runs of the first ${MAX_PREVIEWED} recipients.`,
    }),
    notes: t.exposeStringList('notes', {
      description: 'Sentences about overrides that no step of these recipients could use. Usually empty.',
    }),
    hasMore: t.exposeBoolean('hasMore', {
      description: 'True if the trigger has more recipients than the entries of `runs`.',
    }),
  }),
})

const PreviewTriggerInput = builder.inputType('PreviewTriggerInput', {
  description: 'The trigger to preview, and unsaved parts of the workflow.',
  fields: (t) => ({
    ...triggerFields(t),
    steps: stepsField(t, 'Used in place of the saved steps, as if the workflow were active.'),
    payloadSchema: t.field({
      type: 'JSONObject',
      description:
        'The JSON Schema for the payload, used in place of the saved schema, as if the workflow were active. Null allows any payload.',
    }),
  }),
})

queryField('previewTrigger', {
  description:
    'Previews a trigger with the code that executes it. Nothing is sent or stored. Delays and digests take no time. Messages fail that would fail before a request to their provider, and all others count as sent. `steps` and `payloadSchema` preview unsaved changes. An error in a template is the `detail` of its step.',
  type: TriggerPreview,
  args: (arg) => ({ input: arg({ type: PreviewTriggerInput, required: true, description: 'The trigger.' }) }),
  resolver: previewTrigger,
  decode: ({ input: { steps, ...input } }) => ({ ...readTrigger(input), steps: steps && readSteps(steps) }),
})
