// Tenancy cases: naming another environment or its keys, contexts, subscribers, integrations and channel endpoints.
import { expect } from 'vitest'
import { sign } from '../browser.ts'
import { connectionInput, endpointInput, grace } from '../furnish.ts'
import { casesOfAddresses } from './address-cases.ts'
import { type Case, deletesNothing, doesNotFind, filterCases, findsNothing, makesItsOwn, ofAda } from './case.ts'

const credentials = { providerId: 'FCM', credentials: { deviceTokens: ['another token'] } }
const ofGrace = { subscriberId: 'grace', integrationIdentifier: 'slack' }
const channels = [{ ...credentials, integrationIdentifier: 'slack' }]
const newEndpoint = { ...endpointInput(grace), identifier: 'new', endpoint: { workspaceChatUser: { userId: 'U-new' } } }
const { integrationIdentifier: _integration, ...withoutIntegration } = newEndpoint

/** Cases that do not apply between environments of one organization, which share their environments. */
export const environmentCases: Record<string, Case> = {
  ...casesOfAddresses(true),
  'Mutation.createEnvironment(input.parentId)': doesNotFind('createEnvironment', (_graces, { Environment }) => ({
    name: 'Below theirs',
    color: '#000000',
    parentId: Environment,
  })),
  'Mutation.updateEnvironment(input.id)': doesNotFind('updateEnvironment', (_graces, { Environment }) => ({
    id: Environment,
    name: 'Taken over',
  })),
  'Mutation.updateEnvironment(input.parentId)': doesNotFind(
    'updateEnvironment',
    (graces, adas) => ({ id: graces['Environment'], parentId: adas['Environment'] }),
    async ({ client, ids }) => {
      const parent = { name: 'Above', color: '#000000' }
      const { environment } = await client.act('createEnvironment', parent, 'environment { id }')
      return { id: ids['Environment'], parentId: environment.id }
    },
  ),
  'Mutation.createApiKey(input.environmentId)': doesNotFind('createApiKey', (_graces, { Environment }) => ({
    name: 'Back door',
    environmentId: Environment,
  })),
  'Mutation.openDashboardSession(input.environmentId)': doesNotFind(
    'openDashboardSession',
    (_graces, { Environment }) => ({ environmentId: Environment }),
    'test/access/dashboard-session.test.ts',
  ),
  'Query.apiKeys(environmentId)': async ({ graces, adas }) => {
    const { errors } = await graces.client.send(
      'query ($id: ID!) { apiKeys(environmentId: $id) { nodes { hint } totalCount } }',
      { id: adas.ids['Environment'] },
    )
    expect(errors).toMatchObject([{ extensions: { code: 'NOT_FOUND' } }])
  },
  'Mutation.pauseEnvironment(input.id)': doesNotFind('pauseEnvironment', (_graces, { Environment }) => ({
    id: Environment,
  })),
  'Mutation.resumeEnvironment(input.id)': doesNotFind('resumeEnvironment', (_graces, { Environment }) => ({
    id: Environment,
  })),
  'Mutation.deleteEnvironment(input.id)': doesNotFind(
    'deleteEnvironment',
    (_graces, { Environment }) => ({ id: Environment }),
    'test/access/environment-deletion.test.ts',
  ),
}

