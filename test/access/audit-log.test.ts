// The audit log: one line for each administrative act, with the caller and the affected objects.
import { beforeEach, describe, expect, test } from 'vitest'
import { createSignInCode } from '../../src/domain/access/dashboard-session.ts'
import { operatorIn } from '../../src/domain/access/operator.ts'
import { createScope } from '../../src/domain/resolver/create-scope.ts'
import { decodeNodeId } from '../../src/graphql/schema/node-id.ts'
import { useReceiver } from '../support/delivery/receiver.ts'
import { createIntegration, createWorkflow, done, trigger } from '../support/delivery/story.ts'
import { environmentIdOf } from '../support/environment-id.ts'
import { type Client, useWorld } from '../support/world.ts'

const world = useWorld()
const receiver = useReceiver()
let acme: Client
let environmentId: string

beforeEach(async () => {
  acme = await world.environment()
  environmentId = await environmentIdOf(acme)
  world.logged.length = 0
})

const rowIdOf = (nodeId: string) => decodeNodeId(nodeId).id
const linesOf = (act: string) => world.logged.filter(({ msg }) => msg === act)

/** The fields that each line about a client has. */
const byKey = { level: 30, apiKeyId: expect.any(String) }

const created = (name: string) =>
  done(
    world.development,
    'createEnvironment',
    { name, color: '#059669' },
    'environment { id } newApiKey { apiKey { id } }',
  )

