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
import { updateEnvironment } from '../../../../domain/access/environment.ts'
import type { ProviderId } from '../../../../domain/channel/provider-id.ts'
import type { DoorScope } from '../../../../domain/resolver/door-scope.ts'
import { refuse } from '../../../../lib/errors.ts'
import { integrationView, showIntegration } from '../../../routes/integration.ts'
import type { PageRequest } from '../../../../lib/page.ts'
import { type JsonObject, parse } from '../../../../lib/validation.ts'
import { found } from '../../../views.ts'
import { route } from '../../../route.ts'
import { rowsOfAllPages, firstPage } from '../words/whole-list.ts'
import { filterGroups, groupsOfRule, ruleOfGroups } from '../words/conditions.ts'
import { prefix } from '../words/prefix.ts'
import { settingPath, settingsFrom } from '../words/settings.ts'
import { providerInWords, wordOfProvider } from '../words/names.ts'

const view = integrationView
  .omit({ conditions: true })
  .extend({
    providerId: z.string().meta({ description: "Provider in the client's words, such as `novu` for the feed." }),
    conditions: filterGroups.optional().meta({
      description: 'Groups of filters. Absent if the condition of the integration is another JSON Logic rule.',
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
  _environmentId: z.string().nullish().meta({ description: 'The environment of the API key, if it is given.' }),
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

/** @throws Refusal `INVALID` if a request is for another environment than that of its API key. */
function assertOwnEnvironment({ caller: { environmentId } }: DoorScope, given: string | null | undefined): void {
  if (!given || given === environmentId) return
  throw refuse('INVALID', '_environmentId must be the environment of the API key', '_environmentId', given)
}

const hmac = z.union([z.boolean(), z.enum(['true', 'false']).transform((text) => text === 'true')]).nullish()

/**
 * Returns the settings of an integration without `hmac` of the in-app provider, which is a setting of the environment
 * here: false allows unsigned sessions.
 */
async function storedSettings(
  scope: DoorScope,
  providerId: ProviderId,
  given: JsonObject | null | undefined,
): Promise<JsonObject | null | undefined> {
  if (!given || providerId !== 'service' || !('hmac' in given)) return given
  const { hmac: _hmac, ...credentials } = given
  const isRequired = parse(z.object({ credentials: z.looseObject({ hmac }) }), { credentials: given }).credentials.hmac
  if (typeof isRequired === 'boolean') {
    await updateEnvironment(scope, { id: scope.caller.environmentId, allowsUnsignedSessions: !isRequired })
  }
  return credentials
}

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
    async input({ body: { providerId, channel, name, identifier, active, ...body } }, scope) {
      assertOwnEnvironment(scope, body._environmentId)
      const credentials = await storedSettings(scope, providerId, body.credentials)
      return {
        ...{ providerId, channel, name, identifier },
        active: active ?? false,
        credentials: credentials && settingsFrom(providerId, credentials),
        conditions: conditionsOf(body.conditions),
        requireComplete: true,
      }
    },
    nameOf: (path, { body: { providerId, credentials } }) => settingPath(path, providerId, credentials ?? {}),
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
    body: z.object(common),
    resolver: updateIntegration,
    async input(
      { params: { id }, body: { name, identifier, active, credentials, conditions, _environmentId } },
      scope,
    ) {
      assertOwnEnvironment(scope, _environmentId)
      const { providerId } = found(await integration(scope, { id }), 'Integration', id)
      const stored = await storedSettings(scope, providerId, credentials)
      return {
        id,
        name: name ?? undefined,
        identifier: identifier ?? undefined,
        active: active ?? undefined,
        credentialChanges: stored && settingsFrom(providerId, stored),
        conditions: conditionsOf(conditions),
        requireComplete: true,
      }
    },
    nameOf: (path, { body: { credentials } }) => settingPath(path, undefined, credentials ?? {}),
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
      const read = (page: PageRequest) => integrations(scope, { page })
      const rest = await rowsOfAllPages(await read(firstPage), read)
      return Promise.all(rest.map((row) => show(row, scope)))
    },
  }),
]
