// The search across nouns: what it finds, in which order, for whom, and from which indexes.
import { beforeAll, describe, expect, test } from 'vitest'
import { createWorkflow } from '../support/delivery/story.ts'
import { browserOf, publicCallerOf } from '../support/browser.ts'
import { plansOf, statementsOf } from '../support/statements.ts'
import { type Client, useWorld } from '../support/world.ts'

const world = useWorld()
let gateway: Client

const query = `query ($query: String!, $first: Int) {
  search(query: $query, first: $first) {
    __typename
    ... on Subscriber { subscriberId }
    ... on Workflow { identifier }
    ... on Event { transactionId }
    ... on Topic { key }
    ... on Integration { identifier }
  }
}`

/** The results as `Type name`. */
async function found(text: string, first?: number, client = gateway): Promise<string[]> {
  const { search } = await client.ask<{ search: readonly Record<string, string>[] }>(query, { query: text, first })
  return search.map((result) => Object.values(result).join(' '))
}

beforeAll(async () => {
  gateway = await world.environment()
  await gateway.act('createSubscribers', {
    subscribers: [
      { subscriberId: 'release', email: 'zed@example.com' },
      { subscriberId: 'user-1', firstName: 'Ada', lastName: 'Lovelace', email: 'ada@release.example' },
      { subscriberId: 'user-2', firstName: 'Grace', email: 'grace@example.com' },
    ],
  })
  await createWorkflow(gateway, [{ inApp: { body: 'Hello' } }])
  await gateway.act('createWorkflow', { identifier: 'release-announced', name: 'News' })
  await gateway.act('createWorkflow', { identifier: 'news', name: 'Release of a version' })
  await gateway.act('createTopic', { key: 'releases', name: 'All of them' })
  await gateway.act('createTopic', { key: 'versions', name: 'Release notes' })
  await gateway.act('createIntegration', { identifier: 'acme-release', providerId: 'SLACK', name: 'Chat' })
  await gateway.act('createIntegration', { identifier: 'mail', providerId: 'EMAIL_WEBHOOK', name: 'Release mail' })
  await gateway.act('triggerEvent', {
    workflowIdentifier: 'news',
    to: [{ subscriber: { subscriberId: 'user-1' } }],
    transactionId: 'release',
  })
  const other = await world.environment()
  await other.act('createSubscriber', { subscriberId: 'release-theirs' })
  await other.act('createTopic', { key: 'release' })
})

describe('a search', () => {
  test('finds everything with a text, by type, what has exactly this name first and others newest first', async () => {
    expect(await found('Release')).toEqual([
      'Subscriber user-1',
      'Subscriber release',
      'Workflow news',
      'Workflow release-announced',
      'Topic versions',
      'Topic releases',
      'Integration mail',
      'Integration acme-release',
    ])
    const exact = await found('release')
    expect(exact.slice(0, 2)).toEqual(['Subscriber release', 'Subscriber user-1'])
    expect(exact).toContain('Event release')
  })

  test.each([
    ['an email address', 'grace@', ['Subscriber user-2']],
    ['a name of two words', 'ada love', ['Subscriber user-1']],
    ['a key, whatever surrounds the text', '  versions ', ['Topic versions']],
    ['the beginning of a name, for two letters', 'gr', ['Subscriber user-2']],
    ['no part of a transaction id', 'releas', []],
    ['nothing of another environment', 'release-theirs', []],
    ['a percent sign, literally', 'r%lease', []],
  ])('finds %s', async (_what, text, expected) => {
    expect((await found(text)).filter((name) => text !== 'releas' || name.startsWith('Event'))).toEqual(expected)
  })

  test('returns as many of each type as asked for', async () => {
    expect(await found('release', 1)).toEqual([
      'Subscriber release',
      'Workflow news',
      'Event release',
      'Topic versions',
      'Integration mail',
    ])
  })

  test.each([
    ['an empty text', { query: ' ' }, 'query'],
    ['a text of 256 characters', { query: 'x'.repeat(256) }, 'query'],
    ['none of each', { query: 'release', first: 0 }, 'first'],
    ['21 of each', { query: 'release', first: 21 }, 'first'],
  ])('rejects %s', async (_what, variables, field) => {
    const { errors } = await gateway.send(query, variables)
    expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT', field: [field] } }])
  })

  test('is for callers that read the environment, and not for browsers', async () => {
    const { newApiKey } = await gateway.act(
      'createApiKey',
      { name: 'Reader', access: 'READ_ONLY' },
      'newApiKey { key }',
    )
    expect(await found('grace@', 5, world.client(newApiKey.key))).toEqual(['Subscriber user-2'])
    for (const caller of [await browserOf(world, gateway, 'user-1'), await publicCallerOf(world, gateway)]) {
      const { errors } = await caller.send(query, { query: 'grace' })
      expect(errors).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }])
    }
  })

  test('sends at most two statements for each type', async () => {
    const { length: authenticating } = await statementsOf(() => gateway.ask('{ __typename }'))
    const sent = await statementsOf(() => found('release'))
    expect(sent.length - authenticating).toBeLessThanOrEqual(9)
  })
})

describe('in a large environment, a search', () => {
  let large: Client
  beforeAll(async () => {
    large = await world.environment()
    await large.act('createIntegration', { identifier: 'first', providerId: 'SLACK' })
    await world.database.pool.query(
      `INSERT INTO integrations (environment_id, id, identifier, name, provider_id, channel, active, created_at, updated_at)
       SELECT environment_id, gen_random_uuid(), 'integration-' || n, 'Number ' || n, 'slack', 'chat', true, now(), now()
       FROM integrations, generate_series(1, 20000) AS n WHERE identifier = 'first'`,
    )
    await world.database.pool.query('VACUUM ANALYZE integrations')
  })

  test('finds a part of an integration with the trigram index', async () => {
    const plans = await plansOf(world.database.pool, '"integrations"', () => found('14321', 5, large))
    expect(plans.join()).toContain('integrations_search_idx')
    expect(plans.join()).not.toContain('Seq Scan')
  })

  test('finds the beginning of an integration with the indexes of both fields', async () => {
    const plans = await plansOf(world.database.pool, '"integrations"', () => found('zq', 5, large))
    for (const field of ['identifier', 'name']) expect(plans.join()).toContain(`integrations_lower_${field}_idx`)
    expect(plans.join()).not.toContain('Seq Scan')
  })
})
