// Versions of workflows and integrations: a change that is based on an older version is rejected.
import { beforeEach, describe, expect, test } from 'vitest'
import { onServer } from '../support/on-server.ts'
import { type Client, useWorld } from '../support/world.ts'

const world = useWorld()
let acme: Client

beforeEach(async () => {
  acme = await world.environment()
})

interface Stored {
  readonly id: string
  readonly identifier: string
  readonly name: string
  readonly version: number
}

/** The payload of a mutation of either noun. */
interface Payload {
  readonly object: Stored | null
  readonly userErrors: readonly { readonly code: string; readonly message: string; readonly field: readonly string[] }[]
}

/** A noun whose changes can name the version that they are based on. */
interface Versioned {
  readonly noun: 'Workflow' | 'Integration'
  readonly path: `/${string}`
  readonly fields: object
  readonly named: (object: Stored) => object
}

const nouns: readonly Versioned[] = [
  {
    noun: 'Workflow',
    path: '/v2/workflows',
    fields: { identifier: 'welcome', name: 'Welcome' },
    named: ({ identifier }) => ({ identifier }),
  },
  {
    noun: 'Integration',
    path: '/v1/integrations',
    fields: {
      identifier: 'mail',
      name: 'Welcome',
      providerId: 'EMAIL_WEBHOOK',
      credentials: { webhookUrl: 'http://a.test' },
    },
    named: ({ id }) => ({ id }),
  },
]

describe.each(nouns)('the version of a $noun', ({ noun, path, fields, named }) => {
  const field = noun.toLowerCase()

  async function act(verb: 'create' | 'update', input: object): Promise<Payload> {
    const { result } = await acme.ask<{ result: Payload }>(
      `mutation ($input: ${verb === 'create' ? 'Create' : 'Update'}${noun}Input!) {
        result: ${verb}${noun}(input: $input) {
          object: ${field} { id identifier name version }
          userErrors { code message field }
        }
      }`,
      { input },
    )
    return result
  }
  async function create(): Promise<Stored> {
    const { object } = await act('create', fields)
    if (object === null) throw new Error('not created')
    return object
  }
  const change = (object: Stored, input: object) => act('update', { ...named(object), ...input })
  async function remove(object: Stored, expectedVersion: number) {
    const { result } = await acme.ask<{ result: { deletedId: string | null; userErrors: Payload['userErrors'] } }>(
      `mutation ($input: Delete${noun}Input!) {
        result: delete${noun}(input: $input) { deletedId userErrors { code message field } }
      }`,
      { input: { ...named(object), expectedVersion } },
    )
    return result
  }

  test('is 1 at first, and each change increments it', async () => {
    const created = await create()
    expect(created.version).toBe(1)
    expect(await change(created, { name: 'Hello' })).toMatchObject({ object: { name: 'Hello', version: 2 } })
    expect(await change(created, { active: false, expectedVersion: 2 })).toMatchObject({ object: { version: 3 } })
  })

  test('counts changes of processes that do not know it', async () => {
    const created = await create()
    await world.database.pool.query(`UPDATE ${field}s SET name = 'Hello' WHERE name = 'Welcome'`)
    expect(await change(created, { name: 'Mine', expectedVersion: 1 })).toMatchObject({ object: null })
    expect(await change(created, { name: 'Mine', expectedVersion: 2 })).toMatchObject({ object: { version: 3 } })
  })

  test('rejects a change and a deletion that are based on an older one, and names both', async () => {
    const created = await create()
    await change(created, { name: 'Hello', expectedVersion: 1 })
    const error = {
      code: 'CONFLICT',
      field: ['expectedVersion'],
      message: expect.stringMatching(/has changed: expected version 1, but the present version is 2$/),
    }
    expect(await change(created, { name: 'Mine', expectedVersion: 1 })).toEqual({ object: null, userErrors: [error] })
    expect(await remove(created, 1)).toEqual({ deletedId: null, userErrors: [error] })
    expect(await remove(created, 2)).toEqual({ deletedId: created.id, userErrors: [] })
    expect(await change(created, { name: 'Gone', expectedVersion: 2 })).toMatchObject({
      userErrors: [{ code: 'NOT_FOUND' }],
    })
  })

  test('is the ETag at REST, and If-Match names the expected one', async () => {
    const { identifier } = await create()
    const { body, headers } = await acme.rest(`GET ${path}/${identifier}`)
    expect(body).toMatchObject({ identifier, version: 1 })
    expect(headers.get('etag')).toBe('"1"')
    const name = noun === 'Integration' ? body._id : identifier
    const put = (ifMatch: string, to: string) =>
      acme.rest(`PUT ${path}/${name}`, { body: { name: to }, headers: { 'If-Match': ifMatch } })
    const changed = await put('"1"', 'Hello')
    expect(changed.status).toBe(200)
    expect(changed.headers.get('etag')).toBe('"2"')
    expect((await acme.rest(`GET ${path}/${name}`)).headers.get('etag')).toBe('"2"')
    expect(await put('"1"', 'Mine')).toMatchObject({
      status: 412,
      body: { statusCode: 412, ctx: { expectedVersion: 1, presentVersion: 2 } },
    })
    for (const foreign of ['W/"2"', '"two"']) expect((await put(foreign, 'Mine')).status).toBe(412)
    for (const malformed of ['2', '"1", "2"']) expect((await put(malformed, 'Mine')).status).toBe(400)
    expect((await acme.rest(`PUT ${path}/${name}`, { body: { name: 'Mine', expectedVersion: 1 } })).status).toBe(412)
    expect((await put('*', 'Anyway')).status).toBe(200)
    const remove = (ifMatch: string) => acme.rest(`DELETE ${path}/${name}`, { headers: { 'If-Match': ifMatch } })
    expect((await remove('"1"')).status).toBe(412)
    expect((await remove('"3"')).status).toBe(204)
    expect((await put('*', 'Gone')).status).toBe(404)
  })

  test.runIf(onServer)('lets exactly one of several changes at the same time win', async () => {
    const created = await create()
    const names = Array.from({ length: 8 }, (_, index) => `Editor ${index}`)
    const answers = await Promise.all(names.map((name) => change(created, { name, expectedVersion: 1 })))
    const winners = answers.flatMap(({ object }) => (object === null ? [] : [object]))
    expect(winners).toHaveLength(1)
    const { body } = await acme.rest(`GET ${path}/${created.identifier}`)
    expect(body).toMatchObject({ name: winners[0]?.name, version: 2 })
  })
})

