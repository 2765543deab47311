// Integrations in the graph.
import {
  createIntegration,
  deleteIntegration,
  integration,
  type Integration as IntegrationRow,
  integrations,
  updateIntegration,
} from '../domain/integration.ts'
import { MAX_CONDITION_BYTES, MAX_CONDITION_DEPTH } from '../lib/json-logic.ts'
import { Channel, Provider } from './channel.ts'
import { builder } from './schema/builder.ts'
import { connectionOf, orderInput, pageRequestOf, toConnection } from './schema/connection.ts'
import { mutationField } from './schema/mutation.ts'
import { encodeNodeId } from './schema/node-id.ts'
import { calls } from './schema/resolver-extension.ts'

export const Integration = builder.objectRef<IntegrationRow>('Integration')
builder.node(Integration, {
  description: 'A delivery provider as this environment uses it. Channel endpoints are registered on one.',
  id: { resolve: ({ id }) => id },
  loadManyWithoutCache: (ids, { scope }) => Promise.all(ids.map((id) => integration(scope, { id }))),
  fields: (t) => ({
    identifier: t.exposeString('identifier', { description: 'Its key, unique in the environment.' }),
    name: t.exposeString('name', { description: 'Its name, for people.' }),
    providerId: t.expose('providerId', { type: Provider, description: 'Who delivers.' }),
    channel: t.expose('channel', { type: Channel, description: 'What the provider delivers by.' }),
    active: t.exposeBoolean('active', { description: 'Whether notifications are sent through it.' }),
    primary: t.exposeBoolean('primary', {
      description: 'Whether its channel prefers it. At most one integration of a channel is primary.',
    }),
    conditions: t.expose('conditions', {
      type: 'JSONObject',
      nullable: true,
      description: 'The JSON-logic condition under which it is used. Null when it is used always.',
    }),
    hasCredentials: t.exposeBoolean('hasCredentials', {
      description: 'Whether credentials are kept for it. They are encrypted, and never shown.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was created.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it was last changed.' }),
  }),
})

const IntegrationConnection = connectionOf(Integration, 'A page of integrations.')

const IntegrationFilter = builder.inputType('IntegrationFilter', {
  description: 'Which integrations: those that meet all that is given.',
  fields: (t) => ({
    channel: t.field({ type: Channel, description: 'Those that deliver by this channel.' }),
    providerId: t.field({ type: Provider, description: 'Those of this provider.' }),
    active: t.boolean({ description: 'True for the active ones, false for the others.' }),
  }),
})
const IntegrationOrder = orderInput('Integration')

builder.queryFields((t) => ({
  integration: t.field({
    ...calls(integration),
    type: Integration,
    nullable: true,
    description: 'The integration of this identifier. Null when it does not exist.',
    args: { identifier: t.arg.string({ required: true, description: 'Its key.' }) },
    resolve: (_root, args, { scope }) => integration(scope, args),
  }),
  integrations: t.connection(
    {
      ...calls(integrations),
      type: Integration,
      description: 'The integrations of the environment, newest first unless ordered otherwise.',
      args: {
        filter: t.arg({ type: IntegrationFilter, description: 'Which ones. Absent means all.' }),
        orderBy: t.arg({ type: IntegrationOrder, description: 'In which order. Absent means newest first.' }),
      },
      resolve: async (_root, { filter, orderBy, ...args }, { scope }) =>
        toConnection(await integrations(scope, { filter, orderBy, page: pageRequestOf(args) })),
    },
    IntegrationConnection,
  ),
}))

const conditionsBounds = `at most ${MAX_CONDITION_DEPTH} operations deep and ${MAX_CONDITION_BYTES / 1024} KiB of JSON, with the operators of jsonlogic.com except \`log\``

mutationField('createIntegration', {
  description: 'Creates an integration. Refused when the identifier exists.',
  input: (t) => ({
    identifier: t.string({
      description: 'Its key: 1 to 255 characters. Absent means one that is made of the provider and a random part.',
    }),
    name: t.string({ description: "Its name: 1 to 255 characters. Absent means the provider's." }),
    providerId: t.field({ type: Provider, required: true, description: 'Who delivers: any provider but an agent.' }),
    channel: t.field({ type: Channel, description: "The provider's own channel, which is also what absent means." }),
    active: t.boolean({ description: 'Whether notifications are sent through it. Absent means yes.' }),
    primary: t.boolean({
      description:
        'Whether its channel prefers it: then the one that it preferred is not primary any more. Absent means no.',
    }),
    conditions: t.field({
      type: 'JSONObject',
      description: `The JSON-logic condition under which it is used: ${conditionsBounds}. Absent means always.`,
    }),
    credentials: t.field({
      type: 'JSONObject',
      description: 'What the provider asks for: at most 64 KiB of JSON, kept encrypted and never shown.',
    }),
  }),
  resolver: createIntegration,
  decode: (input) => input,
  payload: (t) => ({
    integration: t.field({
      type: Integration,
      nullable: true,
      description: 'The new integration. Null when refused.',
      resolve: ({ result }) => result,
    }),
  }),
})

mutationField('updateIntegration', {
  description: 'Changes the fields that are given. The provider and the channel stay as they are.',
  input: (t) => ({
    id: t.globalID({ for: Integration, required: true, description: 'The integration.' }),
    identifier: t.string({ description: 'Its new key: 1 to 255 characters. Its channel endpoints follow.' }),
    name: t.string({ description: 'Its new name: 1 to 255 characters.' }),
    active: t.boolean({ description: 'Whether notifications are sent through it.' }),
    primary: t.boolean({
      description: 'Whether its channel prefers it. True takes that from the one that it preferred.',
    }),
    conditions: t.field({
      type: 'JSONObject',
      description: `The JSON-logic condition under which it is used from now on: ${conditionsBounds}. Null means always.`,
    }),
    credentials: t.field({
      type: 'JSONObject',
      description: 'The new credentials, replaced whole: at most 64 KiB of JSON. Null takes them away.',
    }),
  }),
  resolver: updateIntegration,
  decode: ({ id, identifier, name, active, primary, credentials, conditions }) => ({
    id: id.id,
    identifier: identifier ?? undefined,
    name: name ?? undefined,
    active: active ?? undefined,
    primary: primary ?? undefined,
    credentials,
    conditions,
  }),
  payload: (t) => ({
    integration: t.field({
      type: Integration,
      nullable: true,
      description: 'The integration as it is now. Null when refused.',
      resolve: ({ result }) => result,
    }),
  }),
})

mutationField('deleteIntegration', {
  description: 'Deletes an integration with all channel endpoints that are registered on it.',
  input: (t) => ({ id: t.globalID({ for: Integration, required: true, description: 'The integration.' }) }),
  resolver: deleteIntegration,
  decode: ({ id }) => ({ id: id.id }),
  payload: (t) => ({
    deletedId: t.id({
      nullable: true,
      description: 'The node id of what was deleted. Null when refused.',
      resolve: ({ result }) => result && encodeNodeId(Integration.name, result.id),
    }),
  }),
})
