// Environments in the graph, and the operations on their API keys.
import { apiKeys, createApiKey, revokeApiKey } from '../../domain/access/api-key.ts'
import { mayAdminister, mayDelete } from '../../domain/access/environment-right.ts'
import {
  createEnvironment,
  deleteEnvironment,
  environment,
  type Environment as EnvironmentRow,
  environments,
  ownEnvironment,
  updateEnvironment,
} from '../../domain/access/environment.ts'
import { shownDatabase } from '../../domain/resolver/databases.ts'
import { MAX_RETENTION_DAYS } from '../../domain/access/retention.ts'
import { createExampleEnvironment, EXAMPLE_NAME } from '../../engine/example/example-environment.ts'
import { ApiKey, ApiKeyAccess, NewApiKey } from './api-key.ts'
import { readSending, sendingFields, SendingMode } from './sending.ts'
import { newBrand, shownBrand } from './brand.ts'
import { shownUnsignedSessions, unsignedSessionInput } from './unsigned-session.ts'
import { present } from '../../lib/present.ts'
import { builder } from '../schema/builder.ts'
import { connectionOf, environmentOrderArg } from '../schema/connection.ts'
import { deletedId, mutationField, part } from '../schema/mutation.ts'
import { addressOf } from '../schema/address.ts'
import { rowIdOf } from '../schema/node-id.ts'
import { defineNode } from '../schema/node.ts'
import { edge, queryField, queryList } from '../schema/query.ts'
import {
  byDefault,
  createdAt,
  expectedVersionOf,
  incrementedVersion,
  keepsIt,
  nodeIdOf,
  updatedAt,
} from '../schema/wording.ts'

const EnvironmentType = builder.enumType('EnvironmentType', {
  description: 'The purpose of an environment.',
  values: {
    DEV: { value: 'dev', description: 'Development.' },
    PROD: { value: 'prod', description: 'Production and the stages before it.' },
  } as const,
})

const retention = '0 keeps them forever. Null means that the configured default of the gateway applies.'

const newRetention = `0 to ${MAX_RETENTION_DAYS}, where 0 keeps them forever. Null applies the configured default of the gateway.`

export const Environment = builder.objectRef<EnvironmentRow>('Environment')
defineNode(Environment, {
  description:
    'A stage of an application, such as development or production. Every other object belongs to one environment.',
  resolver: environment,
  fields: (t) => ({
    identifier: t.exposeString('identifier', {
      description: 'The public identifier, for clients that must not hold an API key, such as browsers.',
    }),
    name: t.exposeString('name', { description: 'The name, unique in the organization.' }),
    slug: t.exposeString('slug', {
      description: 'A readable name for URLs. Does not change with the name of the environment.',
    }),
    type: t.expose('type', { type: EnvironmentType, description: 'The purpose of the environment.' }),
    color: t.exposeString('color', { description: 'The color in dashboards, as #rgb or #rrggbb.' }),
    parent: edge(t, {
      description: 'The parent environment. Null if there is none.',
      type: Environment,
      nullable: true,
      resolver: environment,
      decode: ({ parentId }) => (parentId === null ? null : { id: parentId }),
    }),
    sending: t.expose('sending', { type: SendingMode, description: 'What happens to messages.' }),
    redirectTo: t.exposeString('redirectTo', {
      nullable: true,
      description:
        'The email address or phone number that receives redirected messages. Null if they are captured instead.',
    }),
    allowedDestinations: t.exposeStringList('allowedDestinations', {
      description:
        'The destinations to which `REDIRECT` sends as `LIVE` does: addresses, domains such as `*@example.com`, and phone numbers or prefixes.',
    }),
    brand: t.field(shownBrand),
    allowsUnsignedSessions: t.boolean(shownUnsignedSessions),
    database: t.string({
      description:
        'The name of the database with the rows of the environment, as configured at the gateway. `main` is the one that also has all environments and API keys.',
      resolve: ({ database }) => shownDatabase(database),
    }),
    retentionDays: t.exposeInt('retentionDays', {
      nullable: true,
      description: `The days after which finished events are deleted, with their execution logs. ${retention}`,
    }),
    feedRetentionDays: t.exposeInt('feedRetentionDays', {
      nullable: true,
      description: `The days after which notifications are deleted. ${retention}`,
    }),
    viewerCanAdminister: edge(t, {
      description: 'True if the caller may change the environment, and create and revoke its API keys.',
      type: 'Boolean',
      resolver: mayAdminister,
      decode: ({ id }) => ({ id }),
    }),
    viewerCanDelete: edge(t, {
      description:
        'True if the caller may delete the environment. A caller cannot delete its own environment, and only ADMIN keys can delete an environment that has ADMIN keys. An environment that is the parent of another one cannot be deleted.',
      type: 'Boolean',
      resolver: mayDelete,
      decode: ({ id }) => ({ id }),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: createdAt('environment') }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: updatedAt('environment') }),
    version: t.exposeInt('version', { description: incrementedVersion }),
  }),
})

const ownByDefault = byDefault('the environment of the caller')

const rowIdOfEnvironment = (id: string | null | undefined) => id && rowIdOf(Environment, id, 'environmentId')

export const namedEnvironment = addressOf(Environment, { identifier: 'The public identifier of the environment.' })

queryField('environment', {
  description: 'The environment of the caller.',
  type: Environment,
  resolver: ownEnvironment,
})

queryList('environments', {
  description: 'The environments of the organization. Oldest first by default.',
  connection: connectionOf(Environment, 'A page of environments.'),
  args: environmentOrderArg(),
  resolver: environments,
})

