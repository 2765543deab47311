// API keys in the graph.
import { apiKey, type NewApiKey as CreatedKey, type ShownApiKey } from '../../domain/access/api-key.ts'
import { builder } from '../schema/builder.ts'
import { defineNode } from '../schema/node.ts'
import { createdAt } from '../schema/wording.ts'

export const ApiKeyAccess = builder.enumType('ApiKeyAccess', {
  description: 'The permissions of an API key in its environment.',
  values: {
    FULL: {
      value: 'full',
      description:
        'Reads and writes everything in the environment of the key. Administers that environment, and every environment that was created with a key of it.',
    },
    READ_ONLY: {
      value: 'read_only',
      description: 'Reads everything, including the decrypted secrets of channel endpoints. Writes nothing.',
    },
    ADMIN: {
      value: 'admin',
      description: 'Like FULL, and also administers every environment of the organization and creates ADMIN keys.',
    },
  } as const,
})

export const ApiKey = builder.objectRef<ShownApiKey>('ApiKey')
defineNode(ApiKey, {
  description: 'An API key of the environment, without its secret. The secret is only returned on creation.',
  resolver: apiKey,
  fields: (t) => ({
    name: t.exposeString('name', { description: 'The display name, given when the key was created.' }),
    access: t.expose('access', { type: ApiKeyAccess, description: 'The permissions of the key.' }),
    hint: t.exposeString('hint', { description: 'The last four characters of the key.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: createdAt('API key') }),
    revokedAt: t.expose('revokedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'The time the API key was revoked. Null if it is active.',
    }),
    lastUsedAt: t.expose('lastUsedAt', {
      type: 'DateTime',
      nullable: true,
      description:
        'The time the API key was last used, at most a minute late. Null if it has not been used, or not since the gateway began to record uses. The requests of a dashboard session that the key opened do not count.',
    }),
  }),
})

export const NewApiKey = builder.objectRef<CreatedKey>('NewApiKey').implement({
  description: 'A new API key with its secret.',
  fields: (t) => ({
    key: t.exposeString('key', {
      description: 'The secret, to be sent as `Authorization: ApiKey <key>`. It cannot be read again.',
    }),
    apiKey: t.expose('apiKey', { type: ApiKey, description: 'The API key, without its secret.' }),
  }),
})
