// Dashboard sessions: opened with an API key or a one-time code, and what ends them.
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { CODE_LIFETIME, createSignInCode, SIGN_IN_LIFETIME } from '../../src/domain/access/dashboard-session.ts'
import { operatorIn } from '../../src/domain/access/operator.ts'
import { createScope } from '../../src/domain/resolver/create-scope.ts'
import { decodeNodeId, encodeNodeId } from '../../src/graphql/schema/node-id.ts'
import { environmentIdOf } from '../support/environment-id.ts'
import { housekeepingOf } from '../support/housekeeping.ts'
import { post } from '../support/http.ts'
import { type Client, useWorld, type World } from '../support/world.ts'

const world = useWorld({ requestLog: true })
let acme: Client

beforeEach(async () => {
  acme = await world.environment()
})
afterEach(() => world.setClock(undefined))

const fields = `token dashboardSession { environment { id name } access permissions expiresAt }
  userErrors { code message field }`
const openOne = `mutation ($input: OpenDashboardSessionInput!) { openDashboardSession(input: $input) { ${fields} } }`
const whoami = '{ dashboardSession { environment { id name } access permissions expiresAt } }'
const follow = 'subscription { notificationReceived(subscriberId: "ada") { id } }'
const write = 'mutation { createTopic(input: { key: "news" }) { userErrors { code } } }'

/** Null if nobody may sign in. */
const opened = z.looseObject({ token: z.string().nullable(), userErrors: z.array(z.unknown()) })

/** Opens a session without an Authorization header. @returns the payload. */
async function signIn(input: object, on: World = world) {
  const { text } = await post(on, { query: openOne, variables: { input } }, { authorization: '' })
  return z.object({ data: z.object({ openDashboardSession: opened }) }).parse(JSON.parse(text)).data
    .openDashboardSession
}

async function sessionOf(input: object): Promise<Client> {
  const { token, userErrors } = await signIn(input)
  expect(userErrors).toEqual([])
  return world.client(token ?? '', 'Dashboard')
}

async function newKey(access: string, by = acme) {
  const { newApiKey } = await by.act('createApiKey', { name: access, access }, 'newApiKey { key apiKey { id } }')
  return { id: newApiKey.apiKey.id, key: newApiKey.key }
}

async function newCode(access: 'full' | 'read_only' | 'admin' = 'full', environment = acme): Promise<string> {
  const id = decodeNodeId(await environmentNode(environment)).id
  const scope = createScope(world.gateway, await operatorIn(world.gateway.db, id))
  return (await createSignInCode(scope, { access })).code
}

const environmentNode = async (client: Client): Promise<string> =>
  (await client.ask('{ environment { id } }')).environment.id

const messageOf = async (client: Client) => (await client.send(whoami)).errors[0]?.message
const countSessions = () => world.gateway.db.dashboardSession.count()

