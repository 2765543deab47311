// The lists of a context: what has exactly this context, and nothing of another one or of another environment.
import { expect, test } from 'vitest'
import { createWorkflow, done, trigger } from '../support/delivery/story.ts'
import { statementsOf } from '../support/statements.ts'
import { type Client, useWorld } from '../support/world.ts'

const world = useWorld()
const acme = [{ type: 'tenant', identifier: 'acme' }]

const query = `{
  contexts(orderBy: { direction: ASC }) {
    nodes {
      key
      events { totalCount nodes { transactionId } }
      workflowRuns { nodes { event { transactionId } } }
      channelEndpoints { nodes { identifier } }
      topicSubscriptions { nodes { identifier } }
    }
  }
}` as const

/** One object of each kind with the context tenant:acme, with two contexts, and without. */
async function furnish(client: Client, prefix: string): Promise<void> {
  await createWorkflow(client, [{ inApp: { stepId: 'bell', body: 'Hello' } }])
  await done(client, 'createSubscriber', { subscriberId: 'ada' })
  await done(client, 'createIntegration', { identifier: 'slack', providerId: 'SLACK' })
  for (const [name, contexts] of [
    ['one', acme],
    ['two', [...acme, { type: 'app', identifier: 'web' }]],
    ['none', []],
  ] as const) {
    const identifier = `${prefix}-${name}`
    await trigger(client, {
      transactionId: identifier,
      context: Object.fromEntries(contexts.map(({ type, identifier }) => [type, identifier])),
    })
    await done(client, 'createChannelEndpoint', {
      ...{ identifier, subscriberId: 'ada', integrationIdentifier: 'slack', contexts },
      endpoint: { workspaceChatUser: { userId: `U${name}` } },
    })
    const subscriptions = [{ subscriberId: 'ada', identifier }]
    await done(client, 'createTopicSubscriptions', { topicKey: 'news', subscriptions, contexts })
  }
  await world.work()
}

test('a context has the events, runs, endpoints and subscriptions with exactly this context', async () => {
  const client = await world.environment()
  await furnish(client, 'ours')
  await furnish(await world.environment(), 'theirs')
  const { contexts } = await client.ask(query)
  const transactionId = 'ours-one'
  expect(contexts.nodes.find(({ key }) => key === 'tenant:acme')).toEqual({
    key: 'tenant:acme',
    events: { totalCount: 1, nodes: [{ transactionId }] },
    workflowRuns: { nodes: [{ event: { transactionId } }] },
    channelEndpoints: { nodes: [{ identifier: transactionId }] },
    topicSubscriptions: { nodes: [{ identifier: transactionId }] },
  })
  expect(contexts.nodes.find(({ key }) => key === 'app:web')?.events.totalCount).toBe(0)
})

test('the lists of many contexts take one statement each', async () => {
  const client = await world.environment()
  await furnish(client, 'ours')
  const none = await statementsOf(() => client.ask('{ contexts { nodes { key } } }'))
  const all = await statementsOf(() =>
    client.ask(`{
      contexts { nodes {
        key events { nodes { id } } workflowRuns { nodes { id } }
        channelEndpoints { nodes { id } } topicSubscriptions { nodes { id } }
      } }
    }`),
  )
  expect(all).toHaveLength(none.length + 4)
})
