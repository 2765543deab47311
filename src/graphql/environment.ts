// Environments and their API keys in the graph.
import { apiKey, apiKeys, createApiKey, type NewApiKey, revokeApiKey, type ShownApiKey } from '../domain/api-key.ts'
import {
  createEnvironment,
  deleteEnvironment,
  environment,
  type Environment as EnvironmentRow,
  environments,
  ownEnvironment,
  updateEnvironment,
} from '../domain/environment.ts'
import { builder } from './schema/builder.ts'
import { connectionOf, pageRequestOf, toConnection } from './schema/connection.ts'
import { mutationField } from './schema/mutation.ts'
import { encodeNodeId, rowIdOf } from './schema/node-id.ts'
import { calls } from './schema/resolver-extension.ts'

const EnvironmentType = builder.enumType('EnvironmentType', {
  description: 'What an environment is for.',
  values: {
    DEV: { value: 'dev', description: 'Development.' },
    PROD: { value: 'prod', description: 'Production, and the stages before it.' },
  } as const,
})

const ApiKeyAccess = builder.enumType('ApiKeyAccess', {
  description: 'What an API key may do in its environment.',
  values: {
    FULL: { value: 'full', description: 'Read and write everything.' },
    READ_ONLY: {
      value: 'read_only',
      description: 'Read everything, the decrypted secrets of channel endpoints included; write nothing.',
    },
  } as const,
})

