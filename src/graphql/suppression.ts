// Suppressions in the graph, and their edges to subscribers, integrations and contexts.
import { contextsOf } from '../domain/context.ts'
import { integration } from '../domain/integration.ts'
import type { AddressChannel as AddressChannelValue } from '../domain/address/address.ts'
import { MAX_SUPPRESSION_DETAIL } from '../domain/address/suppress.ts'
import { suppressionReasons } from '../domain/address/suppressed.ts'
import {
  createSuppression,
  createSuppressions,
  deleteSuppression,
  MAX_SUPPRESSIONS,
  suppression,
  type Suppression as SuppressionRow,
  type SuppressionFailure as SuppressionFailureRow,
  suppressions,
  suppressionsOfProfile,
} from '../domain/suppression/suppression.ts'
import { Refusal } from '../lib/errors.ts'
import { Context, ContextInput, readContexts } from './context.ts'
import { Integration } from './integration.ts'
import { addressOf } from './schema/address.ts'
import { builder, type InputFields } from './schema/builder.ts'
import { codeEnum } from './schema/code-enum.ts'
import { connectionOf, createdFields, listArgs } from './schema/connection.ts'
import { deletedId, mutationField, part } from './schema/mutation.ts'
import { defineNode } from './schema/node.ts'
import { rowIdOf } from './schema/node-id.ts'
import { edge, queryField, queryList } from './schema/query.ts'
import {
  anyOfThe,
  byDefault,
  contextsIn,
  createdAt,
  exactContexts,
  keysIn,
  newestFirst,
  nodeIdOf,
  updatedAt,
} from './schema/wording.ts'
import { Subscriber } from './subscriber.ts'

const AddressChannel = codeEnum<AddressChannelValue>(
  'AddressChannel',
  'A channel whose messages go to an address that can be suppressed.',
  { email: 'Email addresses.', sms: 'Phone numbers.' },
)

const SuppressionReason = codeEnum('SuppressionReason', 'Why nothing is sent to an address.', {
  soft_bounces: suppressionReasons.soft_bounces.description,
  complaint: suppressionReasons.complaint.description,
  import: suppressionReasons.import.description,
  manual: suppressionReasons.manual.description,
  sms_keyword: suppressionReasons.sms_keyword.description,
  provider: suppressionReasons.provider.description,
  invalid_address: suppressionReasons.invalid_address.description,
  hard_bounce: suppressionReasons.hard_bounce.description,
})

