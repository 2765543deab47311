// Unprocessed triggers: those that created no event, and the lists that show them.
import { UnprocessedTriggerKind as kinds } from '../../data/prisma/enums.ts'
import { apiKey } from '../../domain/access/api-key.ts'
import { event } from '../../domain/trigger/event.ts'
import { MAX_TRACED, type rejectionCodes, type TriggerError } from '../../domain/trigger/trigger-trace.ts'
import {
  adviceOf,
  codeOf,
  triggerErrorsOf,
  explanationOf,
  MAX_UNPROCESSED,
  tracedRecipientsOf,
  repeatsOfEvent,
  unprocessedTrigger,
  type UnprocessedTrigger as Row,
  unprocessedTriggers,
} from '../../domain/trigger/unprocessed-trigger.ts'
import { workflow } from '../../domain/workflow.ts'
import { ApiKey } from '../access/api-key.ts'
import { builder } from '../schema/builder.ts'
import { connectionOf, createdFields, listArgs } from '../schema/connection.ts'
import { UserErrorReason } from '../schema/mutation.ts'
import { defineNode } from '../schema/node.ts'
import { edge, edgeList, queryList } from '../schema/query.ts'
import { anyOfThe, createdAt, identifierOf, newestFirst, updatedAt } from '../schema/wording.ts'
import { Workflow } from '../workflow.ts'
import { Event } from './event.ts'

const UnprocessedTriggerKind = builder.enumType('UnprocessedTriggerKind', {
  description: 'Why a trigger created no event.',
  values: {
    REPEATED: {
      value: kinds.repeated,
      description: 'Another event has its transaction id. The trigger had no effect.',
    },
    REJECTED: {
      value: kinds.rejected,
      description: 'The trigger was rejected with an error, for example because its workflow does not exist.',
    },
  } as const satisfies Record<string, { value: Row['kind']; description: string }>,
})

const UnprocessedTriggerCode = builder.enumType('UnprocessedTriggerCode', {
  description: 'The kind of the error of a rejected trigger.',
  values: {
    BAD_USER_INPUT: {
      description: 'A field has an invalid value, or the payload does not match the payload schema of the workflow.',
    },
    NOT_FOUND: { description: 'The workflow, a topic or another object that the trigger names does not exist.' },
    FORBIDDEN: { description: 'The API key or the dashboard session has no permission to trigger.' },
    CONFLICT: { description: 'The trigger conflicts with existing data.' },
    PAYLOAD_TOO_LARGE: { description: 'The payload is too large.' },
    UNSUPPORTED_MEDIA_TYPE: { description: 'The body of the request is not JSON.' },
  } as const satisfies Record<(typeof rejectionCodes)[number], { description: string }>,
})

const UnprocessedTriggerError = builder.objectRef<TriggerError>('UnprocessedTriggerError').implement({
  description: 'An error of a rejected trigger. It never contains the invalid value.',
  fields: (t) => ({
    message: t.exposeString('message', {
      description: 'The problem and the allowed values, with the field names of the API that the caller used.',
    }),
    field: t.stringList({
      nullable: true,
      description:
        'The path of the field in the trigger, with list positions as numbers. Null if the error is not about one field.',
      resolve: ({ field }) => (field.length === 0 ? null : field),
    }),
    reason: t.expose('reason', {
      type: UserErrorReason,
      nullable: true,
      description: 'What is wrong with the field, in more detail than `code`. Null if `code` says it all.',
    }),
  }),
})

