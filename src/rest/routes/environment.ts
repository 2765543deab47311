// Routes of environments.
import { z } from 'zod'
import { SendingMode } from '../../data/prisma/enums.ts'
import { keyHash, type NewApiKey } from '../../domain/access/api-key.ts'
import {
  createEnvironment,
  deleteEnvironment,
  type Environment,
  environments,
  updateEnvironment,
} from '../../domain/access/environment.ts'
import { brandIn } from '../../domain/access/brand.ts'
import type { DoorScope } from '../../domain/resolver/door-scope.ts'
import { present } from '../../lib/present.ts'
import { cursorQuery, pageOfCursors, pageSchema, showPage } from '../page.ts'
import { pauseField, showPause } from '../pause-view.ts'
import { route } from '../route.ts'

const days = z.number().int().meta({
  description:
    'Days after which they are deleted. 0 keeps them forever. Absent if the configured default of the gateway applies.',
})

export const environmentView = z
  .object({
    _id: z.string(),
    name: z.string(),
    _organizationId: z.string(),
    identifier: z.string().meta({ description: 'Public identifier.' }),
    type: z.enum(['dev', 'prod']),
    apiKeys: z.array(z.object({ key: z.string(), _userId: z.string(), hash: z.string() })).meta({
      description: 'First API key, returned only when the environment is created. Empty in every other response.',
    }),
    _parentId: z.string().optional(),
    slug: z.string(),
    color: z.string(),
    retentionDays: days.optional(),
    feedRetentionDays: days.optional(),
    sending: z
      .enum(SendingMode)
      .meta({ description: 'What happens to messages: they are sent, captured or redirected.' }),
    redirectTo: z.string().optional().meta({
      description: 'Address that receives redirected messages. Absent if they are captured instead.',
    }),
    allowedDestinations: z.array(z.string()).meta({ description: 'Destinations to which `redirect` sends.' }),
    brand: z
      .object({
        name: z.string().optional(),
        logoUrl: z.string().optional(),
        primaryColor: z.string().optional(),
        websiteUrl: z.string().optional(),
        address: z.string().optional(),
      })
      .optional()
      .meta({ description: 'What recipients know the sender by, on preference pages. Absent if nothing is set.' }),
    allowsUnsignedSessions: z.boolean().meta({ description: 'True if browsers may open sessions without a hash.' }),
    database: z.string().optional().meta({
      description:
        'Name of the database with the rows of the environment, as configured at the gateway. Absent for the main one.',
    }),
    pause: pauseField,
  })
  .meta({ id: 'Environment', description: 'A stage of an application, such as development or production.' })

/** SPEC: Environment. An API key is shown once, when it is created. */
export async function showEnvironment(
  row: Environment,
  scope: DoorScope,
  newKey?: NewApiKey,
): Promise<z.input<typeof environmentView>> {
  return {
    _id: row.id,
    name: row.name,
    _organizationId: scope.caller.organizationId,
    identifier: row.identifier,
    type: row.type,
    apiKeys: newKey ? [{ key: newKey.key, _userId: newKey.apiKey.userId, hash: keyHash(newKey.key) }] : [],
    ...present({ _parentId: row.parentId }),
    slug: row.slug,
    color: row.color,
    ...(await showPause(scope, 'environment', row.id)),
    sending: row.sending,
    ...present({ redirectTo: row.redirectTo, database: row.database }),
    allowedDestinations: row.allowedDestinations,
    allowsUnsignedSessions: row.allowsUnsignedSessions,
    ...(row.brand !== null && { brand: brandIn(row.brand) }),
    ...present({ retentionDays: row.retentionDays, feedRetentionDays: row.feedRetentionDays }),
  }
}

const byId = z.object({ id: z.string().meta({ description: '`_id` of the environment.' }) })

export const environmentRoutes = [
  route({
    method: 'get',
    path: '/v1/environments',
    summary: 'List the environments of the organization',
    query: cursorQuery,
    resolver: environments,
    input: ({ query }) => ({ page: pageOfCursors(query) }),
    statuses: [200],
    response: pageSchema(environmentView),
    view: (page, scope) => showPage(scope, page, (row) => showEnvironment(row, scope)),
  }),
  route({
    method: 'post',
    path: '/v1/environments',
    summary: 'Create an environment in the current organization',
    example: { name: 'Staging', color: '#0ea5e9' },
    body: createEnvironment.definition.input,
    resolver: createEnvironment,
    statuses: [201],
    response: environmentView,
    view: ({ environment, newApiKey }, scope) => showEnvironment(environment, scope, newApiKey),
  }),
  route({
    method: 'put',
    path: '/v1/environments/{id}',
    reserved: ['me', 'api-keys'],
    summary: 'Update an environment',
    example: { name: 'Staging', color: '#0284c7' },
    params: byId,
    body: updateEnvironment.definition.input.omit({ id: true, identifier: true }),
    conditional: true,
    resolver: updateEnvironment,
    statuses: [200],
    version: ({ version }) => version,
    response: environmentView,
    view: (row, scope) => showEnvironment(row, scope),
  }),
  route({
    method: 'delete',
    path: '/v1/environments/{id}',
    summary: 'Delete an environment and everything in it',
    params: byId,
    resolver: deleteEnvironment,
    statuses: [200],
  }),
]
