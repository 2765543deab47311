// Integrations at the REST door.
import { z } from 'zod'
import { Channel } from '../../data/prisma/enums.ts'
import {
  createIntegration,
  deleteIntegration,
  type Integration,
  integrations,
  updateIntegration,
} from '../../domain/integration.ts'
import { providerId, providerOf } from '../../domain/provider-id.ts'
import type { Scope } from '../../domain/scope.ts'
import { pageOfQuery, pageQuery, pageSchema, showPage } from '../page.ts'
import { route } from '../route.ts'
import { flag, knownProvider, ownData } from '../views.ts'

const integrationView = z
  .object({
    _id: z.string().meta({ description: 'Unique id.' }),
    _environmentId: z.string().meta({ description: 'The environment that it belongs to.' }),
    _organizationId: z.string().meta({ description: 'The organization that it belongs to.' }),
    name: z.string().meta({ description: 'Its name, for people.' }),
    identifier: z.string().meta({ description: 'Its key, unique in the environment.', examples: ['acme-sms'] }),
    providerId: knownProvider.meta({ description: 'Who delivers.', examples: ['twilio'] }),
    channel: z.enum(Channel).meta({ description: 'What the provider delivers by.' }),
    active: z.boolean().meta({ description: 'Whether notifications are sent through it.' }),
    primary: z.boolean().meta({ description: 'At most one integration of a channel is primary.' }),
    credentials: z.object({}).meta({ description: 'Always empty: credentials are never shown.' }),
    conditions: ownData.optional().meta({ description: 'JSON-logic; absent when it is used always.' }),
    deleted: z.literal(false).meta({ description: 'Always false: what was deleted is not found.' }),
  })
  .meta({ id: 'Integration', description: 'A provider as the environment uses it.' })

function showIntegration(row: Integration, { caller }: Scope): z.input<typeof integrationView> {
  return {
    _id: row.id,
    _environmentId: row.environmentId,
    _organizationId: caller.organizationId,
    name: row.name,
    identifier: row.identifier,
    providerId: providerOf(row.providerId),
    channel: row.channel,
    active: row.active,
    primary: row.primary,
    credentials: {},
    ...(row.conditions === null ? {} : { conditions: ownData.parse(row.conditions) }),
    deleted: false,
  }
}

const { input: updateInput } = updateIntegration.definition
const byId = z.object({ id: z.string().meta({ description: 'The `_id` of the integration.' }) })

export const integrationRoutes = [
  route({
    method: 'get',
    path: '/v1/integrations',
    summary: 'List integrations',
    query: pageQuery.extend({
      channel: z.enum(Channel).optional().meta({ description: 'Those that deliver by this channel.' }),
      providerId: providerId.optional().meta({ description: 'Those of this provider.' }),
      active: flag.optional().meta({ description: 'True for the active ones, false for the others.' }),
    }),
    resolver: integrations,
    input: ({ query: { channel, providerId, active, ...query } }) => ({
      ...pageOfQuery(query),
      filter: { channel, providerId, active },
    }),
    statuses: [200],
    answer: pageSchema(integrationView),
    view: (page, scope) => showPage(page, (row) => showIntegration(row, scope)),
  }),
  route({
    method: 'post',
    path: '/v1/integrations',
    summary: 'Create an integration; a primary one takes the place of the one that its channel has',
    example: { providerId: 'twilio', channel: 'sms', identifier: 'acme-sms', credentials: { accountSid: 'AC1' } },
    body: createIntegration.definition.input,
    resolver: createIntegration,
    input: ({ body }) => body,
    statuses: [201],
    answer: integrationView,
    view: showIntegration,
  }),
  route({
    method: 'put',
    path: '/v1/integrations/{id}',
    summary: 'Change the fields of an integration that are given; its provider and channel stay',
    example: { name: 'Text messages', primary: true },
    params: byId,
    body: updateInput.omit({ id: true }),
    resolver: updateIntegration,
    input: ({ params, body }) => ({ ...body, ...params }),
    statuses: [200],
    answer: integrationView,
    view: showIntegration,
  }),
  route({
    method: 'delete',
    path: '/v1/integrations/{id}',
    summary: 'Delete an integration with the channel endpoints that are registered on it',
    params: byId,
    resolver: deleteIntegration,
    input: ({ params }) => params,
    statuses: [204],
  }),
]
