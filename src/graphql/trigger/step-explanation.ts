// What a step run says for people, and the objects that it names.
import { channelEndpoint } from '../../domain/channel-endpoint.ts'
import { findStepRun, runOfStep, type StepRun as StepRunRow } from '../../domain/execution/run.ts'
import { integration } from '../../domain/integration.ts'
import { suppression } from '../../domain/suppression/suppression.ts'
import { topicSubscription } from '../../domain/topic-subscription.ts'
import { explainStep } from '../../engine/explanation.ts'
import { ChannelEndpoint } from '../channel/channel-endpoint.ts'
import { Integration } from '../integration.ts'
import { builder } from '../schema/builder.ts'
import { edge, edgeView } from '../schema/query.ts'
import { Suppression } from '../suppression.ts'
import { TopicSubscription } from '../topic-subscription.ts'
import { StepRun, WorkflowRun } from './run.ts'

/** The object that the detail of a step names, if the step has one of these reasons. */
const namedFor =
  (...reasons: readonly string[]) =>
  ({ reason, namedId }: StepRunRow) =>
    namedId !== null && reason !== null && reasons.includes(reason) ? { id: namedId } : null

builder.objectFields(StepRun, (t) => ({
  explanation: edgeView(t, {
    type: 'String',
    description:
      'What happened, in sentences for people: `detail`, or for other steps what they wait for, which digest they were merged into, when a message is attempted again, or in which feed the notification is.',
    resolver: explainStep,
    decode: ({ id }) => ({ stepRunId: id }),
    view: ({ text }) => text,
  }),
  advice: edgeView(t, {
    type: 'String',
    nullable: true,
    description: 'What to do if the step should have been sent. Null if there is no reason.',
    resolver: explainStep,
    decode: ({ id }) => ({ stepRunId: id }),
    view: ({ advice }) => advice,
  }),
  workflowRun: edge(t, {
    description: 'The run of the step.',
    type: WorkflowRun,
    resolver: runOfStep,
    decode: ({ id }) => ({ stepRunId: id }),
  }),
  topicSubscription: edge(t, {
    description:
      'The topic subscription that `detail` names, because it excludes the workflow or its condition could not be evaluated. The first one if there are several. Null for other steps, and if it was deleted.',
    type: TopicSubscription,
    nullable: true,
    resolver: topicSubscription,
    decode: namedFor('topic_preference', 'subscription_condition_failed'),
  }),
  integration: edge(t, {
    description:
      'The integration that `detail` names, because it cannot be used. The first one if there are several. Null for other steps, and if it was deleted. `Delivery.integration` is the integration of a message.',
    type: Integration,
    nullable: true,
    resolver: integration,
    decode: namedFor('no_integration', 'integration_condition_failed'),
  }),
  channelEndpoint: edge(t, {
    description:
      'The channel endpoint that `detail` names, because it exists under other contexts or its integration cannot be used. The first one if there are several. Null for other steps, and if it was deleted.',
    type: ChannelEndpoint,
    nullable: true,
    resolver: channelEndpoint,
    decode: namedFor('no_destination'),
  }),
  suppression: edge(t, {
    description:
      'The suppression that `detail` names, because of which nothing was sent. The first one if there are several. Null for other steps, and if it was deleted.',
    type: Suppression,
    nullable: true,
    resolver: suppression,
    decode: namedFor('suppressed'),
  }),
  mergedInto: edge(t, {
    description:
      'The digest that collected the trigger of this run. Its run sends the messages for both. Null if the step was not merged, or if the event of the digest was deleted.',
    type: StepRun,
    nullable: true,
    resolver: findStepRun,
    decode: ({ mergedIntoId }) => (mergedIntoId === null ? null : { id: mergedIntoId }),
  }),
}))
