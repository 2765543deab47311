// Integrations in the graph.
import {
  createIntegration,
  deleteIntegration,
  integration,
  type Integration as IntegrationRow,
  integrations,
  updateIntegration,
} from '../domain/integration.ts'
import { type IntegrationProblem as Problem, isBlocking } from '../domain/integration-setup.ts'
import { type IntegrationSetting as Setting, integrationSettings } from '../domain/integration-setting.ts'
import { MAX_CONDITION_BYTES, MAX_CONDITION_DEPTH } from '../evaluation/condition.ts'
import { Channel, Provider } from './channel.ts'
import { builder } from './schema/builder.ts'
import { connectionOf, listArgs } from './schema/connection.ts'
import { deletedId, mutationField } from './schema/mutation.ts'
import { rowIdOf } from './schema/node-id.ts'
import { defineNode } from './schema/node.ts'
import { edge, queryField, queryList } from './schema/query.ts'
import {
  byDefault,
  clearsIt,
  createdAt,
  expectedVersionOf,
  identifierOf,
  incrementedVersion,
  newestFirst,
  nodeIdOf,
  updatedAt,
} from './schema/wording.ts'

const IntegrationSetting = builder.objectRef<Setting>('IntegrationSetting').implement({
  description: 'A setting of an integration: one field of its credentials. `providers` describes them.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'The name in the credentials.' }),
    isSet: t.exposeBoolean('isSet', { description: 'True if a value is stored.' }),
    value: t.exposeString('value', {
      nullable: true,
      description:
        'The value as text. Null if the value is not set, is secret, belongs to no setting of the provider, or is a URL with a user name or a password.',
    }),
  }),
})

const IntegrationProblemCode = builder.enumType('IntegrationProblemCode', {
  description: 'The kind of a problem of an integration.',
  values: {
    PROVIDER_NOT_IMPLEMENTED: {
      value: 'provider_not_implemented',
      description: 'This gateway cannot send through the provider.',
    },
    CREDENTIALS_UNREADABLE: {
      value: 'credentials_unreadable',
      description: 'The credentials cannot be decrypted. Replace them.',
    },
    SETTING_MISSING: { value: 'setting_missing', description: 'A setting that the provider requires is missing.' },
    SETTING_INVALID: { value: 'setting_invalid', description: 'The value of a setting is invalid.' },
    SETTING_UNKNOWN: {
      value: 'setting_unknown',
      description: 'A name in the credentials is not a setting of the provider. It is stored and has no effect.',
    },
  } as const satisfies Record<Uppercase<Problem['code']>, { value: Problem['code']; description: string }>,
})

const IntegrationProblem = builder.objectRef<Problem>('IntegrationProblem').implement({
  description: 'A problem of the set-up of an integration.',
  fields: (t) => ({
    code: t.expose('code', { type: IntegrationProblemCode, description: 'The kind of the problem.' }),
    setting: t.exposeString('setting', {
      nullable: true,
      description: 'The name in the credentials. Null for a problem of the whole integration.',
    }),
    message: t.exposeString('message', { description: 'The problem in words. Contains no value of a setting.' }),
    blocking: t.exposeBoolean('blocking', {
      description:
        'True if no message can be sent until the problem is solved. False for a setting that has no effect, or that only some destinations require.',
    }),
  }),
})

