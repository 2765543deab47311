// Routes of integrations, with providers, settings and conditions in the client's words.
import { z } from 'zod'
import {
  createIntegration,
  deleteIntegration,
  integration,
  type Integration,
  integrations,
  updateIntegration,
} from '../../../../domain/integration.ts'
import type { DoorScope } from '../../../../domain/resolver/door-scope.ts'
import { integrationView, showIntegration } from '../../../routes/integration.ts'
import { found } from '../../../views.ts'
import { route } from '../../../route.ts'
import { rowsOfAllPages, firstPage } from '../words/whole-list.ts'
import { filterGroups, groupsOfRule, ruleOfGroups } from '../words/conditions.ts'
import { prefix } from '../words/prefix.ts'
import { settingPath, settingsFrom } from '../words/settings.ts'
import { unsupported } from '../words/unsupported.ts'
import { providerInWords, wordOfProvider } from '../words/names.ts'

const view = integrationView
  .omit({ conditions: true })
  .extend({
    providerId: z.string().meta({ description: "Provider in the client's words, such as `novu` for the feed." }),
    conditions: filterGroups.optional().meta({
      description: 'Filters of the tenant. Absent if the condition of the integration is another JSON Logic rule.',
    }),
  })
  .meta({ id: 'NovuIntegration', description: 'A provider with the credentials of one account.' })

async function show(row: Integration, scope: DoorScope): Promise<z.input<typeof view>> {
  const { conditions, ...shown } = await showIntegration(row, scope)
  const groups = groupsOfRule(conditions)
  return {
    ...shown,
    providerId: wordOfProvider(row.providerId),
    ...(groups && { conditions: [...groups] }),
  }
}

const shape = createIntegration.definition.input.shape

/** Fields that a new integration and a changed one have in common. */
const common = {
  name: shape.name,
  identifier: shape.identifier,
  active: shape.active,
  credentials: shape.credentials,
  conditions: filterGroups.nullish(),
  kind: z
    .literal('delivery', { error: 'is not supported: the gateway has no agents' })
    .nullish()
    .meta({ description: 'Kind of the integration.' }),
  check: z.boolean().nullish().meta({ description: 'Has no effect: every setting is checked when it is stored.' }),
  configurations: z
    .strictObject({})
    .nullish()
    .meta({ description: 'Always empty: integrations have no configurations.' }),
}

const byId = z.object({ id: z.string().meta({ description: '`_id` of the integration.' }) })

const conditionsOf = (groups: z.output<typeof filterGroups> | null | undefined) => groups && ruleOfGroups(groups)

function listAt(path: `/${string}`, operationId: string, isActive: true | undefined) {
  const filter = { active: isActive }
  return route({
    method: 'get',
    path,
    operationId,
    summary: isActive ? 'List the active integrations' : 'List all integrations',
    resolver: integrations,
    input: () => ({ page: firstPage, filter }),
    statuses: [200],
    response: z.array(view),
    async view(page, scope) {
      const rows = await rowsOfAllPages(page, (next) => integrations(scope, { page: next, filter }))
      return Promise.all(rows.map((row) => show(row, scope)))
    },
  })
}

export const novuIntegrationRoutes = [
  listAt(`${prefix}/v1/integrations`, 'integration.list', undefined),
  listAt(`${prefix}/v1/integrations/active`, 'integration.listActive', true),
  route({
    method: 'post',
    path: `${prefix}/v1/integrations`,
    summary: 'Create an integration; settings that its provider does not know or that are missing are errors',
    example: { providerId: 'twilio', channel: 'sms', credentials: { accountSid: 'AC1', token: 't', from: '+491511' } },
    body: z.object({ ...common, providerId: providerInWords, channel: shape.channel }),
    resolver: createIntegration,
    input: ({ body: { providerId, channel, name, identifier, active, credentials, conditions } }) => ({
      ...{ providerId, channel, name, identifier },
      active: active ?? false,
      credentials: credentials && settingsFrom(providerId, credentials),
      conditions: conditionsOf(conditions),
      requireComplete: true,
    }),
    nameOf: settingPath,
    statuses: [201],
    response: view,
    view: show,
  }),
  route({
    method: 'put',
    path: `${prefix}/v1/integrations/{id}`,
    summary: 'Update an integration; fields and settings that are absent keep their values',
    example: { name: 'Text messages', credentials: { from: '+4915123456789' } },
    params: byId,
    body: z.object({ ...common, removeNovuBranding: unsupported('the gateway adds no branding') }),
    resolver: updateIntegration,
    async input({ params: { id }, body: { name, identifier, active, credentials, conditions } }, scope) {
      const { providerId } = found(await integration(scope, { id }), 'Integration', id)
      return {
        id,
        name: name ?? undefined,
        identifier: identifier ?? undefined,
        active: active ?? undefined,
        credentialChanges: credentials && settingsFrom(providerId, credentials),
        conditions: conditionsOf(conditions),
        requireComplete: true,
      }
    },
    nameOf: settingPath,
    statuses: [200],
    response: view,
    view: show,
  }),
  route({
    method: 'post',
    path: `${prefix}/v1/integrations/{id}/set-primary`,
    operationId: 'integration.setPrimary',
    summary: 'Make an integration the primary one of its channel',
    params: byId,
    resolver: updateIntegration,
    input: ({ params: { id } }) => ({ id, primary: true }),
    statuses: [200],
    response: view,
    view: show,
  }),
  route({
    method: 'delete',
    path: `${prefix}/v1/integrations/{id}`,
    summary: 'Delete an integration and its channel endpoints; the response lists the others',
    params: byId,
    resolver: deleteIntegration,
    statuses: [200],
    response: z.array(view),
    async view(_deleted, scope) {
      const rest = await rowsOfAllPages(await integrations(scope, { page: firstPage }), (next) =>
        integrations(scope, { page: next }),
      )
      return Promise.all(rest.map((row) => show(row, scope)))
    },
  }),
]