test('a new primary integration changes the version of the one before, and its own once', async () => {
  const create = async (identifier: string) => {
    const input = { identifier, providerId: 'SENDGRID', active: false, primary: true }
    return (await acme.act('createIntegration', input, 'integration { id version }')).integration
  }
  const first = await create('first')
  await create('second')
  const versionAfter = async (name: string, expectedVersion: number) => {
    const input = { id: first.id, primary: true, name, expectedVersion }
    return (await acme.act('updateIntegration', input, 'integration { version }')).integration.version
  }
  expect(await versionAfter('First', 2)).toBe(3)
  expect(await versionAfter('Still', 3)).toBe(4)
})

/** A noun that several people edit, of which only the change can name a version. */
const edited = {
  Subscriber: {
    create: 'createSubscriber(input: { subscriberId: "ada" }) { userErrors { message } }',
    address: 'subscriberId: "ada"',
    change: (text: string) => `firstName: "${text}"`,
    read: 'subscriber(subscriberId: "ada") { version }',
    path: '/v2/subscribers/ada',
    body: { firstName: 'Third' },
  },
  Topic: {
    create: 'createTopic(input: { key: "news" }) { userErrors { message } }',
    address: 'key: "news"',
    change: (text: string) => `name: "${text}"`,
    read: 'topic(key: "news") { version }',
    path: '/v2/topics/news',
    body: { name: 'Third' },
  },
  Context: {
    create: 'createContext(input: { type: "tenant", identifier: "acme" }) { userErrors { message } }',
    address: 'key: "tenant:acme"',
    change: (text: string) => `data: { name: "${text}" }`,
    read: 'context(key: "tenant:acme") { version }',
    path: '/v2/contexts/tenant/acme',
    body: { data: { name: 'Third' } },
  },
  TopicSubscription: {
    create: `createSubscriber(input: { subscriberId: "ada" }) { userErrors { message } }
      createTopicSubscriptions(input: { topicKey: "news", subscriptions: [{ subscriberId: "ada", identifier: "daily" }] }) {
        userErrors { message }
      }`,
    address: 'topicKey: "news", identifier: "daily"',
    change: (text: string) => `name: "${text}"`,
    read: 'topicSubscription(topicKey: "news", identifier: "daily") { version }',
    path: '/v2/topics/news/subscriptions/daily',
    body: { name: 'Third' },
  },
  ChannelEndpoint: {
    create: `createSubscriber(input: { subscriberId: "ada" }) { userErrors { message } }
      createIntegration(input: { identifier: "sms", providerId: TWILIO, active: false }) { userErrors { message } }
      createChannelEndpoint(input: {
        identifier: "phone", subscriberId: "ada", integrationIdentifier: "sms", endpoint: { phone: { phoneNumber: "+4915112345671" } }
      }) { userErrors { message } }`,
    address: 'identifier: "phone"',
    change: (text: string) => `endpoint: { phone: { phoneNumber: "+49151123456${text.length}" } }`,
    read: 'channelEndpoint(identifier: "phone") { version }',
    path: '/v1/channel-endpoints/phone',
    body: { endpoint: { phoneNumber: '+4915112345679' } },
  },
} as const

