// Random requests to both doors: none ends in a fault, whatever its values are. Each run sends the same requests.
import { expect, test } from 'vitest'
import { chanceOf, type Chance } from '../support/chance.ts'
import { ada, furnish, grace } from '../support/furnish.ts'
import { onServer } from '../support/on-server.ts'
import { type Known, randomOperation } from '../support/random-operation.ts'
import { randomRoute } from '../support/random-route.ts'
import { type Client, useWorld } from '../support/world.ts'

const world = useWorld({ ownDatabase: true, rates: 'off', allowPrivateAddresses: false })

/** Each database receives other requests. */
const REQUESTS = 25_000

/** What leaves the process, for as long as the other end takes. */
const left: ReadonlySet<string> = new Set(['sendTestMessage'])

const namesOf = (names: typeof ada): Known['names'] => ({
  subscriberId: [names.subscriberId],
  subscriberIds: [names.subscriberId],
  identifier: [names.integration, names.endpoint, names.subscription, names.workflow],
  workflowId: [names.workflow],
  workflowIdentifier: [names.workflow],
  integrationIdentifier: [names.integration],
  connectionIdentifier: [names.connection],
  name: [names.workflow],
  topicKey: [names.topic],
  key: [names.topic, `tenant:${names.tenant}`],
  contextKeys: [`tenant:${names.tenant}`],
  type: ['tenant', 'Topic', 'Subscriber'],
  transactionId: [names.transaction],
  exclude: [names.subscriberId],
})

/** Names and node ids of the environment itself and, at times, of another one. */
function merged(own: Known, other: Known): Known {
  const names = Object.entries(own.names).map(([name, values]) => [
    name,
    [...values, ...values, ...values, ...(other.names[name] ?? [])],
  ])
  return {
    names: Object.fromEntries(names) as Known['names'],
    nodeIds: [...own.nodeIds, ...own.nodeIds, ...own.nodeIds, ...other.nodeIds],
  }
}

/** Sends one random request. @returns its status, and the request. */
async function sendOne(chance: Chance, known: Known, client: Client): Promise<readonly [number, string]> {
  const headers = { authorization: `ApiKey ${client.key}`, 'content-type': 'application/json' }
  const send = async (method: string, path: string, body: string | undefined) => {
    const request = { method, headers, ...(body !== undefined && method !== 'GET' && { body }) }
    const response = await world.app.fetch(new Request(`http://gateway.test${path}`, request))
    await response.arrayBuffer()
    return [response.status, `${method} ${path} ${body ?? ''}`] as const
  }
  if (chance.once(2)) return send('POST', '/graphql', JSON.stringify(randomOperation(chance, known, left)))
  const { method, path, body } = randomRoute(chance, known)
  return send(method, path, body)
}

test('no random request ends in a fault', { timeout: 900_000 }, async () => {
  const [own, other] = [await world.environment(), await world.environment()]
  // Leaves out the environment, which would be deleted.
  const knownOf = async (client: Client, names: typeof ada): Promise<Known> => {
    const { Environment: _environment, ...ids } = (await furnish(world, client, names)).ids
    return { names: namesOf(names), nodeIds: Object.values(ids) }
  }
  const known = merged(await knownOf(own, ada), await knownOf(other, grace))
  const { newApiKey } = await own.act('createApiKey', { name: 'reader', access: 'READ_ONLY' }, 'newApiKey { key }')
  const reader = world.client(newApiKey.key)
  const chance = chanceOf(onServer ? 2 : 1)
  const faults = new Map<string, string>()
  const statuses = new Map<number, number>()
  for (let sent = 0; sent < REQUESTS; sent += 1) {
    world.logged.length = 0
    const [status, request] = await sendOne(chance, known, chance.once(10) ? reader : own)
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
    const logged = world.logged.find(({ level }) => Number(level) >= 50)
    if (status < 500 && logged === undefined) continue
    const cause = JSON.stringify(logged ?? { status }).slice(0, 600)
    const kind = cause.replaceAll(/[0-9a-f-]{20,}|\d+/g, '#').slice(0, 200)
    if (!faults.has(kind)) faults.set(kind, `${request.slice(0, 800)}\n${cause}`)
  }
  expect([...faults.values()].join('\n\n')).toBe('')
  // The requests reach the resolvers: most are rejected, but many are not.
  expect(statuses.get(200)).toBeGreaterThan(REQUESTS / 10)
})