describe('opening a dashboard session', () => {
  test('with an API key gives its access to its environment for twelve hours, without an Authorization header', async () => {
    const now = new Date('2027-03-01T12:00:00Z')
    world.setClock(now)
    const { environment } = await acme.ask('{ environment { id name } }')
    const opened = await signIn({ apiKey: acme.key })
    const session = {
      environment,
      access: 'FULL',
      permissions: expect.arrayContaining(['topic:read', 'topic:write']),
      expiresAt: new Date(now.getTime() + SIGN_IN_LIFETIME).toISOString(),
    }
    expect(opened).toEqual({ token: expect.stringMatching(/^[\w-]{43}$/), dashboardSession: session, userErrors: [] })
    expect(await world.client(opened.token ?? '', 'Dashboard').ask(whoami)).toEqual({ dashboardSession: session })
  })

  test('answers a request without credentials as the new session sees it', async () => {
    const rights = `dashboardSession {
      environment { id viewerCanAdminister viewerCanDelete parent { viewerCanAdminister } }
    }`
    const query = `mutation ($input: OpenDashboardSessionInput!) {
      openDashboardSession(input: $input) { token ${rights} }
    }`
    const accesses = [
      ['full', true],
      ['read_only', false],
    ] as const
    for (const [access, viewerCanAdminister] of accesses) {
      const code = await newCode(access)
      const { text } = await post(world, { query, variables: { input: { code } } }, { authorization: '' })
      const environment = { id: await environmentNode(acme), viewerCanAdminister, viewerCanDelete: false, parent: null }
      const { data, errors } = z
        .object({
          data: z.object({ openDashboardSession: z.looseObject({ token: z.string() }) }),
          errors: z.unknown().optional(),
        })
        .parse(JSON.parse(text))
      const { token, dashboardSession } = data.openDashboardSession
      expect({ errors, dashboardSession }).toEqual({ errors: undefined, dashboardSession: { environment } })
      expect(await world.client(token, 'Dashboard').ask(`{ ${rights} }`)).toEqual({ dashboardSession })
    }
  })

  test('without success answers nothing more', async () => {
    const query = `mutation { openDashboardSession(input: { code: "unknown" }) {
      dashboardSession { environment { viewerCanAdminister } } userErrors { field }
    } }`
    const { text } = await post(world, { query }, { authorization: '' })
    expect(JSON.parse(text)).toEqual({
      data: { openDashboardSession: { dashboardSession: null, userErrors: [{ field: ['code'] }] } },
    })
  })

  test('with a code gives the access of the code to its environment', async () => {
    const { dashboardSession } = await signIn({ code: await newCode('read_only') })
    expect(dashboardSession).toMatchObject({
      environment: { id: await environmentNode(acme) },
      access: 'READ_ONLY',
      permissions: expect.not.arrayContaining(['topic:write']),
    })
  })

  test('needs exactly one credential', async () => {
    const message = 'exactly one of apiKey, code and environmentId is required'
    for (const input of [{}, { apiKey: acme.key, code: await newCode() }]) {
      expect(await signIn(input)).toMatchObject({ token: null, userErrors: [{ code: 'BAD_USER_INPUT', message }] })
    }
  })

  test('with an unknown or a revoked key is rejected without quoting the key', async () => {
    const { id, key } = await newKey('FULL')
    await acme.act('revokeApiKey', { id })
    for (const apiKey of [key, 'ng_nobodys']) {
      expect(await signIn({ apiKey })).toEqual({
        token: null,
        dashboardSession: null,
        userErrors: [{ code: 'NOT_FOUND', message: 'The API key is unknown or revoked', field: ['apiKey'] }],
      })
    }
  })

  test('stores neither the token nor the code', async () => {
    const code = await newCode()
    const tables = 'SELECT row_to_json(one)::text AS row FROM'
    const stored = async () => {
      const { rows } = await world.database.pool.query(
        `${tables} sign_in_codes AS one UNION ALL ${tables} dashboard_sessions AS one`,
      )
      return JSON.stringify(rows)
    }
    expect(await stored()).not.toContain(code)
    const { token } = await signIn({ code })
    expect(await stored()).not.toContain(token)
  })

  test('is in the log, and neither a token nor a code nor a key is', async () => {
    const code = await newCode()
    const { token } = await signIn({ code })
    await sessionOf({ apiKey: acme.key })
    await signIn({ code })
    await world.client(token ?? '', 'Dashboard').ask(whoami)
    const environmentId = await environmentIdOf(acme)
    expect(world.logged.filter((line) => line['environmentId'] === environmentId)).toMatchObject(
      expect.arrayContaining([
        expect.objectContaining({ msg: 'sign-in code created', actor: 'command line', access: 'full' }),
        expect.objectContaining({
          msg: 'dashboard session opened',
          session: { id: expect.any(String), access: 'full' },
        }),
        expect.objectContaining({
          msg: 'dashboard session opened',
          session: { id: expect.any(String), access: 'full', apiKeyId: expect.any(String) },
        }),
      ]),
    )
    const lines = JSON.stringify(world.logged)
    for (const secret of [code, token, acme.key]) expect(lines).not.toContain(secret)
  })
})