const UnprocessedTrigger = builder.objectRef<Row>('UnprocessedTrigger')
defineNode(UnprocessedTrigger, {
  description: `A trigger that created no event: it repeated a transaction id or was rejected. Identical triggers of the same hour are one object. Recorded within a few seconds, and kept for a day, at most ${MAX_UNPROCESSED} in an environment. Requests without valid credentials, over the rate limit or with an invalid GraphQL document are not recorded.`,
  resolver: unprocessedTrigger,
  fields: (t) => ({
    kind: t.expose('kind', { type: UnprocessedTriggerKind, description: 'Why the trigger created no event.' }),
    explanation: t.string({ description: 'Why the trigger created no event, in words.', resolve: explanationOf }),
    advice: t.string({ description: 'What to do, so that the next trigger creates an event.', resolve: adviceOf }),
    workflowIdentifier: t.exposeString('workflowIdentifier', {
      nullable: true,
      description: `${identifierOf('workflow')} As the trigger named it: at most 255 characters. Null if it named none.`,
    }),
    workflow: edge(t, {
      description: 'The current version of the workflow. Null if it does not exist.',
      type: Workflow,
      nullable: true,
      resolver: workflow,
      // A rejected trigger may have named it with an empty text.
      decode: ({ workflowIdentifier }) => (workflowIdentifier ? { identifier: workflowIdentifier } : null),
    }),
    transactionId: t.exposeString('transactionId', {
      nullable: true,
      description: 'The transaction id, as the trigger named it: at most 255 characters. Null if it named none.',
    }),
    event: edge(t, {
      description: 'The event that has the transaction id. Null for a rejected trigger, and if the event was deleted.',
      type: Event,
      nullable: true,
      resolver: event,
      decode: ({ eventId }) => (eventId === null ? null : { id: eventId }),
    }),
    subscriberIds: t.stringList({
      description: `The subscribers among the first ${MAX_TRACED} recipients that the trigger named, by subscriberId.`,
      resolve: (trace) => tracedRecipientsOf(trace).flatMap((one) => ('subscriberId' in one ? one.subscriberId : [])),
    }),
    topicKeys: t.stringList({
      description: `The topics among the first ${MAX_TRACED} recipients that the trigger named, by key.`,
      resolve: (trace) => tracedRecipientsOf(trace).flatMap((one) => ('topicKey' in one ? one.topicKey : [])),
    }),
    everyone: t.boolean({
      description: `True if everyone is among the first ${MAX_TRACED} recipients that the trigger named.`,
      resolve: (trace) => tracedRecipientsOf(trace).some((one) => 'everyone' in one),
    }),
    recipientCount: t.exposeInt('recipientCount', {
      description: 'The number of all recipients that the trigger named.',
    }),
    code: t.field({
      type: UnprocessedTriggerCode,
      nullable: true,
      description: 'The kind of the error. Null for a repeated trigger.',
      resolve: codeOf,
    }),
    errors: t.field({
      type: [UnprocessedTriggerError],
      description: `The first ${MAX_TRACED} errors. Empty for a repeated trigger.`,
      resolve: triggerErrorsOf,
    }),
    apiKey: edge(t, {
      description:
        'The API key that triggered, or that opened the dashboard session. Null for a dashboard session that a sign-in code opened, and for the command line.',
      type: ApiKey,
      nullable: true,
      resolver: apiKey,
      decode: ({ apiKeyId }) => (apiKeyId === null ? null : { id: apiKeyId }),
    }),
    count: t.exposeInt('count', { description: 'The number of identical triggers in the hour.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: createdAt('first of these triggers') }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: updatedAt('count') }),
  }),
})

const UnprocessedTriggerConnection = connectionOf(UnprocessedTrigger, 'A page of triggers that created no event.')

const unprocessedArgs = listArgs('UnprocessedTrigger', (t) => ({
  kind: t.field({ type: UnprocessedTriggerKind, description: 'The kind.' }),
  workflowIdentifier: t.string({ description: `${identifierOf('workflow')} It need not exist.` }),
  workflowIdentifiers: t.stringList({ description: anyOfThe('workflows, by identifier') }),
  transactionId: t.string({ description: 'The exact transaction id.' }),
  subscriberId: t.string({ description: `The subscriberId of one of the first ${MAX_TRACED} recipients.` }),
  subscriberIds: t.stringList({
    description: anyOfThe(`subscribers among the first ${MAX_TRACED} recipients, by subscriberId`),
  }),
  ...createdFields(t),
}))

queryList('unprocessedTriggers', {
  description: `The triggers of the last day that created no event. ${newestFirst}`,
  connection: UnprocessedTriggerConnection,
  args: unprocessedArgs,
  resolver: unprocessedTriggers,
})

builder.objectField(Event, 'repeats', (t) =>
  edgeList(t, {
    description: `The triggers of the last day that repeated the transaction id of the event. They had no effect. ${newestFirst}`,
    connection: UnprocessedTriggerConnection,
    args: unprocessedArgs,
    resolver: repeatsOfEvent,
    decode: ({ id }, args) => ({ ...args, eventId: id }),
  }),
)
