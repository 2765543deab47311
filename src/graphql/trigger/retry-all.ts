// Retries of all failed messages, or of all runs, that match a filter, in the graph.
import {
  MAX_MATCHED,
  MAX_RETRIED,
  type RetriedAll,
  retryDeliveries,
  retryWorkflowRuns,
} from '../../engine/retry-all.ts'
import { Channel } from '../channel.ts'
import { builder } from '../schema/builder.ts'
import { createdFields } from '../schema/connection.ts'
import { readWorkflowCondition, workflowConditions } from '../schema/former-name.ts'
import { mutationField, part, type PayloadFields } from '../schema/mutation.ts'
import { RunOutcome } from './event-outcome.ts'
import { FailureCause } from './failure-cause.ts'
import { retriedVersionField } from './retried-version.ts'
import { RunReason } from './step-reason.ts'
import { anyOfThe, byDefault, exactContexts, identifierOf, keyOf } from '../schema/wording.ts'

const FailedDeliveryFilter = builder.inputType('FailedDeliveryFilter', {
  description: 'Selects failed messages. An absent or null field matches all messages.',
  fields: (t) => ({
    integrationIdentifier: t.string({ description: identifierOf('integration') }),
    integrationIdentifiers: t.stringList({ description: anyOfThe('integrations, by identifier') }),
    ...workflowConditions(t),
    workflowIdentifiers: t.stringList({ description: anyOfThe('workflows, by identifier') }),
    stepIds: t.stringList({
      description: `${anyOfThe('steps that sent the message, by stepId')} Combine it with a workflow, because a stepId is unique in its workflow only.`,
    }),
    channel: t.field({ type: Channel, description: 'The channel.' }),
    channels: t.field({ type: [Channel], description: anyOfThe('channels') }),
    causes: t.field({ type: [FailureCause], description: anyOfThe('causes of the failure') }),
    subscriberId: t.string({ description: 'The subscriberId of the recipient.' }),
    subscriberIds: t.stringList({ description: anyOfThe('recipients, by subscriberId') }),
    contextKeys: t.stringList({ description: exactContexts('messages of events') }),
    transactionId: t.string({ description: 'The transaction id of the event.' }),
    reason: t.string({ description: 'A part of the error of the last attempt. Case-insensitive.' }),
    failedAfter: t.field({ type: 'DateTime', description: 'The earliest time of the failure. Inclusive.' }),
    failedBefore: t.field({ type: 'DateTime', description: 'The time before which the message failed. Exclusive.' }),
    ...createdFields(t),
  }),
})

/** The parts of a payload that say how many objects were retried. @param happened completes "that". */
const retriedParts = (noun: string, happened: string) => ({
  retriedCount: (t: PayloadFields<RetriedAll>) =>
    part(
      t,
      'Int',
      `The number of ${noun} that ${happened}. In a dry run, the number of ${noun} that would be.`,
      ({ retried }) => retried,
    ),
  remainingCount: (t: PayloadFields<RetriedAll>) =>
    part(
      t,
      'Int',
      `The number of matching ${noun} that later calls will retry, counted up to ${MAX_MATCHED}. In a dry run, all that match.`,
      ({ remaining }) => remaining,
    ),
  next: (t: PayloadFields<RetriedAll>) =>
    part(t, 'String', `The value of \`after\` for the next call, or null if no ${noun} remain.`, ({ next }) => next),
})

mutationField('retryDeliveries', {
  description: `Sends failed messages again, oldest first, each with a full set of attempts. One call retries at most ${MAX_RETRIED}: repeat it with \`after\` until \`next\` is null. Messages whose subscriber was deleted or whose event was cancelled are skipped. No message is sent twice, even if two calls overlap.`,
  input: (t) => ({
    filter: t.field({
      type: FailedDeliveryFilter,
      description: `Selects the messages. ${byDefault('all failed messages of the environment')}`,
    }),
    dryRun: t.boolean({
      description: `True counts the messages, up to ${MAX_MATCHED}, and retries none. ${byDefault('false')}`,
    }),
    after: t.string({
      description: `The \`next\` of the previous call. ${byDefault('start with the oldest message')}`,
    }),
  }),
  resolver: retryDeliveries,
  decode: readWorkflowCondition,
  payload: retriedParts('messages', 'are pending again'),
})

const WorkflowRunRetryFilter = builder.inputType('WorkflowRunRetryFilter', {
  description:
    'Filters a list of ended runs, and of their steps. All conditions must match. A null condition is ignored.',
  fields: (t) => ({
    outcome: t.field({ type: RunOutcome, description: 'The outcome of the run.' }),
    outcomes: t.field({ type: [RunOutcome], description: anyOfThe('outcomes of the run') }),
    reasons: t.field({
      type: [RunReason],
      description: `${anyOfThe('reasons of the steps to repeat')} \`RUN_FAILED\` selects failed runs.`,
    }),
    causes: t.field({
      type: [FailureCause],
      description: anyOfThe('causes by which the messages of the steps failed'),
    }),
    stepId: t.string({ description: 'The stepId of the step to repeat.' }),
    stepIds: t.stringList({ description: anyOfThe('steps to repeat, by stepId') }),
    subscriberId: t.string({ description: 'The subscriberId of the recipient.' }),
    subscriberIds: t.stringList({ description: anyOfThe('recipients, by subscriberId') }),
    workflowIdentifier: t.string({ description: identifierOf('workflow') }),
    workflowIdentifiers: t.stringList({ description: anyOfThe('workflows, by identifier') }),
    transactionId: t.string({ description: 'The transaction id of the event.' }),
    topicKey: t.string({ description: `${keyOf('topic')} The event names it as a recipient.` }),
    topicKeys: t.stringList({ description: anyOfThe('topics that the event names as recipients, by key') }),
    contextKeys: t.stringList({ description: exactContexts('runs of events') }),
    ...createdFields(t),
  }),
})

mutationField('retryWorkflowRuns', {
  description: `Retries runs that have ended, in the order of their creation: resumes failed runs, and repeats the steps that were not sent for a reason that may be gone, such as a broken template or a missing integration. Failed messages get a full set of attempts. One call retries at most ${MAX_RETRIED} runs: repeat it with \`after\` until \`next\` is null. Preferences, cancellations and deletions stay as they are, and expired messages are left out. No message is sent twice, even if two calls overlap.`,
  input: (t) => ({
    filter: t.field({
      type: WorkflowRunRetryFilter,
      description: `Selects the runs and steps. ${byDefault('all of the environment')}`,
    }),
    workflowVersion: retriedVersionField(t),
    dryRun: t.boolean({
      description: `True counts the runs, up to ${MAX_MATCHED}, and retries none. ${byDefault('false')}`,
    }),
    after: t.string({
      description: `The \`next\` of the previous call. ${byDefault('start with the oldest run')}`,
    }),
  }),
  resolver: retryWorkflowRuns,
  payload: retriedParts('runs', 'were retried'),
})