export const Suppression = builder.objectRef<SuppressionRow>('Suppression')
defineNode(Suppression, {
  description:
    'An address to which nothing is sent. Steps leave it out, and a step without any other address is skipped with `SUPPRESSED`.',
  resolver: suppression,
  fields: (t) => ({
    channel: t.field({
      type: AddressChannel,
      description: 'The channel of the address.',
      resolve: ({ channel }) => (channel === 'sms' ? 'sms' : 'email'),
    }),
    address: t.exposeString('address', {
      nullable: true,
      description:
        'The email address in lower case, or the phone number in E.164 format. Null if the person was erased and only the hash was kept.',
    }),
    reason: t.expose('reason', { type: SuppressionReason, description: 'The reason.' }),
    detail: t.exposeString('detail', {
      nullable: true,
      description: 'What the provider or the caller said. Null if nothing.',
    }),
    explanation: t.exposeString('explanation', {
      description: 'Since when and why nothing is sent to the address, in a sentence.',
    }),
    integration: edge(t, {
      description: 'The integration whose sender does not write to the address. Null if no sender does.',
      type: Integration,
      nullable: true,
      resolver: integration,
      decode: ({ integrationId }) => (integrationId === null ? null : { id: integrationId }),
    }),
    contextKeys: t.exposeStringList('contextKeys', {
      description: `${keysIn('suppression')} Only messages under these contexts are not sent, with or without other contexts.`,
    }),
    contexts: edge(t, {
      description: contextsIn('suppression'),
      type: [Context],
      resolver: contextsOf,
      decode: ({ contextKeys }) => ({ contextKeys }),
    }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      nullable: true,
      description: 'The time the suppression ends. Null if it does not end.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: createdAt('suppression') }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: updatedAt('reason of the suppression') }),
  }),
})

queryField('suppression', {
  description: 'The suppression with this node id. Null if it does not exist.',
  type: Suppression,
  nullable: true,
  args: (arg) => ({ id: arg({ type: 'ID', required: true, description: nodeIdOf('suppression') }) }),
  resolver: suppression,
  decode: ({ id }) => ({ id: rowIdOf(Suppression, id, 'id') }),
})

queryList('suppressions', {
  description: `The addresses to which nothing is sent. ${newestFirst}`,
  connection: connectionOf(Suppression, 'A page of suppressions.'),
  args: listArgs('Suppression', (t) => ({
    channel: t.field({ type: AddressChannel, description: 'The channel.' }),
    channels: t.field({ type: [AddressChannel], description: anyOfThe('channels') }),
    reason: t.field({ type: SuppressionReason, description: 'The reason.' }),
    reasons: t.field({ type: [SuppressionReason], description: anyOfThe('reasons') }),
    address: t.string({
      description: 'The exact address, in any spelling: an email address or a phone number.',
    }),
    contextKeys: t.stringList({ description: exactContexts('suppressions') }),
    ...createdFields(t),
  })),
  resolver: suppressions,
})

builder.objectField(Subscriber, 'suppressions', (t) =>
  edge(t, {
    description:
      "The suppressions of the subscriber's email address and phone number that have not ended, oldest first. Empty if both receive messages.",
    type: [Suppression],
    resolver: suppressionsOfProfile,
    decode: ({ email, phone }) => ({ email, phone }),
  }),
)

const usedIntegration = addressOf(
  Integration,
  { integrationIdentifier: 'The identifier of an integration, if only its sender may not write to the address.' },
  'integrationId',
)

const suppressionFields = (t: InputFields, reason: string) => ({
  channel: t.field({ type: AddressChannel, required: true, description: 'The channel of the address.' }),
  address: t.string({
    required: true,
    description: 'The email address, or the phone number in E.164 format.',
  }),
  reason: t.field({ type: SuppressionReason, description: `The reason. ${byDefault(reason)}` }),
  detail: t.string({ description: `A note: at most ${MAX_SUPPRESSION_DETAIL} characters.` }),
  contexts: t.field({
    type: [ContextInput],
    description: `The contexts. Only messages under them are not sent. ${byDefault('all messages')}`,
  }),
  expiresAt: t.field({
    type: 'DateTime',
    description: `The time the suppression ends, in the future. ${byDefault('it does not end')}`,
  }),
})

/** The fields of an integration are optional, and an input has at most one of them. */
const optionalIntegration = (t: InputFields) => ({
  integrationIdentifier: t.string({
    description: `The identifier of the integration whose sender does not write to the address. ${byDefault('no sender does')}`,
  }),
  integrationId: t.id({
    description: `${nodeIdOf('integration')} Instead of \`integrationIdentifier\`.`,
  }),
})

const SuppressionInput = builder.inputType('SuppressionInput', {
  description: 'An address to suppress.',
  fields: (t) => ({ ...suppressionFields(t, '`IMPORT`'), ...optionalIntegration(t) }),
})

/** An item with an invalid node id fails alone. */
function readItem({ contexts, ...given }: typeof SuppressionInput.$inferInput) {
  try {
    return { ...usedIntegration.decode(given), context: readContexts(contexts) }
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
}

mutationField('createSuppression', {
  description:
    'Suppresses an address: nothing is sent to it any more. If it is suppressed for a shorter time or a weaker reason, that suppression is replaced. Fails with `CONFLICT` if it is suppressed already.',
  input: (t) => ({ ...suppressionFields(t, '`MANUAL`'), ...optionalIntegration(t) }),
  resolver: createSuppression,
  decode: ({ contexts, ...given }) => ({ ...usedIntegration.decode(given), context: readContexts(contexts) }),
  locate: (path) => path.map((key) => (key === 'context' ? 'contexts' : key)),
  payload: { suppression: Suppression },
})

const SuppressionFailure = builder.objectRef<SuppressionFailureRow>('SuppressionFailure').implement({
  description: 'An item of `createSuppressions` that failed. Other items are not affected.',
  fields: (t) => ({
    index: t.exposeInt('index', { description: 'The position of the item in the input, starting at 0.' }),
    address: t.exposeString('address', {
      nullable: true,
      description: 'The address of the item. Null if it has none.',
    }),
    message: t.exposeString('message', { description: 'The invalid field, and the values it allows.' }),
  }),
})

mutationField('createSuppressions', {
  description: `Suppresses 1 to ${MAX_SUPPRESSIONS} addresses, such as the addresses of an import. An invalid item does not affect the others. An address that is suppressed already stays as it is.`,
  input: (t) => ({
    suppressions: t.field({
      type: [SuppressionInput],
      required: true,
      description: `1 to ${MAX_SUPPRESSIONS} addresses.`,
    }),
  }),
  resolver: createSuppressions,
  decode: ({ suppressions }) => ({ suppressions: suppressions.map(readItem) }),
  payload: {
    suppressions: (t) =>
      part(
        t,
        [Suppression],
        'The suppressions that were created, or that replaced one of the same address.',
        ({ suppressions }) => [...suppressions],
      ),
    existing: (t) =>
      part(t, 'Int', 'The number of valid items whose address was suppressed already.', ({ existing }) => existing),
    failed: (t) => part(t, [SuppressionFailure], 'The items that failed.', ({ failed }) => [...failed]),
  },
})

mutationField('deleteSuppression', {
  description: 'Deletes a suppression, so that messages are sent to the address again.',
  input: (t) => ({ id: t.id({ required: true, description: nodeIdOf('suppression') }) }),
  resolver: deleteSuppression,
  decode: ({ id }) => ({ id: rowIdOf(Suppression, id, 'id') }),
  payload: { deletedId: deletedId(Suppression) },
})
