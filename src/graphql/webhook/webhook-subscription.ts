// Webhook subscriptions in the graph.
import { webhookTypes } from '../../domain/outbox/webhook-type.ts'
import { KEEP_OLD, rotateWebhookSecret } from '../../domain/webhook/webhook-rotation.ts'
import {
  createWebhookSubscription,
  deleteWebhookSubscription,
  MAX_WEBHOOK_SUBSCRIPTIONS,
  updateWebhookSubscription,
  webhookSubscription,
  type WebhookSubscription as Row,
  webhookSubscriptions,
} from '../../domain/webhook/webhook-subscription.ts'
import { addressOf } from '../schema/address.ts'
import { builder, type InputFields } from '../schema/builder.ts'
import { connectionOf, listArgs } from '../schema/connection.ts'
import { deletedId, mutationField, part } from '../schema/mutation.ts'
import { defineNode } from '../schema/node.ts'
import { queryField, queryList } from '../schema/query.ts'
import {
  byDefault,
  clearsIt,
  createdAt,
  expectedVersionOf,
  identifierOf,
  incrementedVersion,
  keepsIt,
  newestFirst,
  updatedAt,
} from '../schema/wording.ts'

type TypeName = keyof typeof webhookTypes
type EnumName<Name extends string> = Name extends `${infer Noun}.${infer Verb}`
  ? `${Uppercase<Noun>}_${Uppercase<Verb>}`
  : never

const nameInGraph = (type: TypeName) => type.replace('.', '_').toUpperCase()

const values = Object.entries(webhookTypes).map(([type, { description }]) => [
  // The keys of the table are its types.
  nameInGraph(type as TypeName),
  { value: type, description },
])

export const WebhookEventType = builder.enumType('WebhookEventType', {
  description:
    'The type of a webhook message: what has happened. Messages have it in lower case, such as `message.sent`.',
  // The compiler cannot follow the names through `Object.entries`.
  values: Object.fromEntries(values) as { [Name in TypeName as EnumName<Name>]: { value: Name; description: string } },
})