const subscriberCases: Record<string, Case> = {
  'Query.subscriber(subscriberId)': findsNothing('{ subscriber(subscriberId: "ada") { id } }'),
  'Query.erasure(id)': findsNothing('query ($id: ID!) { erasure(id: $id) { id } }', (_graces, { Erasure }) => ({
    id: Erasure,
  })),
  'Query.subscriberExport(subscriberId)': async ({ graces }) => {
    const { errors } = await graces.client.send('{ subscriberExport(subscriberId: "ada") }')
    expect(errors).toMatchObject([{ extensions: { code: 'NOT_FOUND' } }])
  },
  'Query.subscribers(filter.subscriberId)': findsNothing(
    '{ subscribers(filter: { subscriberId: "ada" }) { nodes { id } } }',
  ),
  'Mutation.createSubscriber(input.subscriberId)': makesItsOwn('createSubscriber', ofAda),
  'Mutation.createSubscriber(input.channels.integrationIdentifier)': makesItsOwn('createSubscriber', {
    subscriberId: 'joan',
    channels,
  }),
  'Mutation.createSubscribers(input.subscribers.subscriberId)': makesItsOwn('createSubscribers', {
    subscribers: [{ ...ofAda, firstName: 'Not Ada' }],
  }),
  'Mutation.createSubscribers(input.subscribers.channels.integrationIdentifier)': makesItsOwn('createSubscribers', {
    subscribers: [{ subscriberId: 'joan', channels }],
  }),
  'Mutation.upsertSubscriber(input.subscriberId)': makesItsOwn('upsertSubscriber', { ...ofAda, firstName: 'Not Ada' }),
  'Mutation.upsertSubscriber(input.channels.integrationIdentifier)': makesItsOwn('upsertSubscriber', {
    subscriberId: 'joan',
    channels,
  }),
  'Mutation.updateSubscriber(input.subscriberId)': doesNotFind('updateSubscriber', ofAda),
  'Mutation.setSubscriberOnline(input.subscriberId)': doesNotFind('setSubscriberOnline', { ...ofAda, isOnline: true }),
  'Mutation.deleteSubscriber(input.subscriberId)': doesNotFind('deleteSubscriber', ofAda),
  'Mutation.deleteSubscribers(input.filter.subscriberId)': deletesNothing('deleteSubscribers', ofAda),
  'Mutation.eraseSubscriber(input.subscriberId)': makesItsOwn('eraseSubscriber', ofAda),
  'Mutation.eraseSubscribers(input.subscribers.subscriberId)': makesItsOwn('eraseSubscribers', {
    subscribers: [ofAda],
  }),
  'Mutation.setSubscriberCredentials(input.subscriberId)': doesNotFind('setSubscriberCredentials', {
    ...ofAda,
    ...credentials,
  }),
  'Mutation.setSubscriberCredentials(input.integrationIdentifier)': makesItsOwn('setSubscriberCredentials', {
    ...ofGrace,
    ...credentials,
  }),
  'Mutation.appendSubscriberCredentials(input.subscriberId)': doesNotFind('appendSubscriberCredentials', {
    ...ofAda,
    ...credentials,
  }),
  'Mutation.appendSubscriberCredentials(input.integrationIdentifier)': makesItsOwn('appendSubscriberCredentials', {
    ...ofGrace,
    ...credentials,
  }),
  'Mutation.deleteSubscriberCredentials(input.subscriberId)': doesNotFind('deleteSubscriberCredentials', {
    ...ofAda,
    providerId: 'FCM',
  }),
  'Mutation.deleteSubscriberCredentials(input.integrationIdentifier)': doesNotFind('deleteSubscriberCredentials', {
    ...ofGrace,
    providerId: 'FCM',
  }),
}

const sessionCases: Record<string, Case> = {
  'Mutation.openSession(input.subscriberId)': async ({ another }) => {
    const { client } = await another()
    const opened = { subscriberId: 'ada', subscriberHash: sign('ada', client) }
    const { token, userErrors } = await client.act('openSession', opened, 'token')
    expect(userErrors).toEqual([])
    expect(token).toEqual(expect.any(String))
  },
}

/** The lists of channel endpoints, which all take the same filters. */
const endpointLists = {
  Query: (list: string) => `{ ${list} }`,
  Subscriber: (list: string) => `{ subscriber(subscriberId: "grace") { ${list} } }`,
  Integration: (list: string) => `{ integration(identifier: "chat") { ${list} } }`,
  Context: (list: string) => `{ context(key: "tenant:globex") { ${list} } }`,
}
const endpointFilters = {
  connectionIdentifier: '"acme-workspace"',
  contextKeys: '["tenant:acme"]',
  integrationIdentifier: '"slack"',
  integrationIdentifiers: '["slack"]',
  subscriberId: '"ada"',
  subscriberIds: '["ada"]',
}
const endpointListCases: Record<string, Case> = Object.fromEntries(
  Object.entries(endpointLists).flatMap(([parent, under]) =>
    Object.entries(endpointFilters).map(([field, value]) => [
      `${parent}.channelEndpoints(filter.${field})`,
      findsNothing(under(`channelEndpoints(filter: { ${field}: ${value} }) { nodes { id } }`)),
    ]),
  ),
)

const endpointCases: Record<string, Case> = {
  ...endpointListCases,
  'Query.channelEndpoint(identifier)': findsNothing('{ channelEndpoint(identifier: "ada-on-slack") { id } }'),
  'Mutation.createChannelEndpoint(input.subscriberId)': doesNotFind('createChannelEndpoint', {
    ...newEndpoint,
    subscriberId: 'ada',
  }),
  'Mutation.createChannelEndpoint(input.integrationId)': doesNotFind('createChannelEndpoint', (_graces, adas) => ({
    ...withoutIntegration,
    integrationId: adas['Integration'],
  })),
  'Mutation.createChannelEndpoint(input.integrationIdentifier)': doesNotFind('createChannelEndpoint', {
    ...newEndpoint,
    integrationIdentifier: 'slack',
  }),
  'Mutation.createChannelEndpoint(input.identifier)': makesItsOwn('createChannelEndpoint', {
    ...newEndpoint,
    identifier: 'ada-on-slack',
  }),
  'Mutation.createChannelEndpoint(input.connectionIdentifier)': makesItsOwn('createChannelEndpoint', {
    ...newEndpoint,
    connectionIdentifier: 'acme-workspace',
  }),
  'Mutation.createChannelEndpoint(input.contexts.identifier)': makesItsOwn('createChannelEndpoint', {
    ...newEndpoint,
    contexts: [{ type: 'tenant', identifier: 'acme', data: { plan: 'free' } }],
  }),
  'Mutation.updateChannelEndpoint(input.identifier)': doesNotFind('updateChannelEndpoint', {
    identifier: 'ada-on-slack',
    endpoint: { workspaceChatUser: { userId: 'U-eve' } },
  }),
  'Mutation.deleteChannelEndpoint(input.identifier)': doesNotFind('deleteChannelEndpoint', {
    identifier: 'ada-on-slack',
  }),
}

