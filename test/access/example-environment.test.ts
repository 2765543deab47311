// The example environment: who may create it, and what it has.
import { expect, test, vi } from 'vitest'
import { useWorld } from '../support/world.ts'

const world = useWorld({ ownDatabase: true, requestLog: true })

// Two weeks are about two thousand statements.
vi.setConfig({ testTimeout: 240_000 })

const selection = 'environment { id name viewerCanAdminister } newApiKey { key } userErrors { code message field }'
const named = (name: string) => world.gateway.db.environment.count({ where: { name, organizationId: { not: null } } })

test('is created by a FULL key, which administers it, with its own key and two weeks of events', async () => {
  const client = await world.environment()
  const { environment, newApiKey, userErrors } = await client.act('createExampleEnvironment', {}, selection)
  expect({ environment, userErrors }).toMatchObject({
    environment: { name: 'Demo', viewerCanAdminister: true },
    userErrors: [],
  })
  expect(world.logged.filter(({ msg }) => msg === 'environment created').at(-1)).toMatchObject({ name: 'Demo' })
  const { events, subscribers, integrations } = await world.client(newApiKey.key).ask(`{
    events(last: 1) { totalCount }
    subscribers { totalCount }
    integrations { nodes { identifier pause { pausedBy } } }
  }`)
  const outcomes = await world.client(newApiKey.key).ask(`{
    bounced: deliveries(filter: { receipt: BOUNCED }) { totalCount }
    complained: deliveries(filter: { receipt: COMPLAINED }) { totalCount }
    delivered: deliveries(filter: { receipt: DELIVERED }) { totalCount }
    suppressions(first: 50) { nodes { reason } }
    webhookSubscription(identifier: "demo-crm") { active deliveries(first: 50) { nodes { status } } }
    oneClick: subscribers(first: 100) { nodes { preferenceChanges(filter: { source: ONE_CLICK }) { totalCount } } }
  }`)
  for (const { totalCount } of [outcomes.bounced, outcomes.complained, outcomes.delivered])
    expect(totalCount).toBeGreaterThan(0)
  const reasons = outcomes.suppressions.nodes.map(({ reason }: { reason: string }) => reason)
  expect(new Set(reasons)).toEqual(new Set(['IMPORT', 'HARD_BOUNCE', 'COMPLAINT']))
  expect(outcomes.webhookSubscription).toMatchObject({ active: false })
  const log: readonly { status: string }[] = outcomes.webhookSubscription.deliveries.nodes
  expect(new Set(log.map(({ status }) => status))).toEqual(new Set(['SUCCEEDED', 'FAILED']))
  const changes: readonly { preferenceChanges: { totalCount: number } }[] = outcomes.oneClick.nodes
  expect(changes.filter(({ preferenceChanges }) => preferenceChanges.totalCount > 0)).not.toEqual([])
  expect(subscribers.totalCount).toBe(100)
  expect(events.totalCount).toBeGreaterThan(200)
  expect(integrations.nodes).toContainEqual({ identifier: 'demo-push', pause: { pausedBy: 'API key "First key"' } })

  const used = await world.client(newApiKey.key).ask(`{
    channelConnection(identifier: "demo-slack-acme") { subscriberId workspace { name } }
    channelEndpoints(filter: { integrationIdentifier: "demo-slack" }) {
      nodes { connectionIdentifier obstacle }
    }
    subscribers(first: 100) { nodes { preferences { schedule { isEnabled } } } }
  }`)
  expect(used.channelConnection).toEqual({ subscriberId: null, workspace: { name: 'Acme Rockets' } })
  expect(used.channelEndpoints.nodes).toEqual([{ connectionIdentifier: 'demo-slack-acme', obstacle: null }])
  const people: readonly { preferences: { schedule: { isEnabled: boolean } | null } }[] = used.subscribers.nodes
  expect(people.flatMap(({ preferences: { schedule } }) => schedule ?? [])).toEqual([{ isEnabled: true }])
  const { db } = world.gateway
  expect(await db.notification.count({ where: { snoozedUntil: { not: null } } })).toBe(3)
  const welcomes = await db.notification.findMany({ where: { workflowIdentifier: 'welcome', target: null } })
  const completed = welcomes.filter(({ actions }) => JSON.stringify(actions).includes('completedAt'))
  expect(completed).toHaveLength(5)
  expect(welcomes.every(({ actions }) => JSON.stringify(actions).includes('"target":"_blank"'))).toBe(true)

  expect(await client.act('createExampleEnvironment', {}, selection)).toMatchObject({
    environment: null,
    userErrors: [{ code: 'CONFLICT', message: 'An environment named "Demo" already exists', field: ['name'] }],
  })
})

test('is not created by a READ_ONLY key', async () => {
  const { newApiKey } = await world.development.act(
    'createApiKey',
    { name: 'Reader', access: 'READ_ONLY' },
    'newApiKey { key }',
  )
  const { errors } = await world
    .client(newApiKey.key)
    .send('mutation { createExampleEnvironment(input: { name: "Read" }) { userErrors { code } } }')
  expect(errors).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }])
  expect(await named('Read')).toBe(0)
})

test('is deleted if it cannot be filled', async () => {
  const { pool } = world.database
  await pool.query(`ALTER TABLE workflows ADD CONSTRAINT unfilled CHECK (identifier <> 'comment-added') NOT VALID`)
  const { errors } = await world.development.send(
    'mutation { createExampleEnvironment(input: { name: "Half" }) { userErrors { code } } }',
  )
  await pool.query('ALTER TABLE workflows DROP CONSTRAINT unfilled')
  expect(errors).toMatchObject([{ extensions: { code: 'INTERNAL_SERVER_ERROR' } }])
  expect(await named('Half')).toBe(0)
})