describe.each(Object.entries(edited))('the version of a %s', (noun, { create, address, change, read, path, body }) => {
  const update = async (expectedVersion: number, text: string) => {
    const { result } = await acme.ask<{ result: { userErrors: Payload['userErrors'] } }>(`mutation {
      result: update${noun}(input: { ${address}, ${change(text)}, expectedVersion: ${expectedVersion} }) {
        userErrors { code message field }
      }
    }`)
    return result.userErrors
  }
  const version = async () => {
    const { object } = await acme.ask<{ object: { version: number } }>(`{ object: ${read} }`)
    return object.version
  }

  test('rejects a change that is based on an older one, in the graph and at REST', async () => {
    await acme.ask(`mutation { ${create} }`)
    expect(await version()).toBe(1)
    expect(await update(1, 'One')).toEqual([])
    expect(await update(1, 'Two more')).toMatchObject([
      { code: 'CONFLICT', field: ['expectedVersion'], message: expect.stringMatching(/expected version 1, .* is 2$/) },
    ])
    expect(await version()).toBe(2)
    const patch = (ifMatch: string) => acme.rest(`PATCH ${path}`, { body, headers: { 'If-Match': ifMatch } })
    expect(await patch('"1"')).toMatchObject({ status: 412 })
    expect((await patch('"2"')).headers.get('etag')).toBe('"3"')
    expect((await acme.rest(`GET ${path}`)).headers.get('etag')).toBe('"3"')
    expect((await acme.rest(`PATCH ${path}`, { body: { ...body, expectedVersion: 2 } })).status).toBe(412)
    expect((await acme.rest(`PATCH ${path}`, { body: { ...body, expectedVersion: 2 ** 31 } })).status).toBe(422)
  })
})

test('the version of an environment rejects a change that is based on an older one', async () => {
  const environment = async () =>
    (await acme.ask<{ environment: Stored }>('{ environment { id name version } }')).environment
  const { id, version } = await environment()
  const rename = (name: string) => acme.rest(`PUT /v1/environments/${id}`, { body: { name, expectedVersion: version } })
  const act = (name: string) =>
    acme.ask<{ result: { userErrors: Payload['userErrors'] } }>(
      'mutation ($input: UpdateEnvironmentInput!) { result: updateEnvironment(input: $input) { userErrors { code } } }',
      { input: { id, name, expectedVersion: version } },
    )
  expect((await act('First')).result.userErrors).toEqual([])
  expect((await act('Second')).result.userErrors).toEqual([{ code: 'CONFLICT' }])
  expect((await rename('Third')).status).not.toBe(200)
  expect(await environment()).toMatchObject({ name: 'First', version: version + 1 })
})

test('what uses a context does not change its version', async () => {
  await acme.ask('mutation { createContext(input: { type: "tenant", identifier: "acme" }) { userErrors { message } } }')
  await world.database.pool.query("UPDATE contexts SET last_used_at = now() - interval '2 days'")
  await acme.ask(`mutation {
    createSubscriber(input: { subscriberId: "ada" }) { userErrors { message } }
    createTopicSubscriptions(input: {
      topicKey: "news", subscriptions: [{ subscriberId: "ada" }], contexts: [{ type: "tenant", identifier: "acme" }]
    }) { userErrors { message } }
  }`)
  expect(await acme.ask('{ context(key: "tenant:acme") { version } }')).toEqual({ context: { version: 1 } })
})