describe('a sign-in code', () => {
  test('works once', async () => {
    const code = await newCode()
    expect(await signIn({ code })).toMatchObject({ userErrors: [] })
    expect(await signIn({ code })).toMatchObject({
      token: null,
      userErrors: [{ code: 'NOT_FOUND', field: ['code'], message: expect.not.stringContaining(code) }],
    })
  })

  test('opens one session for requests at the same time', async () => {
    const code = await newCode()
    const before = await countSessions()
    const opened = await Promise.all(Array.from({ length: 8 }, () => signIn({ code })))
    expect(opened.filter(({ token }) => token !== null)).toHaveLength(1)
    expect(await countSessions()).toBe(before + 1)
  })

  test('expires after ten minutes', async () => {
    const now = new Date('2027-03-01T12:00:00Z')
    world.setClock(now)
    const [code, other] = [await newCode(), await newCode()]
    world.setClock(new Date(now.getTime() + CODE_LIFETIME - 1))
    expect(await signIn({ code })).toMatchObject({ userErrors: [] })
    world.setClock(new Date(now.getTime() + CODE_LIFETIME))
    expect(await signIn({ code: other })).toMatchObject({ userErrors: [{ code: 'NOT_FOUND' }] })
  })

  test('is not used up by a wrong code', async () => {
    const code = await newCode()
    expect(await signIn({ code: `${code}x` })).toMatchObject({ token: null, userErrors: [{ code: 'NOT_FOUND' }] })
    expect(await signIn({ code })).toMatchObject({ userErrors: [] })
  })

  test('is created by the command line only', async () => {
    const scope = createScope(world.gateway, {
      ...(await operatorIn(world.gateway.db, await environmentIdOf(acme))),
      kind: 'apiKey',
      apiKeyId: '',
    })
    await expect(createSignInCode(scope, { access: 'admin' })).rejects.toThrow('requires the command line')
  })
})

describe('a request without credentials', () => {
  const other = 'b: openDashboardSession(input: $input) { token }'
  test.each([
    ['asks for anything else', '{ environment { name } }'],
    ['only names the mutation', '{ environment { name } } # openDashboardSession'],
    ['signs in and reads', `query { environment { name } } ${openOne}`],
    ['signs in twice at once', `mutation ($input: OpenDashboardSessionInput!) { ${other.slice(3)} ${other} }`],
    [
      'signs in through a fragment',
      'mutation { ...f } fragment f on Mutation { openDashboardSession(input: {}) { token } }',
    ],
    ['closes a session', 'mutation { closeDashboardSession(input: {}) { closed } }'],
  ])('is rejected if it %s', async (_what, query) => {
    const { status, errors } = await post(
      world,
      { query, variables: { input: { apiKey: acme.key } } },
      { authorization: '' },
    )
    expect({ status, errors }).toMatchObject({ status: 401, errors: [{ message: 'Missing authorization header' }] })
  })

  test('is rejected if it asks for more than a sign-in', async () => {
    const variables = { input: { code: 'x'.repeat(20_000) } }
    expect(await post(world, { query: openOne, variables }, { authorization: '' })).toMatchObject({ status: 401 })
  })

  test('reads the environment of its new session as the session does', async () => {
    const query = `mutation ($input: OpenDashboardSessionInput!) {
      openDashboardSession(input: $input) { token dashboardSession { environment { name parent { name } } } }
    }`
    const variables = { input: { apiKey: world.production.key } }
    const { text, errors } = await post(world, { query, variables }, { authorization: '' })
    expect(JSON.parse(text).data.openDashboardSession.dashboardSession.environment).toEqual({
      name: 'Production',
      parent: { name: 'Development' },
    })
    expect(errors).toEqual([])
  })

  test('cannot name an environment instead of a credential', async () => {
    const input = { environmentId: await environmentNode(acme) }
    const { status, errors } = await post(world, { query: openOne, variables: { input } }, { authorization: '' })
    expect(status).toBe(401)
    expect(errors).toMatchObject([{ extensions: { code: 'UNAUTHENTICATED' } }])
  })
})

