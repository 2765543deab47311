// Previews in the graph: what would come of a trigger.
import type { Notification } from '../data/prisma/client.ts'
import type { Delivery } from '../domain/delivery.ts'
import {
  MAX_PREVIEWED,
  type Preview,
  type PreviewedRun,
  type PreviewedStep,
  previewTrigger,
} from '../engine/preview.ts'
import { messageFields } from './delivery.ts'
import { readTrigger, triggerFields, TriggerStatus } from './event.ts'
import { StepStatus } from './run.ts'
import { builder } from './schema/builder.ts'
import { calls } from './schema/resolver-extension.ts'
import { StepType } from './workflow-step.ts'

const PreviewedNotification = builder.objectRef<Notification>('PreviewedNotification').implement({
  description: 'What would be written to the feed.',
  fields: (t) => ({
    subject: t.exposeString('subject', { nullable: true, description: 'Its subject. Null when it would have none.' }),
    body: t.exposeString('body', { description: 'What it would say.' }),
    url: t.exposeString('url', { nullable: true, description: 'Where a click would lead. Null when nowhere.' }),
  }),
})

const PreviewedMessage = builder.objectRef<Delivery>('PreviewedMessage').implement({
  description: 'What would be sent to one destination.',
  fields: messageFields,
})

const PreviewedStepRef = builder.objectRef<PreviewedStep>('PreviewedStep').implement({
  description: 'What would become of one step for one recipient.',
  fields: (t) => ({
    stepId: t.exposeString('stepId', { description: 'As the workflow calls the step.' }),
    type: t.expose('type', { type: StepType, description: 'What the step does.' }),
    status: t.expose('status', {
      type: StepStatus,
      description: 'What would become of it. `SENT` stands for all that would be handed to a provider.',
    }),
    reason: t.exposeString('reason', {
      nullable: true,
      description: 'Why it would be skipped or fail, for programs. Null otherwise.',
    }),
    detail: t.exposeString('detail', { nullable: true, description: 'The same in a sentence. Null otherwise.' }),
    dueAt: t.expose('dueAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Until when a delay or digest would wait. Null of every other step.',
    }),
    notification: t.field({
      type: PreviewedNotification,
      nullable: true,
      description: 'What would be written to the feed. Null when nothing would.',
      resolve: ({ notification }) => notification,
    }),
    messages: t.field({
      type: [PreviewedMessage],
      description: 'What would be sent, one for each destination.',
      resolve: ({ deliveries }) => [...deliveries],
    }),
  }),
})

const PreviewedRunRef = builder.objectRef<PreviewedRun>('PreviewedRun').implement({
  description: 'What would become of a trigger for one recipient.',
  fields: (t) => ({
    subscriberId: t.exposeString('subscriberId', { description: 'The subscriberId of the recipient.' }),
    steps: t.field({
      type: [PreviewedStepRef],
      description: 'Each step, in their order.',
      resolve: ({ steps }) => [...steps],
    }),
  }),
})

const TriggerPreview = builder.objectRef<Preview>('TriggerPreview').implement({
  description: 'What would come of a trigger.',
  fields: (t) => ({
    status: t.expose('status', { type: TriggerStatus, description: 'What would become of it.' }),
    errors: t.stringList({
      description: 'Why it would do nothing. Empty when it would be carried out.',
      resolve: ({ errors }) => [...errors],
    }),
    runs: t.field({
      type: [PreviewedRunRef],
      description: `What would become of it for each of the first ${MAX_PREVIEWED} recipients.`,
      resolve: ({ runs }) => [...runs],
    }),
    hasMore: t.exposeBoolean('hasMore', { description: 'Whether it would have more recipients than these.' }),
  }),
})

const PreviewTriggerInput = builder.inputType('PreviewTriggerInput', {
  description: 'A trigger that is only tried out.',
  fields: triggerFields,
})

builder.queryFields((t) => ({
  previewTrigger: t.field({
    ...calls(previewTrigger),
    type: TriggerPreview,
    description:
      'What would come of a trigger, decided by the very code that carries it out. Nothing is sent, and nothing is kept. Waits are passed over, and messages count as sent.',
    args: { input: t.arg({ type: PreviewTriggerInput, required: true, description: 'The trigger.' }) },
    resolve: (_root, { input }, { scope }) => previewTrigger(scope, readTrigger(input)),
  }),
}))
