// Addresses: each operation on one object finds it by its own name and by its node id, and requires exactly one of both.
import { getNamedType, isLeafType, isObjectType } from 'graphql'
import { beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { encodeNodeId } from '../../src/graphql/schema/node-id.ts'
import { schema } from '../../src/graphql/graph/schema.ts'
import { browserOf } from '../support/browser.ts'
import { type Address, addresses, idFieldOf, nodeIdIn, queryOf } from '../support/tenancy/address.ts'
import { ada, copyEnvironment, furnish, type Furnished } from '../support/furnish.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()

let furnished: Furnished
beforeAll(async () => {
  furnished = await furnish(world, await world.environment(), ada)
  // Only a failed event can be retried.
  await world.database.pool.query(`UPDATE events SET reason = 'fan_out_failed'`)
})

type Input = Readonly<Record<string, unknown>>

const payload = z.looseObject({
  userErrors: z.array(z.looseObject({ code: z.string(), message: z.string(), field: z.array(z.string()).nullable() })),
})
type Payload = z.output<typeof payload>

/** The parts of payloads that are new each time. */
const random: readonly string[] = ['secret', 'token']

/** The fields of a payload that tell which object was found. */
function toldBy({ operation, type }: Address): string {
  const field = schema.getMutationType()?.getFields()[operation]
  const of = field && getNamedType(field.type)
  if (!isObjectType(of)) throw new Error(`${operation} has no payload`)
  return Object.values(of.getFields())
    .flatMap(({ name, type: told }) => {
      const found = getNamedType(told)
      if (found.name === type) return `${name} { id }`
      return isLeafType(found) && !random.includes(name) ? name : []
    })
    .join(' ')
}

async function mutate(address: Address, { client }: Furnished, named: Input): Promise<Payload> {
  const answer: unknown = await client.act(address.operation, { ...address.others, ...named }, toldBy(address))
  return payload.parse(answer)
}

/** An environment cannot delete itself, and the provider of the furnished integration sends no reports, however they are named. */
const rejections: Readonly<Record<string, string>> = {
  deleteEnvironment: 'CONFLICT',
  rotateInboundWebhookToken: 'BAD_USER_INPUT',
}
const codesOf = ({ operation }: Address) =>
  Object.entries(rejections).flatMap(([name, code]) => (name === operation ? code : []))

const titled = addresses.map((address) => ({ title: `${address.kind}.${address.operation}`, address }))
const ofKind = (kind: Address['kind']) => titled.filter(({ address }) => address.kind === kind)

describe('the own name and the node id find the same object', () => {
  test.each(ofKind('Query'))('$title', async ({ address }) => {
    const { client } = furnished
    const byName = await client.ask<object>(queryOf(address, await address.named(ada, client)))
    const byId = await client.ask<object>(queryOf(address, nodeIdIn(address, furnished)))
    const [found] = Object.values(byName)
    expect(found).not.toBeNull()
    if (address.selected === undefined) expect(Object.keys(Object(found))).toContain('subscriber')
    else expect(byId).toEqual(byName)
  })

  test.each(ofKind('Mutation'))('$title', async ({ address }) => {
    const [one, other] = [await copyEnvironment(world, furnished), await copyEnvironment(world, furnished)]
    const byName = await mutate(address, one, await address.named(ada, one.client))
    const byId = await mutate(address, other, nodeIdIn(address, other))
    const codes = codesOf(address)
    for (const { userErrors } of [byName, byId]) expect(userErrors.map(({ code }) => code)).toEqual(codes)
    if (codes.length === 0 && address.type !== 'Environment') expect(byId).toEqual(byName)
  })
})

describe('exactly one of both is required', () => {
  /** The error of a request, in words. */
  async function messageOf(address: Address, named: Input): Promise<string> {
    if (address.kind === 'Mutation') {
      const { userErrors } = await mutate(address, furnished, named)
      expect(userErrors).toMatchObject([{ code: 'BAD_USER_INPUT', field: [expect.any(String)] }])
      return userErrors[0]?.message ?? ''
    }
    const { errors } = await furnished.client.send(queryOf(address, named))
    expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }])
    return errors[0]?.message ?? ''
  }

  test.each(titled)('$title', async ({ address }) => {
    const own = await address.named(ada, furnished.client)
    const fields = [...Object.keys(own), idFieldOf(address)]
    for (const named of [{}, { ...own, ...nodeIdIn(address, furnished) }]) {
      const message = await messageOf(address, named)
      for (const field of fields) expect(message).toMatch(new RegExp(`\\b${field}\\b`))
    }
    // Null stands for an absent field.
    const [first = ''] = fields
    if (address.kind === 'Mutation') expect(await messageOf(address, { [first]: null })).toMatch(/required$/)
    const ofAnotherType = encodeNodeId('Erasure', world.gateway.newId())
    const message = await messageOf(address, { [idFieldOf(address)]: ofAnotherType })
    expect(message).toBe(`${idFieldOf(address)} must be a node id of the type ${address.type}`)
  })
})

test('a name with several fields must be complete', async () => {
  const { client } = furnished
  const { errors } = await client.send('{ topicSubscription(topicKey: "orders") { id } }')
  expect(errors).toMatchObject([{ message: 'topicKey and identifier, or id, are required' }])
})

test('a browser session names its own subscriber by node id, and no other', async () => {
  const { client } = await copyEnvironment(world, furnished)
  const { subscriber } = await client.act('createSubscriber', { subscriberId: 'joan' }, 'subscriber { id }')
  const joan = await browserOf(world, client, 'joan')
  const own = await joan.act(
    'updateSubscriberPreferences',
    { id: subscriber.id, enabled: false },
    'preferences { enabled }',
  )
  expect(own).toEqual({ preferences: { enabled: false }, userErrors: [] })
  const { errors } = await joan.send(
    'mutation ($id: ID!) { updateSubscriberPreferences(input: { id: $id, enabled: false }) { userErrors { code } } }',
    { id: furnished.ids['Subscriber'] },
  )
  expect(errors).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }])
})

test('the identifier of an update of an integration is the new one', async () => {
  const { client } = await copyEnvironment(world, furnished)
  const changed = { currentIdentifier: ada.integration, identifier: 'renamed' }
  const { integration, userErrors } = await client.act('updateIntegration', changed, 'integration { identifier }')
  expect(userErrors).toEqual([])
  expect(integration).toEqual({ identifier: 'renamed' })
})