describe('a dashboard session', () => {
  test('has the access of its key, in the graph, at REST and in streams', async () => {
    const session = await sessionOf({ apiKey: acme.key })
    expect(await session.ask(write)).toEqual({ createTopic: { userErrors: [] } })
    expect(await session.rest('GET /v2/topics')).toMatchObject({ status: 200, body: { data: [{ key: 'news' }] } })
    await acme.act('createSubscriber', { subscriberId: 'ada' })
    const stream = await session.follow(follow)
    await stream.leave()
  })

  test('of a READ_ONLY key cannot write, but can be closed', async () => {
    const session = await sessionOf({ apiKey: (await newKey('READ_ONLY')).key })
    expect((await session.send(write)).errors).toMatchObject([
      { message: 'This dashboard session lacks the permission topic:write', extensions: { code: 'FORBIDDEN' } },
    ])
    expect(await session.act('closeDashboardSession', {}, 'closed')).toEqual({ closed: 1, userErrors: [] })
  })

  test('is null for an API key', async () => {
    expect(await acme.ask(whoami)).toEqual({ dashboardSession: null })
  })

  test('expires after twelve hours', async () => {
    const now = new Date('2027-03-01T12:00:00Z')
    world.setClock(now)
    const session = await sessionOf({ apiKey: acme.key })
    world.setClock(new Date(now.getTime() + SIGN_IN_LIFETIME - 1))
    expect(await messageOf(session)).toBeUndefined()
    world.setClock(new Date(now.getTime() + SIGN_IN_LIFETIME))
    expect(await messageOf(session)).toBe('Dashboard session expired')
  })

  describe('in its last hour is renewed', () => {
    const start = new Date('2027-03-01T06:00:00Z')
    const after = (hours: number) => new Date(start.getTime() + hours * 3_600_000)
    const renewed = async (session: Client, input = {}) =>
      (await session.act('renewDashboardSession', input, 'dashboardSession { expiresAt }')).dashboardSession.expiresAt

    test('for twelve hours, and at most until a day after the sign-in', async () => {
      world.setClock(start)
      const session = await sessionOf({ apiKey: acme.key })
      world.setClock(after(10.9))
      expect(await renewed(session)).toBe(after(12).toISOString())
      world.setClock(after(11.5))
      expect(await renewed(session, { minutesLeft: 10 })).toBe(after(12).toISOString())
      expect(await renewed(session)).toBe(after(23.5).toISOString())
      world.setClock(after(23))
      expect(await messageOf(session)).toBeUndefined()
      expect(await renewed(session)).toBe(after(24).toISOString())
      expect(await renewed(session)).toBe(after(24).toISOString())
      world.setClock(after(24))
      expect(await messageOf(session)).toBe('Dashboard session expired')
      const { errors } = await session.send('mutation { renewDashboardSession(input: {}) { userErrors { code } } }')
      expect(errors).toMatchObject([{ extensions: { code: 'UNAUTHENTICATED' } }])
      expect(SIGN_IN_LIFETIME).toBe(after(12).getTime() - start.getTime())
    })

    test('with all sessions of its sign-in, and no other', async () => {
      world.setClock(start)
      const home = await sessionOf({ apiKey: world.production.key })
      const other = await sessionOf({ apiKey: world.production.key })
      const { token } = await home.act('openDashboardSession', { environmentId: await environmentNode(acme) }, 'token')
      const elsewhere = world.client(token, 'Dashboard')
      world.setClock(after(11.5))
      expect(await renewed(elsewhere)).toBe(after(23.5).toISOString())
      world.setClock(after(13))
      expect(await messageOf(home)).toBeUndefined()
      expect(await messageOf(elsewhere)).toBeUndefined()
      expect(await messageOf(other)).toBe('Dashboard session expired')
    })

    test('with a READ_ONLY key too, and never by an API key or after a sign-out', async () => {
      world.setClock(start)
      const session = await sessionOf({ apiKey: (await newKey('READ_ONLY')).key })
      world.setClock(after(11.5))
      expect(await renewed(session)).toBe(after(23.5).toISOString())
      await session.act('closeDashboardSession', {})
      const mutation = 'mutation { renewDashboardSession(input: {}) { userErrors { code } } }'
      expect((await session.send(mutation)).errors).toMatchObject([{ extensions: { code: 'UNAUTHENTICATED' } }])
      expect((await acme.send(mutation)).errors).toMatchObject([
        { message: 'This operation requires a dashboard session', extensions: { code: 'FORBIDDEN' } },
      ])
    })
  })

  test('ends when its key is revoked', async () => {
    const { id, key } = await newKey('FULL')
    const session = await sessionOf({ apiKey: key })
    expect(await messageOf(session)).toBeUndefined()
    await acme.act('revokeApiKey', { id })
    expect(await messageOf(session)).toBe('Dashboard session not found')
  })

  test('ends with its environment', async () => {
    const id = await environmentNode(acme)
    const session = await sessionOf({ code: await newCode() })
    expect(await messageOf(session)).toBeUndefined()
    await world.production.act('deleteEnvironment', { id })
    expect(await messageOf(session)).toBe('Dashboard session not found')
  })

  test('ends when it is closed, while other sign-ins stay open', async () => {
    const [session, other] = [await sessionOf({ apiKey: acme.key }), await sessionOf({ apiKey: acme.key })]
    expect(await session.act('closeDashboardSession', {}, 'closed')).toEqual({ closed: 1, userErrors: [] })
    expect(await messageOf(session)).toBe('Dashboard session not found')
    expect(await messageOf(other)).toBeUndefined()
  })

  test('closes all sign-ins with its key on demand', async () => {
    const { key } = await newKey('FULL')
    const [session, other, another] = [
      await sessionOf({ apiKey: acme.key }),
      await sessionOf({ apiKey: acme.key }),
      await sessionOf({ apiKey: key }),
    ]
    await session.act('closeDashboardSession', { everywhere: true })
    expect(await messageOf(other)).toBe('Dashboard session not found')
    expect(await messageOf(another)).toBeUndefined()
  })

  test('is closed by itself only', async () => {
    const { errors } = await acme.send('mutation { closeDashboardSession(input: {}) { closed } }')
    expect(errors).toMatchObject([{ message: 'This operation requires a dashboard session' }])
  })

  test('ends the streams that it opened, also in another environment', async () => {
    await acme.act('createSubscriber', { subscriberId: 'ada' })
    const { id, key } = await newKey('ADMIN', world.production)
    const first = await sessionOf({ apiKey: key })
    const input = { environmentId: await environmentNode(acme) }
    const { openDashboardSession } = await first.ask(openOne, { input })
    const session = world.client(openDashboardSession.token ?? '', 'Dashboard')
    const stream = await session.follow(follow)
    await world.production.act('revokeApiKey', { id })
    expect(await stream.next()).toMatchObject({ errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] })
  })

  test('is named by the audit log, with its key', async () => {
    const session = await sessionOf({ apiKey: acme.key })
    await session.act('createApiKey', { name: 'Made in the dashboard' })
    expect(world.logged.findLast(({ msg }) => msg === 'API key created')).toMatchObject({
      dashboardSessionId: expect.any(String),
      apiKeyId: expect.any(String),
    })
    const opened = await sessionOf({ code: await newCode() })
    await opened.act('createApiKey', { name: 'Made with a code' })
    expect(world.logged.findLast(({ msg }) => msg === 'API key created')).toMatchObject({
      dashboardSessionId: expect.any(String),
      actor: 'sign-in code',
    })
  })

  test('cannot revoke the key that opened it', async () => {
    const session = await sessionOf({ apiKey: acme.key })
    const { apiKeys } = await acme.ask('{ apiKeys { nodes { id } } }')
    const { userErrors } = await session.act('revokeApiKey', { id: apiKeys.nodes[0].id })
    expect(userErrors).toMatchObject([{ code: 'CONFLICT' }])
  })
})