export const WebhookSubscription = builder.objectRef<Row>('WebhookSubscription')
defineNode(WebhookSubscription, {
  description:
    'A receiver of messages about changes in the environment. Messages have the format of the Standard Webhooks specification, and are signed.',
  resolver: webhookSubscription,
  fields: (t) => ({
    identifier: t.exposeString('identifier', {
      description: 'The identifier, unique in the environment. Never changes.',
    }),
    url: t.exposeString('url', {
      nullable: true,
      description: 'The URL that messages are sent to. Stored encrypted. Null if it cannot be decrypted.',
    }),
    description: t.exposeString('description', { nullable: true, description: 'The description. Null if not set.' }),
    eventTypes: t.field({
      type: [WebhookEventType],
      description: 'The types of messages that are sent.',
      resolve: ({ eventTypes }) => [...eventTypes],
    }),
    active: t.exposeBoolean('active', {
      description:
        'True if messages are sent. While it is false, no new messages are written for it, and pending ones wait.',
    }),
    disabledReason: t.exposeString('disabledReason', {
      nullable: true,
      description:
        'Why the gateway deactivated the subscription: the receiver answered 410, or every attempt of five days failed. Null if it did not.',
    }),
    includeContent: t.exposeBoolean('includeContent', {
      description:
        'True if messages about messages have their rendered subject and body, and messages about inbound texts the text.',
    }),
    contextKeys: t.field({
      type: ['String'],
      nullable: true,
      description:
        'The keys of the contexts of the messages, each `<type>:<identifier>`, sorted. Only messages under exactly these contexts are sent. Empty for messages without a context, null for all messages.',
      resolve: ({ contextKeys }) => contextKeys && [...contextKeys],
    }),
    failingSince: t.expose('failingSince', {
      type: 'DateTime',
      nullable: true,
      description:
        'The time of the first failed attempt since the last that succeeded. Null if the last one succeeded.',
    }),
    formerSecretUntil: t.expose('formerSecretUntil', {
      type: 'DateTime',
      nullable: true,
      description: 'The time until which the secret before the last rotation signs, too. Null if it does not.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: createdAt('webhook subscription') }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: updatedAt('webhook subscription') }),
    version: t.exposeInt('version', { description: incrementedVersion }),
  }),
})

export const namedSubscription = addressOf(WebhookSubscription, { identifier: identifierOf('webhook subscription') })

queryField('webhookSubscription', {
  description: 'The webhook subscription with this identifier or node id. Null if it does not exist.',
  type: WebhookSubscription,
  nullable: true,
  args: namedSubscription.args,
  resolver: webhookSubscription,
  decode: namedSubscription.decode,
})

queryList('webhookSubscriptions', {
  description: `The webhook subscriptions of the environment. ${newestFirst}`,
  connection: connectionOf(WebhookSubscription, 'A page of webhook subscriptions.'),
  args: listArgs('WebhookSubscription', (t) => ({
    active: t.boolean({ description: 'True matches active subscriptions, false inactive subscriptions.' }),
  })),
  resolver: webhookSubscriptions,
})

const contexts =
  'The keys of the contexts of the messages, each `<type>:<identifier>`, in any order. At most 5. Only messages under exactly these contexts are sent. Empty for messages without a context.'
const content =
  'True adds the rendered subject and body to messages about messages, and the text to those about inbound texts, if the request stays below 20 KB.'
const ownSecret = (t: InputFields) =>
  t.string({
    description: `The secret: \`whsec_\` and the base64 of 24 to 64 bytes. ${byDefault('a random secret of 32 bytes')}`,
  })
const newSecret = 'The signing secret. It cannot be read again.'

mutationField('createWebhookSubscription', {
  description: `Creates a webhook subscription. An environment has at most ${MAX_WEBHOOK_SUBSCRIPTIONS}. Fails with \`CONFLICT\` if the identifier exists.`,
  input: (t) => ({
    identifier: t.string({
      description: `The identifier: 1 to 255 characters. ${byDefault('`webhook-` and a random suffix')}`,
    }),
    url: t.string({
      required: true,
      description:
        'The URL to send messages to: http or https, at most 2048 characters, without a user name. Private addresses are rejected.',
    }),
    description: t.string({ description: `The description: at most 500 characters. ${byDefault('none')}` }),
    eventTypes: t.field({
      type: [WebhookEventType],
      required: true,
      description: 'The types of messages to send: at least one.',
    }),
    active: t.boolean({ description: `True if messages are sent. ${byDefault('true')}` }),
    includeContent: t.boolean({ description: `${content} ${byDefault('false')}` }),
    contextKeys: t.stringList({ description: `${contexts} ${byDefault('all messages')}` }),
    secret: ownSecret(t),
  }),
  resolver: createWebhookSubscription,
  payload: {
    webhookSubscription: (t) =>
      part(t, WebhookSubscription, 'The webhook subscription.', (result) => result.subscription),
    secret: (t) => part(t, 'String', newSecret, ({ secret }) => secret),
  },
})

mutationField('updateWebhookSubscription', {
  description:
    'Updates the given fields of a webhook subscription. Activating it clears `disabledReason`, and its pending messages are sent.',
  input: (t) => ({
    ...namedSubscription.fields(t),
    url: t.string({ description: `The new URL, as for \`createWebhookSubscription\`. ${keepsIt}` }),
    description: t.string({ description: `The description: at most 500 characters. ${clearsIt}` }),
    eventTypes: t.field({
      type: [WebhookEventType],
      description: `The new types of messages to send: at least one. ${keepsIt}`,
    }),
    active: t.boolean({ description: `True if messages are sent. ${keepsIt}` }),
    includeContent: t.boolean({ description: `${content} ${keepsIt}` }),
    contextKeys: t.stringList({ description: `${contexts} Null sends all messages.` }),
    expectedVersion: t.int({ description: expectedVersionOf('webhook subscription') }),
  }),
  resolver: updateWebhookSubscription,
  decode: namedSubscription.decode,
  payload: { webhookSubscription: WebhookSubscription },
})

mutationField('deleteWebhookSubscription', {
  description: 'Deletes a webhook subscription and the log of its deliveries. Pending messages are not sent.',
  input: namedSubscription.fields,
  resolver: deleteWebhookSubscription,
  decode: namedSubscription.decode,
  payload: { deletedId: deletedId(WebhookSubscription) },
})

mutationField('rotateWebhookSecret', {
  description:
    'Replaces the signing secret of a webhook subscription. Until `keepOldFor` has passed, each request has two signatures: with the new secret and with the former one.',
  input: (t) => ({
    ...namedSubscription.fields(t),
    keepOldFor: t.int({
      description: `Seconds that the former secret signs, too: at most ${KEEP_OLD.most}. ${byDefault(`${KEEP_OLD.standard}, which is a day`)}`,
    }),
    secret: ownSecret(t),
  }),
  resolver: rotateWebhookSecret,
  decode: namedSubscription.decode,
  payload: {
    webhookSubscription: (t) =>
      part(t, WebhookSubscription, 'The webhook subscription.', (result) => result.subscription),
    secret: (t) => part(t, 'String', newSecret, ({ secret }) => secret),
  },
})
