// Integrations in the graph.
import {
  createIntegration,
  deleteIntegration,
  integration,
  type Integration as IntegrationRow,
  integrations,
  updateIntegration,
} from '../domain/integration.ts'
import { circuitOf, openCircuitOf } from '../domain/integration-circuit.ts'
import { type IntegrationProblem as Problem, isBlocking } from '../domain/integration-setup.ts'
import { type IntegrationSetting as Setting, integrationSettings } from '../domain/integration-setting.ts'
import { MAX_CONDITION_BYTES, MAX_CONDITION_DEPTH } from '../evaluation/condition.ts'
import { Channel, Provider } from './channel.ts'
import { CircuitState, OpenCircuitRef } from './integration-circuit.ts'
import { RateLimitInput, RateLimitRef } from './rate-limit.ts'
import { addressOf } from './schema/address.ts'
import { builder } from './schema/builder.ts'
import { byIdentifier, byName, connectionOf, listArgs } from './schema/connection.ts'
import { deletedId, mutationField } from './schema/mutation.ts'
import { defineNode } from './schema/node.ts'
import { edge, queryField, queryList } from './schema/query.ts'
import {
  anyOfThe,
  byDefault,
  clearsIt,
  createdAt,
  expectedVersionOf,
  identifierOf,
  incrementedVersion,
  newestFirst,
  partOfEither,
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

const complete =
  'True to reject settings that are missing or unknown, instead of storing an integration that cannot deliver.'
const afterTimeout =
  'True if a message goes to the next integration after this one received it but did not respond. The message may then arrive twice.'

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
    isFallback: t.exposeBoolean('isFallback', {
      description:
        'True if this integration is a fallback: it sends to email addresses and phone numbers of subscribers if the other integrations of its channel cannot be used, or do not accept the message.',
    }),
    fallbackAfterTimeout: t.exposeBoolean('fallbackAfterTimeout', { description: afterTimeout }),
    circuit: edge(t, {
      type: CircuitState,
      description: 'The state of the circuit, which opens when the provider or the account fails repeatedly.',
      resolver: circuitOf,
      decode: ({ id }) => ({ id }),
    }),
    openCircuit: edge(t, {
      type: OpenCircuitRef,
      nullable: true,
      description: 'The time the circuit opened, and the time of the next probe. Null while the circuit is closed.',
      resolver: openCircuitOf,
      decode: ({ id }) => ({ id }),
    }),
    conditions: t.expose('conditions', {
      type: 'JSONObject',
      nullable: true,
      description: 'The JSON-logic condition for using this integration. Null if it is always used.',
    }),
    rateLimit: t.expose('rateLimit', {
      type: RateLimitRef,
      nullable: true,
      description: 'The rate limit. Null if the integration has none.',
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

export const namedIntegration = addressOf(Integration, { identifier: identifierOf('integration') })

/** `identifier` of an update is the new one. */
const changedIntegration = addressOf(Integration, { currentIdentifier: 'The current identifier of the integration.' })

queryField('integration', {
  description: 'The integration with this identifier or node id. Null if it does not exist.',
  type: Integration,
  nullable: true,
  args: namedIntegration.args,
  resolver: integration,
  decode: namedIntegration.decode,
})

queryList('integrations', {
  description: `The integrations of the environment. ${newestFirst}`,
  connection: connectionOf(Integration, 'A page of integrations.'),
  args: listArgs(
    'Integration',
    (t) => ({
      channel: t.field({ type: Channel, description: 'The channel.' }),
      channels: t.field({ type: [Channel], description: anyOfThe('channels') }),
      providerId: t.field({ type: Provider, description: 'The provider.' }),
      providerIds: t.field({ type: [Provider], description: anyOfThe('providers') }),
      active: t.boolean({ description: 'True matches active integrations, false inactive integrations.' }),
      search: t.string({ description: partOfEither('identifier', 'name') }),
    }),
    { ...byName(), ...byIdentifier('IDENTIFIER', 'The identifier.') },
  ),
  resolver: integrations,
})

const condition = `at most ${MAX_CONDITION_DEPTH} levels deep and ${MAX_CONDITION_BYTES / 1024} KiB of JSON, with the operators of jsonlogic.com except \`log\``

const fallback =
  'True makes this integration a fallback of its channel, which is email or SMS. A primary integration cannot be a fallback.'

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
    isFallback: t.boolean({ description: `${fallback} ${byDefault('false')}` }),
    fallbackAfterTimeout: t.boolean({ description: `${afterTimeout} ${byDefault('false')}` }),
    requireComplete: t.boolean({ description: `${complete} ${byDefault('false')}` }),
    conditions: t.field({
      type: 'JSONObject',
      description: `The JSON-logic condition for using this integration: ${condition}. ${byDefault('always used')}`,
    }),
    rateLimit: t.field({
      type: RateLimitInput,
      description: `The rate limit. Messages beyond it wait, and do not fail. ${byDefault('none')}`,
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
    ...changedIntegration.fields(t),
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
    isFallback: t.boolean({ description: fallback }),
    fallbackAfterTimeout: t.boolean({ description: afterTimeout }),
    requireComplete: t.boolean({ description: `${complete} ${byDefault('false')}` }),
    conditions: t.field({
      type: 'JSONObject',
      description: `The new JSON-logic condition for using this integration: ${condition}. ${clearsIt}`,
    }),
    rateLimit: t.field({
      type: RateLimitInput,
      description: `The new rate limit. It applies to waiting messages too. ${clearsIt}`,
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
  decode: ({ identifier, name, active, primary, isFallback, fallbackAfterTimeout, ...given }) => ({
    ...changedIntegration.decode(given),
    identifier: identifier ?? undefined,
    name: name ?? undefined,
    active: active ?? undefined,
    primary: primary ?? undefined,
    isFallback: isFallback ?? undefined,
    fallbackAfterTimeout: fallbackAfterTimeout ?? undefined,
  }),
  payload: { integration: Integration },
})

mutationField('deleteIntegration', {
  description: 'Deletes an integration and all of its channel endpoints.',
  input: (t) => ({
    ...namedIntegration.fields(t),
    expectedVersion: t.int({ description: expectedVersionOf('integration') }),
  }),
  resolver: deleteIntegration,
  decode: namedIntegration.decode,
  payload: { deletedId: deletedId(Integration) },
})