describe('the audit log has', () => {
  test('created, updated and deleted environments', async () => {
    const { environment, newApiKey } = await created('Audited')
    const { id } = environment
    await done(world.development, 'updateEnvironment', { id, name: 'Renamed' })
    await done(world.development, 'deleteEnvironment', { id })
    const line = { ...byKey, environmentId: rowIdOf(id) }
    expect(linesOf('environment created')).toMatchObject([
      { ...line, name: 'Audited', keyId: rowIdOf(newApiKey.apiKey.id) },
    ])
    expect(linesOf('environment updated')).toMatchObject([{ ...line, changes: { name: 'Renamed' } }])
    expect(linesOf('environment deleted')).toMatchObject([{ ...line, name: 'Renamed' }])
  })

  test('created and revoked API keys, and never the key', async () => {
    const { newApiKey } = await done(
      acme,
      'createApiKey',
      { name: 'Reader', access: 'READ_ONLY' },
      'newApiKey { key apiKey { id hint } }',
    )
    const { id, hint } = newApiKey.apiKey
    await done(acme, 'revokeApiKey', { id })
    await done(acme, 'revokeApiKey', { id })
    const line = { ...byKey, environmentId, key: { id: rowIdOf(id), name: 'Reader', access: 'read_only', hint } }
    expect(linesOf('API key created')).toMatchObject([line])
    expect(linesOf('API key revoked')).toMatchObject([line])
    expect(JSON.stringify(world.logged)).not.toContain(newApiKey.key)
  })

  test('codes, and dashboard sessions with what they were opened with', async () => {
    const scope = createScope(world.gateway, await operatorIn(world.gateway.db, environmentId))
    const { code } = await createSignInCode(scope, { access: 'read_only' })
    expect(linesOf('sign-in code created')).toMatchObject([
      { actor: 'command line', environmentId, access: 'read_only' },
    ])
    for (const input of [{ code }, { apiKey: acme.key }]) {
      const { token } = await done(acme, 'openDashboardSession', input, 'token')
      await done(world.client(token, 'Dashboard'), 'closeDashboardSession', {})
    }
    expect(linesOf('dashboard session opened')).toMatchObject([
      { environmentId, session: { id: expect.any(String), access: 'read_only' } },
      { environmentId, session: { id: expect.any(String), access: 'full', apiKeyId: expect.any(String) } },
    ])
    const closed = { environmentId, dashboardSessionId: expect.any(String), closed: 1 }
    expect(linesOf('dashboard sessions closed')).toMatchObject([
      { ...closed, actor: 'sign-in code' },
      { ...closed, apiKeyId: expect.any(String) },
    ])
  })

  test('the environment of the sign-in for sessions that are closed from another environment', async () => {
    const { environment } = await acme.ask('{ environment { id } }')
    const { key } = world.production
    const { token } = await done(world.production, 'openDashboardSession', { apiKey: key }, 'token')
    const input = { environmentId: environment.id }
    const there = await done(world.client(token, 'Dashboard'), 'openDashboardSession', input, 'token')
    await done(world.client(there.token, 'Dashboard'), 'closeDashboardSession', {})
    expect(linesOf('dashboard sessions closed')).toMatchObject([
      { environmentId: await environmentIdOf(world.production), closed: 2 },
    ])
  })

  test('requested erasures', async () => {
    await done(acme, 'createSubscriber', { subscriberId: 'ada' })
    const { erasure } = await done(acme, 'eraseSubscriber', { subscriberId: 'ada' }, 'erasure { id }')
    expect(linesOf('erasure requested')).toMatchObject([{ ...byKey, environmentId, erasureId: rowIdOf(erasure.id) }])
  })

  test('pauses of an environment, an integration and a workflow, once each', async () => {
    const integration = await createIntegration(acme, 'EMAIL_WEBHOOK', receiver.url)
    const { workflow } = await done(
      acme,
      'createWorkflow',
      { identifier: 'order', name: 'Order', steps: [{ inApp: { stepId: 'bell', body: 'Hello' } }] },
      'workflow { id identifier }',
    )
    const { environment } = await acme.ask('{ environment { id } }')
    for (const state of ['pause', 'pause', 'resume', 'resume'] as const) {
      await done(acme, `${state}Environment`, { id: environment.id })
      await done(acme, `${state}Integration`, { id: integration })
      await done(acme, `${state}Workflow`, { identifier: workflow.identifier })
    }
    const line = { ...byKey, environmentId }
    for (const act of ['pause started', 'pause ended']) {
      const lines = linesOf(act)
      expect(lines).toMatchObject([
        line,
        { ...line, integrationId: rowIdOf(integration) },
        { ...line, workflowId: rowIdOf(workflow.id) },
      ])
      expect(lines.map((one) => ['integrationId', 'workflowId'].filter((name) => name in one))).toEqual([
        [],
        ['integrationId'],
        ['workflowId'],
      ])
    }
  })

  test('messages that were retried, and no attempt that found none', async () => {
    await createIntegration(acme, 'EMAIL_WEBHOOK', receiver.url)
    await createWorkflow(acme, [{ email: { stepId: 'mail', subject: 'Hi', body: 'Hello' } }])
    receiver.answer(400)
    await trigger(acme, { to: { subscriberId: 'ada', email: 'ada@example.com' } })
    await world.work()
    await done(acme, 'retryDeliveries', { filter: { channel: 'SMS' } })
    expect(linesOf('messages retried')).toEqual([])
    await done(acme, 'retryDeliveries', { filter: { channel: 'EMAIL' } })
    expect(linesOf('messages retried')).toMatchObject([
      { ...byKey, environmentId, filter: { channel: 'email' }, retried: 1 },
    ])
    receiver.answer(200)
  })

  test('a cancellation of all that match, with its filter and the counts', async () => {
    await createWorkflow(acme, [{ delay: { stepId: 'wait', amount: 1, unit: 'HOURS' } }])
    await trigger(acme, { to: { subscriberId: 'ada' } })
    await world.work()
    await done(acme, 'cancelEvents', { filter: { workflowIdentifier: 'another' } })
    expect(linesOf('events cancelled')).toEqual([])
    await done(acme, 'cancelEvents', { filter: { workflowIdentifier: 'order' } })
    expect(linesOf('events cancelled')).toMatchObject([
      { ...byKey, environmentId, filter: { workflowIdentifier: 'order' }, runs: 1, events: 1 },
    ])
  })

  test('a cancellation of all runs that match, with its filter and their number', async () => {
    await createWorkflow(acme, [{ delay: { stepId: 'wait', amount: 1, unit: 'HOURS' } }])
    await trigger(acme, { to: { subscriberId: 'ada' } })
    await world.work()
    await done(acme, 'cancelWorkflowRuns', { filter: { workflowIdentifier: 'order' }, dryRun: true })
    expect(linesOf('runs cancelled')).toEqual([])
    await done(acme, 'cancelWorkflowRuns', { filter: { workflowIdentifier: 'order' } })
    expect(linesOf('runs cancelled')).toMatchObject([
      { ...byKey, environmentId, filter: { workflowIdentifier: 'order' }, runs: 1 },
    ])
  })
})
