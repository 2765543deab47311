// Routes of integrations.
import { z } from 'zod'
import { Channel } from '../../data/prisma/enums.ts'
import {
  createIntegration,
  deleteIntegration,
  integration,
  type Integration,
  integrations,
  updateIntegration,
} from '../../domain/integration.ts'
import {
  inboundWebhookOf,
  type RotatedToken,
  rotateInboundWebhookToken,
} from '../../domain/execution/inbound-webhook.ts'
import { circuitCodes, circuitOf, openCircuitOf } from '../../domain/integration-circuit.ts'
import { rateLimit } from '../../domain/rate-limit.ts'
import { isBlocking } from '../../domain/integration-setup.ts'
import { providerId, providerOf } from '../../domain/channel/provider-id.ts'
import type { DoorScope } from '../../domain/resolver/door-scope.ts'
import { asObject } from '../../domain/channel/stored-json.ts'
import { pageOfQuery, pageQuery, pageSchema, showPage } from '../page.ts'
import { pauseField, showPause } from '../pause-view.ts'
import { route } from '../route.ts'
import { flag, found, knownProvider, ownData, timestamp, versionField } from '../views.ts'

export const integrationView = z
  .object({
    _id: z.string().meta({ description: 'Unique id.' }),
    _environmentId: z.string().meta({ description: 'Environment of the object.' }),
    _organizationId: z.string().meta({ description: 'Organization of the environment.' }),
    name: z.string().meta({ description: 'Display name.' }),
    identifier: z.string().meta({ description: 'Key, unique in the environment.', examples: ['acme-sms'] }),
    providerId: knownProvider.meta({ description: 'Provider that delivers the messages.', examples: ['twilio'] }),
    channel: z.enum(Channel).meta({ description: 'Channel of the provider.' }),
    active: z.boolean().meta({ description: 'True if messages are sent through the integration.' }),
    primary: z
      .boolean()
      .meta({ description: "True if this is the channel's primary integration. A channel has at most one." }),
    isFallback: z
      .boolean()
      .meta({ description: 'True if the integration is used only after the other integrations of its channel.' }),
    fallbackAfterTimeout: z.boolean().meta({
      description: 'True if messages that the provider received and did not confirm go to the next integration.',
    }),
    circuit: z
      .enum(circuitCodes)
      .meta({ description: 'State of the circuit, which opens when the provider or the account fails repeatedly.' }),
    openCircuit: z
      .object({ openedAt: timestamp, nextProbeAt: timestamp })
      .optional()
      .meta({ description: 'Time the circuit opened, and time of the next probe. Absent while it is closed.' }),
    credentials: z.object({}).meta({ description: 'Always empty: credentials are never returned.' }),
    conditions: ownData.optional().meta({
      description: 'JSON Logic rule over the variables of a run. Absent if the integration has no conditions.',
    }),
    rateLimit: rateLimit.optional().meta({
      description:
        'Maximum number of messages in an interval. Messages beyond it wait. Absent if the integration has no rate limit.',
    }),
    deliverable: z.boolean().meta({ description: 'True if no problem keeps the integration from delivering.' }),
    problems: z
      .array(
        z.object({
          code: z.enum([
            'provider_not_implemented',
            'credentials_unreadable',
            'setting_missing',
            'setting_invalid',
            'setting_unknown',
          ]),
          setting: z
            .string()
            .nullable()
            .meta({ description: 'Name in the credentials. Null for the whole integration.' }),
          message: z.string().meta({ description: 'Problem in words.' }),
          blocking: z.boolean().meta({ description: 'True if no message can be sent until the problem is solved.' }),
        }),
      )
      .meta({ description: 'Problems of the set-up. With a blocking one, the integration is created inactive.' }),
    inboundWebhook: z
      .object({
        url: z
          .string()
          .nullable()
          .meta({ description: 'URL without its token. Null if the gateway has no `BASE_URL`.' }),
        needsToken: z
          .boolean()
          .meta({ description: 'True if the provider does not sign its requests, so that the URL needs a token.' }),
        isVerified: z.boolean().meta({ description: 'True if a request with a valid signature or token has arrived.' }),
        lastReportAt: timestamp.nullable(),
        problem: z.string().nullable().meta({ description: 'What keeps reports from arriving. Null if nothing does.' }),
      })
      .optional()
      .meta({ description: 'URL for reports of the provider. Absent if the provider sends none.' }),
    pause: pauseField,
    version: versionField,
    deleted: z.literal(false).meta({ description: 'Always false: deleted integrations are not returned.' }),
  })
  .meta({ id: 'Integration', description: 'A provider with the credentials of one account.' })

