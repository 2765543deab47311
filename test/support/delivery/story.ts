// Helpers that create workflows, trigger them, and read the execution log.
import { expect } from 'vitest'
import type { PayloadOf } from '../graph.ts'
import type { Client, World } from '../world.ts'

/** Runs a mutation and expects no user errors. */
export async function done<const Name extends string, const Fields extends string = ''>(
  client: Client,
  mutation: Name,
  input: object,
  fields?: Fields,
): Promise<PayloadOf<Name, Fields>> {
  const payload = await client.act(mutation, { ...input }, fields)
  expect(payload).toMatchObject({ userErrors: [] })
  return payload
}

/** Creates the workflow `order` with these steps; `more` overrides the input. */
export const createWorkflow = (client: Client, steps: readonly object[], more: object = {}) =>
  done(client, 'createWorkflow', { identifier: 'order', name: 'Order', steps, ...more })

/** Creates an integration of a generic provider that calls `webhookUrl`. @returns its node id. */
export async function createIntegration(
  client: Client,
  providerId: string,
  webhookUrl: string,
  more: object = {},
): Promise<string> {
  const input = { identifier: providerId.toLowerCase(), providerId, credentials: { webhookUrl }, ...more }
  const { integration } = await done(client, 'createIntegration', input, 'integration { id }')
  return integration.id
}

/** Makes integrations active that cannot deliver, as those of earlier versions are. */
export const activateAll = ({ database }: Pick<World, 'database'>) =>
  database.pool.query('UPDATE integrations SET active = true, awaits_setup = false WHERE awaits_setup')

/** Triggers `order` for Ada; `more` overrides the body. @returns the transaction id. */
export async function trigger(client: Client, more: object = {}): Promise<string> {
  const { status, body } = await client.rest('POST /v1/events/trigger', { body: { name: 'order', to: 'ada', ...more } })
  expect({ status, body }).toMatchObject({ status: 201, body: { status: 'processed' } })
  return body.transactionId
}

export const storyFields = `
  id status error subscriberId createdAt updatedAt
  steps {
    stepId type status reason detail cause dueAt createdAt updatedAt
    deliveries {
      id channel providerId integrationIdentifier destination subject body status cause
      attempts { number error status answer startedAt endedAt }
    }
  }`

/** The runs of an event, by the subscriberIds of their recipients. */
export async function storyOf(client: Client, transactionId: string) {
  const { event } = await client.ask(
    `query ($id: String!) { event(transactionId: $id) { runs(first: 20) { nodes { ${storyFields} } } } }`,
    { id: transactionId },
  )
  return Object.fromEntries(event.runs.nodes.map((run) => [run.subscriberId, run]))
}

/** Ada's run of an event. */
export async function adasRun(client: Client, transactionId: string) {
  const { ada } = await storyOf(client, transactionId)
  if (ada === undefined) throw new Error('Ada has no run')
  return ada
}

/** The outcome of each step in Ada's run: its status, followed by its reason if there is one. */
export async function outcomes(client: Client, transactionId: string): Promise<Record<string, string>> {
  const { steps } = await adasRun(client, transactionId)
  return Object.fromEntries(
    steps.map(({ stepId, status, reason }) => [stepId, reason === null ? status : `${status} ${reason}`]),
  )
}

/** The notifications in a feed, oldest first. */
export async function feedOf(client: Client, subscriberId = 'ada', contextKeys: readonly string[] = []) {
  const query = contextKeys.map((key) => `contextKeys=${encodeURIComponent(key)}`).join('&') || 'contextKeys='
  const { body } = await client.rest(`GET /v2/subscribers/${subscriberId}/notifications?limit=100&${query}`)
  return body.data.toReversed()
}

export const bodiesOf = async (...feed: Parameters<typeof feedOf>) => (await feedOf(...feed)).map(({ body }) => body)