queryList('apiKeys', {
  description: 'The API keys of an environment, including revoked keys. Oldest first.',
  connection: connectionOf(ApiKey, 'A page of API keys. Oldest first.'),
  args: (arg) => ({
    environmentId: arg.id({
      description: `The node id of an environment that the caller administers. ${ownByDefault}`,
    }),
  }),
  resolver: apiKeys,
  decode: ({ environmentId, page }) => ({ page, environmentId: rowIdOfEnvironment(environmentId) }),
})

mutationField('createEnvironment', {
  description: 'Creates an environment in the organization, and its first API key.',
  input: (t) => ({
    name: t.string({ required: true, description: 'The name: 1 to 100 characters, unique in the organization.' }),
    color: t.string({ required: true, description: 'The color, as #rgb or #rrggbb.' }),
    parentId: t.id({ description: `The node id of the parent environment. ${byDefault('none')}` }),
    type: t.field({ type: EnvironmentType, description: `The purpose. ${byDefault('`PROD`')}` }),
    database: t.string({
      description: `The name of the database for the rows of the environment. ${byDefault('as configured at the gateway, usually `main`')}`,
    }),
    ...sendingFields(t, {
      sending: byDefault('`CAPTURE` for the type `DEV`, otherwise `LIVE`'),
      allowed: byDefault('none'),
    }),
  }),
  resolver: createEnvironment,
  decode: ({ parentId, type, ...given }) => ({
    ...given,
    ...readSending(given),
    type: type ?? undefined,
    parentId: parentId && rowIdOf(Environment, parentId, 'parentId'),
  }),
  payload: {
    environment: (t) => part(t, Environment, 'The environment.', ({ environment }) => environment),
    newApiKey: (t) => part(t, NewApiKey, 'The first API key of the environment.', ({ newApiKey }) => newApiKey),
  },
})

mutationField('createExampleEnvironment', {
  description:
    'Creates an environment with example data, and its first API key: subscribers, topics, workflows for each channel, and two weeks of events with successes and failures. Nothing is sent, and the environment captures further messages. Takes some seconds.',
  input: (t) => ({
    name: t.string({
      description: `The name: 1 to 100 characters, unique in the organization. ${byDefault(`\`${EXAMPLE_NAME}\``)}`,
    }),
  }),
  resolver: createExampleEnvironment,
  decode: ({ name }) => ({ name: name ?? undefined }),
  payload: {
    environment: (t) => part(t, Environment, 'The environment.', ({ environment }) => environment),
    newApiKey: (t) => part(t, NewApiKey, 'The first API key of the environment.', ({ newApiKey }) => newApiKey),
  },
})

mutationField('updateEnvironment', {
  description:
    'Updates the given fields of an environment. Only ADMIN keys can change environments that they do not administer, and what happens to the messages of a `PROD` environment.',
  input: (t) => ({
    ...namedEnvironment.fields(t),
    expectedVersion: t.int({ description: expectedVersionOf('environment') }),
    name: t.string({
      description: `The new name: 1 to 100 characters, unique in the organization. ${keepsIt}`,
    }),
    color: t.string({ description: `The new color, as #rgb or #rrggbb. ${keepsIt}` }),
    parentId: t.id({ description: 'The node id of the new parent. Null removes the parent.' }),
    brand: newBrand(t),
    retentionDays: t.int({
      description: `The days after which finished events are deleted, with their execution logs: ${newRetention}`,
    }),
    feedRetentionDays: t.int({ description: `The days after which notifications are deleted: ${newRetention}` }),
    ...sendingFields(t, { sending: keepsIt, allowed: keepsIt }),
    ...unsignedSessionInput(t),
  }),
  resolver: updateEnvironment,
  decode: ({ parentId, name, color, allowsUnsignedSessions, ...given }) => ({
    ...namedEnvironment.decode(given),
    ...readSending(given),
    ...present({ name, color, allowsUnsignedSessions }),
    parentId: parentId && rowIdOf(Environment, parentId, 'parentId'),
  }),
  payload: { environment: Environment },
})

mutationField('deleteEnvironment', {
  description:
    'Deletes an environment and everything in it. Callers of the environment are rejected immediately. The rows are deleted in the background. A caller cannot delete its own environment. Only ADMIN keys can delete environments that they do not administer.',
  input: namedEnvironment.fields,
  resolver: deleteEnvironment,
  decode: namedEnvironment.decode,
  payload: { deletedId: deletedId(Environment) },
})

mutationField('createApiKey', {
  description: 'Creates an API key for an environment that the caller administers.',
  input: (t) => ({
    name: t.string({ required: true, description: 'The name: 1 to 100 characters.' }),
    access: t.field({
      type: ApiKeyAccess,
      description: `The permissions of the key. ${byDefault('`FULL`')} Only an ADMIN key can create another one.`,
    }),
    environmentId: t.id({ description: `The node id of the environment. ${ownByDefault}` }),
  }),
  resolver: createApiKey,
  decode: ({ environmentId, ...input }) => ({ ...input, environmentId: rowIdOfEnvironment(environmentId) }),
  payload: { newApiKey: NewApiKey },
})

mutationField('revokeApiKey', {
  description:
    'Revokes an API key immediately and permanently. The caller must administer the environment of the key. A key cannot revoke itself, and only an ADMIN key can revoke another ADMIN key.',
  input: (t) => ({ id: t.id({ required: true, description: nodeIdOf('API key') }) }),
  resolver: revokeApiKey,
  decode: ({ id }) => ({ id: rowIdOf(ApiKey, id, 'id') }),
  payload: { apiKey: ApiKey },
})