const { contexts: _contexts, ...connectionWithoutContexts } = { ...connectionInput(grace), identifier: 'new' }
const { integrationIdentifier: _slack, ...connectionWithoutIntegration } = connectionWithoutContexts

const connectionCases: Record<string, Case> = {
  ...filterCases(
    { 'Query.channelConnections': (filter) => `{ channelConnections(${filter}) { nodes { id } } }` },
    {
      contextKeys: '["tenant:acme"]',
      integrationIdentifier: '"slack"',
      integrationIdentifiers: '["slack"]',
      subscriberId: '"ada"',
      subscriberIds: '["ada"]',
    },
  ),
  'Mutation.createChannelConnection(input.subscriberId)': doesNotFind('createChannelConnection', {
    ...connectionWithoutContexts,
    subscriberId: 'ada',
  }),
  'Mutation.createChannelConnection(input.integrationId)': doesNotFind('createChannelConnection', (_graces, adas) => ({
    ...connectionWithoutIntegration,
    integrationId: adas['Integration'],
  })),
  'Mutation.createChannelConnection(input.integrationIdentifier)': doesNotFind('createChannelConnection', {
    ...connectionWithoutContexts,
    integrationIdentifier: 'slack',
  }),
  'Mutation.createChannelConnection(input.identifier)': makesItsOwn('createChannelConnection', {
    ...connectionWithoutContexts,
    identifier: 'acme-slack',
  }),
  'Mutation.createChannelConnection(input.contexts.identifier)': makesItsOwn('createChannelConnection', {
    ...connectionWithoutContexts,
    contexts: [{ type: 'tenant', identifier: 'acme', data: { plan: 'free' } }],
  }),
}

export const casesOfPeople: Record<string, Case> = {
  ...environmentCases,
  'Mutation.openDashboardSession(input.apiKey)': doesNotFind(
    'openDashboardSession',
    (_graces, { ApiKey }) => ({ apiKey: ApiKey }),
    ({ client }) => ({ apiKey: client.key }),
  ),
  'Mutation.revokeApiKey(input.id)': doesNotFind('revokeApiKey', (_graces, { ApiKey }) => ({ id: ApiKey })),

  'Query.context(key)': findsNothing('{ context(key: "tenant:acme") { id } }'),
  'Query.contexts(filter.identifier)': findsNothing('{ contexts(filter: { identifier: "acme" }) { nodes { id } } }'),
  'Mutation.createContext(input.identifier)': makesItsOwn('createContext', { type: 'tenant', identifier: 'acme' }),
  'Mutation.updateContext(input.key)': doesNotFind('updateContext', { key: 'tenant:acme', data: {} }),
  'Mutation.deleteContext(input.key)': doesNotFind('deleteContext', { key: 'tenant:acme' }),

  ...subscriberCases,
  ...sessionCases,

  'Query.integration(identifier)': findsNothing('{ integration(identifier: "slack") { id } }'),
  'Mutation.createIntegration(input.identifier)': makesItsOwn('createIntegration', {
    identifier: 'slack',
    providerId: 'SLACK',
  }),
  'Mutation.pauseIntegration(input.id)': doesNotFind('pauseIntegration', (_graces, { Integration }) => ({
    id: Integration,
  })),
  'Mutation.resumeIntegration(input.id)': doesNotFind('resumeIntegration', (_graces, { Integration }) => ({
    id: Integration,
  })),
  'Mutation.updateIntegration(input.id)': doesNotFind('updateIntegration', (_graces, { Integration }) => ({
    id: Integration,
    active: false,
  })),
  'Mutation.updateIntegration(input.identifier)': makesItsOwn('updateIntegration', ({ Integration }) => ({
    id: Integration,
    identifier: 'slack',
  })),
  'Mutation.sendTestMessage(input.integrationId)': doesNotFind('sendTestMessage', (_graces, { Integration }) => ({
    integrationId: Integration,
    to: { webhookUrl: 'http://127.0.0.1:9' },
  })),
  'Mutation.deleteIntegration(input.id)': doesNotFind('deleteIntegration', (_graces, { Integration }) => ({
    id: Integration,
  })),

  ...connectionCases,
  ...endpointCases,
}