describe('another environment', () => {
  const switchTo = async (client: Client, environmentId: string) => {
    const { openDashboardSession } = await client.ask(openOne, { input: { environmentId } })
    return opened.parse(openDashboardSession)
  }

  test('is opened by a session with the access ADMIN, until that session expires', async () => {
    const now = new Date('2027-03-01T12:00:00Z')
    world.setClock(now)
    const admin = await sessionOf({ apiKey: world.production.key })
    world.setClock(new Date(now.getTime() + 60_000))
    const { token, dashboardSession } = await switchTo(admin, await environmentNode(acme))
    expect(dashboardSession).toMatchObject({
      environment: { id: await environmentNode(acme) },
      access: 'ADMIN',
      expiresAt: new Date(now.getTime() + SIGN_IN_LIFETIME).toISOString(),
    })
    const there = world.client(token ?? '', 'Dashboard')
    expect(await there.ask(write)).toEqual({ createTopic: { userErrors: [] } })
    expect(await acme.ask('{ topics { nodes { key } } }')).toEqual({ topics: { nodes: [{ key: 'news' }] } })
    expect((await switchTo(there, await environmentNode(world.development))).userErrors).toEqual([])
  })

  test('is opened by an API key with the access ADMIN', async () => {
    const { token } = await switchTo(world.production, await environmentNode(acme))
    expect(await messageOf(world.client(token ?? '', 'Dashboard'))).toBeUndefined()
  })

  test('is opened by a session that an ADMIN code opened', async () => {
    const admin = await sessionOf({ code: await newCode('admin') })
    const { token } = await switchTo(admin, await environmentNode(world.development))
    const there = world.client(token ?? '', 'Dashboard')
    expect(await messageOf(there)).toBeUndefined()
    await admin.act('closeDashboardSession', {})
    expect(await messageOf(there)).toBe('Dashboard session not found')
  })

  test.each(['FULL', 'READ_ONLY'])('is not opened by a session with the access %s', async (access) => {
    const session = await sessionOf({ apiKey: (await newKey(access)).key })
    const { errors } = await session.send(openOne, {
      input: { environmentId: await environmentNode(world.development) },
    })
    expect(errors).toMatchObject([{ extensions: { code: 'FORBIDDEN', field: ['environmentId'] } }])
  })

  test('of another organization is not found', async () => {
    const { db, newId, now } = world.gateway
    const organizationId = newId()
    await db.organization.create({ data: { id: organizationId, name: 'Strangers', createdAt: now() } })
    const { id } = await db.environment.create({
      data: {
        ...{ id: newId(), organizationId, name: 'Theirs', identifier: newId(), slug: 'theirs', color: '#000000' },
        ...{ type: 'dev', createdAt: now(), updatedAt: now() },
      },
    })
    const admin = await sessionOf({ apiKey: world.production.key })
    expect(await switchTo(admin, encodeNodeId('Environment', id))).toMatchObject({
      token: null,
      userErrors: [{ code: 'NOT_FOUND', field: ['environmentId'] }],
    })
  })

  test('can no longer be used when the key of the sign-in is revoked or its session is closed', async () => {
    const ends: [string, (key: { id: string }, first: Client) => Promise<unknown>][] = [
      ['revoked', ({ id }) => world.production.act('revokeApiKey', { id })],
      ['closed', (_key, first) => first.act('closeDashboardSession', {})],
    ]
    for (const [how, end] of ends) {
      const key = await newKey('ADMIN', world.production)
      const first = await sessionOf({ apiKey: key.key })
      const { token } = await switchTo(first, await environmentNode(acme))
      const there = world.client(token ?? '', 'Dashboard')
      expect(await messageOf(there), how).toBeUndefined()
      await end(key, first)
      expect(await messageOf(there), how).toBe('Dashboard session not found')
    }
  })

  test('does not allow its session to delete the environment of the sign-in', async () => {
    const id = await environmentNode(acme)
    const admin = await sessionOf({ code: await newCode('admin') })
    const { token } = await switchTo(admin, await environmentNode(world.development))
    const { userErrors } = await world.client(token ?? '', 'Dashboard').act('deleteEnvironment', { id })
    expect(userErrors).toMatchObject([{ code: 'CONFLICT' }])
  })
})