export const Environment = builder.objectRef<EnvironmentRow>('Environment')
builder.node(Environment, {
  description: 'A stage of an application, such as development or production. Everything else lives in one of them.',
  id: { resolve: ({ id }) => id },
  loadManyWithoutCache: (ids, { scope }) => Promise.all(ids.map((id) => environment(scope, { id }))),
  fields: (t) => ({
    identifier: t.exposeString('identifier', {
      description: 'Its public identifier: names it where no API key may be shown, such as in a browser.',
    }),
    name: t.exposeString('name', { description: 'Its name, unique in the organization.' }),
    slug: t.exposeString('slug', { description: 'A readable part of a URL. Stays when the name changes.' }),
    type: t.expose('type', { type: EnvironmentType, description: 'What it is for.' }),
    color: t.exposeString('color', { description: 'Its color in dashboards, as #rgb or #rrggbb.' }),
    parent: t.field({
      type: Environment,
      nullable: true,
      description: 'The environment that it was derived from. Null when there is none.',
      resolve: ({ parentId }, _args, { scope }) => (parentId === null ? null : environment(scope, { id: parentId })),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was created.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it was last changed.' }),
  }),
})

const EnvironmentConnection = connectionOf(Environment, 'A page of environments, oldest first.')

export const ApiKey = builder.objectRef<ShownApiKey>('ApiKey')
builder.node(ApiKey, {
  description: 'An API key of the environment, without the key itself: that is shown only by what makes it.',
  id: { resolve: ({ id }) => id },
  loadManyWithoutCache: (ids, { scope }) => Promise.all(ids.map((id) => apiKey(scope, { id }))),
  fields: (t) => ({
    name: t.exposeString('name', { description: 'What it is for, in the words of who made it.' }),
    access: t.expose('access', { type: ApiKeyAccess, description: 'What it may do.' }),
    hint: t.exposeString('hint', { description: 'The last four characters of the key, to tell keys apart.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was made.' }),
    revokedAt: t.expose('revokedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was revoked. Null while it is valid.',
    }),
  }),
})

const ApiKeyConnection = connectionOf(ApiKey, 'A page of API keys, oldest first.')

const NewApiKey = builder.objectRef<NewApiKey>('NewApiKey').implement({
  description: 'An API key that was just made.',
  fields: (t) => ({
    key: t.exposeString('key', {
      description:
        'The key, to be sent as `Authorization: ApiKey <key>`. This answer is the only place where it is shown.',
    }),
    apiKey: t.field({ type: ApiKey, description: 'What is remembered of it.', resolve: ({ apiKey }) => apiKey }),
  }),
})

builder.queryFields((t) => ({
  environment: t.field({
    ...calls(ownEnvironment),
    type: Environment,
    description: 'The environment that the API key belongs to.',
    resolve: (_root, _args, { scope }) => ownEnvironment(scope, {}),
  }),
  environments: t.connection(
    {
      ...calls(environments),
      type: Environment,
      description: 'The environments of the organization, oldest first.',
      resolve: async (_root, args, { scope }) => toConnection(await environments(scope, { page: pageRequestOf(args) })),
    },
    EnvironmentConnection,
  ),
  apiKeys: t.connection(
    {
      ...calls(apiKeys),
      type: ApiKey,
      description: 'The API keys of this environment, revoked ones included, oldest first.',
      resolve: async (_root, args, { scope }) => toConnection(await apiKeys(scope, { page: pageRequestOf(args) })),
    },
    ApiKeyConnection,
  ),
}))

mutationField('createEnvironment', {
  description: 'Creates an environment in the organization, with a first API key.',
  input: (t) => ({
    name: t.string({ required: true, description: 'Its name: 1 to 100 characters, unique in the organization.' }),
    color: t.string({ required: true, description: 'Its color, as #rgb or #rrggbb.' }),
    parentId: t.id({
      description: 'The environment that it is derived from. Null means none.',
    }),
  }),
  resolver: createEnvironment,
  decode: ({ parentId, ...given }) => ({ ...given, parentId: parentId && rowIdOf(Environment, parentId, 'parentId') }),
  payload: (t) => ({
    environment: t.field({
      type: Environment,
      nullable: true,
      description: 'The new environment. Null when refused.',
      resolve: ({ result }) => result?.environment,
    }),
    newApiKey: t.field({
      type: NewApiKey,
      nullable: true,
      description: 'Its first API key. Null when refused.',
      resolve: ({ result }) => result?.newApiKey,
    }),
  }),
})

mutationField('updateEnvironment', {
  description: 'Changes the fields that are given.',
  input: (t) => ({
    id: t.id({ required: true, description: 'The environment.' }),
    name: t.string({
      description: 'Its new name: 1 to 100 characters, unique in the organization. Null leaves the old one.',
    }),
    color: t.string({ description: 'Its new color, as #rgb or #rrggbb. Null leaves the old one.' }),
    parentId: t.id({
      description: 'Its new parent. Null takes the parent away; absent leaves it.',
    }),
  }),
  resolver: updateEnvironment,
  decode: ({ id, parentId, name, color }) => ({
    id: rowIdOf(Environment, id, 'id'),
    name: name ?? undefined,
    color: color ?? undefined,
    parentId: parentId && rowIdOf(Environment, parentId, 'parentId'),
  }),
  payload: (t) => ({
    environment: t.field({
      type: Environment,
      nullable: true,
      description: 'The environment as it is now. Null when refused.',
      resolve: ({ result }) => result,
    }),
  }),
})

mutationField('deleteEnvironment', {
  description:
    'Deletes an environment with everything in it. Refused for the environment of the API key that asks, and so for the last one.',
  input: (t) => ({ id: t.id({ required: true, description: 'The environment.' }) }),
  resolver: deleteEnvironment,
  decode: ({ id }) => ({ id: rowIdOf(Environment, id, 'id') }),
  payload: (t) => ({
    deletedId: t.id({
      nullable: true,
      description: 'The node id of what was deleted. Null when refused.',
      resolve: ({ result }) => result && encodeNodeId(Environment.name, result.id),
    }),
  }),
})

mutationField('createApiKey', {
  description: 'Makes a further API key for the environment of the key that asks. A key opens no other environment.',
  input: (t) => ({
    name: t.string({ required: true, description: 'What it is for: 1 to 100 characters.' }),
    access: t.field({ type: ApiKeyAccess, description: 'What it may do. Null means everything.' }),
  }),
  resolver: createApiKey,
  decode: (input) => input,
  payload: (t) => ({
    newApiKey: t.field({
      type: NewApiKey,
      nullable: true,
      description: 'The new key. Null when refused.',
      resolve: ({ result }) => result,
    }),
  }),
})

mutationField('revokeApiKey', {
  description: 'Ends an API key of this environment, at once and for good. The key that asks is refused.',
  input: (t) => ({ id: t.id({ required: true, description: 'The API key.' }) }),
  resolver: revokeApiKey,
  decode: ({ id }) => ({ id: rowIdOf(ApiKey, id, 'id') }),
  payload: (t) => ({
    apiKey: t.field({
      type: ApiKey,
      nullable: true,
      description: 'What is remembered of the key. Null when refused.',
      resolve: ({ result }) => result,
    }),
  }),
})