export const Integration = builder.objectRef<IntegrationRow>('Integration')
defineNode(Integration, {
  description: 'A provider with the credentials of one account.',
  resolver: integration,
  fields: (t) => ({
    identifier: t.exposeString('identifier', { description: 'The identifier, unique in the environment.' }),
    name: t.exposeString('name', { description: 'The display name.' }),
    providerId: t.expose('providerId', { type: Provider, description: 'The provider.' }),
    channel: t.expose('channel', { type: Channel, description: 'The channel of the provider.' }),
    active: t.exposeBoolean('active', { description: 'True if notifications are sent through this integration.' }),
    primary: t.exposeBoolean('primary', {
      description: "True if this is the channel's primary integration. A channel has at most one.",
    }),
    conditions: t.expose('conditions', {
      type: 'JSONObject',
      nullable: true,
      description: 'The JSON-logic condition for using this integration. Null if it is always used.',
    }),
    hasCredentials: t.exposeBoolean('hasCredentials', {
      description: 'True if credentials are stored. They are encrypted and never returned.',
    }),
    settings: edge(t, {
      type: [IntegrationSetting],
      description:
        "The provider's settings, then any other stored keys. Secret values are never returned. No value is set if the credentials cannot be decrypted.",
      resolver: integrationSettings,
      decode: ({ id }) => ({ id }),
    }),
    deliverable: t.boolean({
      description:
        'True if messages can be sent through this integration: it has no blocking problem. It may still be inactive.',
      resolve: ({ problems }) => !problems().some(isBlocking),
    }),
    problems: t.field({
      type: [IntegrationProblem],
      description: 'The problems of the set-up, blocking ones first. Empty if there are none.',
      resolve: ({ problems }) => [...problems()],
    }),
    awaitsSetup: t.exposeBoolean('awaitsSetup', {
      description:
        'True if this integration is inactive only because of a blocking problem. The update that solves the problem activates it.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: createdAt('integration') }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: updatedAt('integration') }),
    version: t.exposeInt('version', { description: incrementedVersion }),
  }),
})

queryField('integration', {
  description: 'The integration with this identifier. Null if it does not exist.',
  type: Integration,
  nullable: true,
  args: (arg) => ({ identifier: arg.string({ required: true, description: identifierOf('integration') }) }),
  resolver: integration,
})

queryList('integrations', {
  description: `The integrations of the environment. ${newestFirst}`,
  connection: connectionOf(Integration, 'A page of integrations.'),
  args: listArgs('Integration', (t) => ({
    channel: t.field({ type: Channel, description: 'The channel.' }),
    providerId: t.field({ type: Provider, description: 'The provider.' }),
    active: t.boolean({ description: 'True matches active integrations, false inactive integrations.' }),
  })),
  resolver: integrations,
})

const condition = `at most ${MAX_CONDITION_DEPTH} levels deep and ${MAX_CONDITION_BYTES / 1024} KiB of JSON, with the operators of jsonlogic.com except \`log\``

mutationField('createIntegration', {
  description:
    'Creates an integration. If it cannot deliver, because its provider is not implemented or a required setting is missing, it is created inactive: `problems` says why. Fails with `CONFLICT` if the identifier exists, and with `BAD_USER_INPUT` if the value of a setting is invalid.',
  input: (t) => ({
    identifier: t.string({
      description: `The identifier: 1 to 255 characters. ${byDefault('the provider and a random suffix')}`,
    }),
    name: t.string({ description: `The display name: 1 to 255 characters. ${byDefault('the id of the provider')}` }),
    providerId: t.field({ type: Provider, required: true, description: 'The provider. Agent providers are rejected.' }),
    channel: t.field({
      type: Channel,
      description: 'The channel of the integration. Must be the channel of the provider, which is the default.',
    }),
    active: t.boolean({
      description: `True if notifications are sent through this integration, as soon as it can deliver. ${byDefault('true')}`,
    }),
    primary: t.boolean({
      description: `True makes this integration the primary one of its channel, in place of the current primary integration. ${byDefault('false')}`,
    }),
    conditions: t.field({
      type: 'JSONObject',
      description: `The JSON-logic condition for using this integration: ${condition}. ${byDefault('always used')}`,
    }),
    credentials: t.field({
      type: 'JSONObject',
      description: 'The credentials that the provider requires: at most 64 KiB of JSON. Encrypted and never returned.',
    }),
  }),
  resolver: createIntegration,
  payload: { integration: Integration },
})

mutationField('updateIntegration', {
  description:
    'Updates the given fields of an integration. The provider and the channel cannot be changed. New credentials of an active integration must have the settings that its provider requires. If required settings are removed, the integration becomes inactive.',
  input: (t) => ({
    id: t.id({ required: true, description: nodeIdOf('integration') }),
    identifier: t.string({
      description:
        'The new identifier: 1 to 255 characters. The channel endpoints of the integration follow the change.',
    }),
    name: t.string({ description: 'The new display name: 1 to 255 characters.' }),
    active: t.boolean({
      description:
        'True if notifications are sent through this integration. An integration with a blocking problem cannot be activated.',
    }),
    primary: t.boolean({
      description:
        'True makes this integration the primary one of its channel, in place of the current primary integration.',
    }),
    conditions: t.field({
      type: 'JSONObject',
      description: `The new JSON-logic condition for using this integration: ${condition}. ${clearsIt}`,
    }),
    credentials: t.field({
      type: 'JSONObject',
      description:
        'The new credentials: at most 64 KiB of JSON. Replaces all current credentials. Null removes all credentials.',
    }),
    credentialChanges: t.field({
      type: 'JSONObject',
      description:
        'Changes to single credentials. A value replaces a credential, and null removes it. Other credentials do not change. Cannot be combined with `credentials`.',
    }),
    expectedVersion: t.int({ description: expectedVersionOf('integration') }),
  }),
  resolver: updateIntegration,
  decode: ({ id, identifier, name, active, primary, credentials, credentialChanges, conditions, expectedVersion }) => ({
    id: rowIdOf(Integration, id, 'id'),
    identifier: identifier ?? undefined,
    name: name ?? undefined,
    active: active ?? undefined,
    primary: primary ?? undefined,
    credentials,
    credentialChanges,
    conditions,
    expectedVersion,
  }),
  payload: { integration: Integration },
})

mutationField('deleteIntegration', {
  description: 'Deletes an integration and all of its channel endpoints.',
  input: (t) => ({
    id: t.id({ required: true, description: nodeIdOf('integration') }),
    expectedVersion: t.int({ description: expectedVersionOf('integration') }),
  }),
  resolver: deleteIntegration,
  decode: ({ id, expectedVersion }) => ({ id: rowIdOf(Integration, id, 'id'), expectedVersion }),
  payload: { deletedId: deletedId(Integration) },
})