test('a sweep deletes expired sessions and codes, and keeps the others', async () => {
  const now = new Date('2027-06-01T12:00:00Z')
  world.setClock(now)
  await sessionOf({ apiKey: acme.key })
  await newCode()
  const environmentId = await environmentIdOf(acme)
  const { db } = world.gateway
  const housekeeping = housekeepingOf(world, { retention: { events: 'off', feed: 'off' } })
  await db.sweep.deleteMany()
  const rows = async () => [
    await db.dashboardSession.count({ where: { environmentId } }),
    await db.signInCode.count({ where: { environmentId } }),
  ]
  world.setClock(new Date(now.getTime() + CODE_LIFETIME))
  expect(await housekeeping.perform('retention')).toBe(true)
  expect(await rows()).toEqual([1, 0])
  world.setClock(new Date(now.getTime() + SIGN_IN_LIFETIME))
  expect(await housekeeping.perform('retention')).toBe(true)
  expect(await rows()).toEqual([0, 0])
})

describe('guesses', () => {
  const limited = useWorld({ rates: { trigger: 100, configuration: 100, global: 100 } })

  test('from one address are limited, while other addresses can sign in', async () => {
    limited.setClock(new Date('2027-03-01T12:00:00Z'))
    const guess = async (address: string, input: object = { code: 'guess' }) => {
      const request = new Request('http://gateway.test/graphql', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ query: openOne, variables: { input } }),
      })
      const { status, headers } = await limited.app.fetch(request, { address })
      return { status, retryAfter: headers.get('retry-after') }
    }
    for (let count = 0; count < 5; count += 1) expect(await guess('192.0.2.1')).toMatchObject({ status: 200 })
    expect(await guess('192.0.2.1')).toEqual({ status: 429, retryAfter: expect.stringMatching(/^\d+$/) })
    expect(await guess('192.0.2.2', { apiKey: limited.development.key })).toMatchObject({ status: 200 })
  })
})