export async function showIntegration(row: Integration, scope: DoorScope): Promise<z.input<typeof integrationView>> {
  const problems = row.problems()
  const { id } = row
  const [circuit, open, webhook] = await Promise.all([
    circuitOf(scope, { id }),
    openCircuitOf(scope, { id }),
    inboundWebhookOf(scope, { id, providerId: row.providerId }),
  ])
  return {
    _id: row.id,
    _environmentId: row.environmentId,
    _organizationId: scope.caller.organizationId,
    name: row.name,
    identifier: row.identifier,
    providerId: providerOf(row.providerId),
    channel: row.channel,
    active: row.active,
    primary: row.primary,
    isFallback: row.isFallback,
    fallbackAfterTimeout: row.fallbackAfterTimeout,
    circuit,
    ...(open && {
      openCircuit: { openedAt: open.openedAt.toISOString(), nextProbeAt: open.nextProbeAt.toISOString() },
    }),
    credentials: {},
    ...(row.conditions === null ? {} : { conditions: asObject(row.conditions) }),
    ...(row.rateLimit === null ? {} : { rateLimit: row.rateLimit }),
    deliverable: !problems.some(isBlocking),
    problems: [...problems],
    ...(webhook && {
      inboundWebhook: { ...webhook, lastReportAt: webhook.lastReportAt?.toISOString() ?? null },
    }),
    ...(await showPause(scope, 'integration', row.id)),
    version: row.version,
    deleted: false,
  }
}

const tokenView = z
  .object({
    url: z.string().nullable().meta({ description: 'URL with the token. Null if the gateway has no `BASE_URL`.' }),
    token: z.string().meta({ description: 'Token. It cannot be read again.' }),
  })
  .meta({ id: 'InboundWebhookToken', description: 'A new token of the URL for reports of an integration.' })

const showToken = ({ url, token }: RotatedToken): z.input<typeof tokenView> => ({ url, token })

const { input: updateInput } = updateIntegration.definition
const byId = z.object({ id: z.string().meta({ description: '`_id` of the integration.' }) })

export const integrationRoutes = [
  route({
    method: 'get',
    path: '/v1/integrations',
    summary: 'List integrations',
    query: pageQuery.extend({
      channel: z.enum(Channel).optional().meta({ description: 'Filter by channel.' }),
      providerId: providerId.optional().meta({ description: 'Filter by provider.' }),
      active: flag.optional().meta({ description: 'True matches active integrations, false inactive integrations.' }),
    }),
    resolver: integrations,
    input: ({ query: { channel, providerId, active, ...query } }) => ({
      ...pageOfQuery(query),
      filter: { channel, providerId, active },
    }),
    statuses: [200],
    response: pageSchema(integrationView),
    view: (page, scope) => showPage(scope, page, (row) => showIntegration(row, scope)),
  }),
  route({
    method: 'post',
    path: '/v1/integrations',
    summary: 'Create an integration; a primary integration replaces the current one of its channel',
    example: { providerId: 'twilio', channel: 'sms', identifier: 'acme-sms', credentials: { accountSid: 'AC1' } },
    body: createIntegration.definition.input,
    resolver: createIntegration,
    statuses: [201],
    version: ({ version }) => version,
    response: integrationView,
    view: showIntegration,
  }),
  route({
    method: 'get',
    path: '/v1/integrations/{id}',
    summary: 'Read an integration',
    params: z.object({ id: z.string().meta({ description: '`_id` or identifier of the integration.' }) }),
    resolver: integration,
    input: ({ params: { id } }) => (z.uuid().safeParse(id).success ? { id } : { identifier: id }),
    nameOf: () => ['id'],
    statuses: [200],
    version: (row) => row?.version,
    response: integrationView,
    view: (row, scope, { params }) => showIntegration(found(row, 'Integration', params.id), scope),
  }),
  route({
    method: 'put',
    path: '/v1/integrations/{id}',
    reserved: ['active'],
    summary: 'Update an integration; fields that are absent keep their values; provider and channel cannot change',
    example: { name: 'Text messages', primary: true },
    params: byId,
    body: updateInput.omit({ id: true, currentIdentifier: true }),
    conditional: true,
    resolver: updateIntegration,
    statuses: [200],
    version: ({ version }) => version,
    response: integrationView,
    view: showIntegration,
  }),
  route({
    method: 'delete',
    path: '/v1/integrations/{id}',
    summary: 'Delete an integration and its channel endpoints',
    params: byId,
    conditional: true,
    resolver: deleteIntegration,
    statuses: [204],
  }),
  route({
    method: 'post',
    path: '/v1/integrations/{id}/inbound-webhook/token',
    summary: 'Create or replace the token of the URL for reports of an integration',
    params: byId,
    resolver: rotateInboundWebhookToken,
    input: ({ params }) => ({ integrationId: params.id }),
    statuses: [200],
    response: tokenView,
    view: showToken,
  }),
]
