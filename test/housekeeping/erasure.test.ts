// The export and the erasure of a person: afterwards, nothing in the database names the person, and the data of others
// is unchanged.
import { createHash } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { encryptedColumns } from '../../src/data/secrets/encryption.ts'
import { isCheap } from '../../src/evaluation/cheap.ts'
import { createReplacer, marksOf } from '../../src/lib/marks.ts'
import { decodeNodeId } from '../../src/graphql/schema/node-id.ts'
import { useReceiver } from '../support/delivery/receiver.ts'
import { adasRun, createIntegration, createWorkflow, done, feedOf, trigger } from '../support/delivery/story.ts'
import { environmentIdOf } from '../support/environment-id.ts'
import { type Client, useWorld } from '../support/world.ts'

const world = useWorld({ ownDatabase: true })
const receiver = useReceiver()
let acme: Client

const person = {
  subscriberId: 'person-4711',
  firstName: 'Zenobia',
  lastName: 'Quastel',
  email: 'zenobia.q@example.com',
  phone: '+4915177777',
  data: { note: 'Zenobia likes tea' },
}
/** All texts that identify the person. */
const traces = /person-4711|zenobia|quastel|4915177777|151 777 77|U-secret-person|hush-hush-token/i
const bell = { inApp: { stepId: 'bell', body: 'Hello {{subscriber.firstName}}, {{payload.text}}' } }
const mail = { email: { stepId: 'mail', subject: 'For {{subscriber.email}}', body: '{{payload.text}}' } }
const wait = { delay: { stepId: 'wait', amount: 1, unit: 'DAYS' } }

beforeEach(async () => {
  acme = await world.environment()
  await createIntegration(acme, 'EMAIL_WEBHOOK', receiver.url)
  await done(acme, 'createIntegration', { identifier: 'slack', providerId: 'SLACK' })
  const device = { providerId: 'FCM', credentials: { deviceTokens: ['hush-hush-token'] } }
  await done(acme, 'createSubscriber', { ...person, channels: [device] })
  await done(acme, 'createSubscriber', { subscriberId: 'ada', email: 'ada@example.com' })
})

/** Every row of every table as text, without other environments, and with the encrypted columns decrypted. */
async function dump(): Promise<string> {
  const environmentId = await environmentIdOf(acme)
  const { pool } = world.database
  const { rows: tables } = await pool.query(`SELECT tablename FROM pg_tables WHERE schemaname = 'public'`)
  const texts: string[] = []
  for (const { tablename } of tables) {
    const { rows } = await pool.query(`SELECT to_jsonb(one) AS row FROM "${tablename}" AS one`)
    for (const { row } of rows) {
      if ((row.environment_id ?? environmentId) !== environmentId) continue
      for (const name of encryptedColumns) {
        const [table, column = ''] = name.split('.')
        if (table !== tablename || !row[column]) continue
        row[column] = world.gateway.cipher.decrypt(row[column], row.environment_id)
      }
      texts.push(`${tablename} ${JSON.stringify(row)}`)
    }
  }
  return texts.join('\n')
}

const tracesIn = async () =>
  (await dump())
    .split('\n')
    .filter((line) => traces.test(line))
    .map((line) => line.slice(0, 300))

async function erase(input: object = {}): Promise<string> {
  const { erasure } = await done(
    acme,
    'eraseSubscriber',
    { subscriberId: person.subscriberId, ...input },
    'erasure { id }',
  )
  return erasure.id
}

const finishedAt = async (id: string) =>
  (await acme.ask('query ($id: ID!) { node(id: $id) { ... on Erasure { finishedAt } } }', { id })).node.finishedAt

/** Adds rows to all tables that may name the person. */
async function leaveTraces(): Promise<void> {
  await done(acme, 'createChannelEndpoint', {
    subscriberId: person.subscriberId,
    integrationIdentifier: 'slack',
    endpoint: { workspaceChatUser: { userId: 'U-secret-person' } },
  })
  await done(acme, 'createTopic', { key: 'news' })
  await done(acme, 'createTopicSubscriptions', {
    topicKey: 'news',
    subscriptions: [{ subscriberId: person.subscriberId }, { subscriberId: 'ada' }],
  })
  await done(acme, 'updateSubscriberPreferences', { subscriberId: person.subscriberId, enabled: true })
  receiver.respond((response) => response.writeHead(400).end(`${person.email} is unknown`))
  await createWorkflow(acme, [bell, mail])
  await createWorkflow(acme, [wait, bell], { identifier: 'later' })
  const text = `from ${person.firstName} ${person.lastName} (${person.email}), call ${person.phone}`
  const to = { subscriberId: person.subscriberId }
  await trigger(acme, { to, payload: { text: 'x', secret: 'only hers' }, transactionId: 'alone' })
  await trigger(acme, { to: [to, 'ada'], payload: { text, list: [{ [person.email]: 1 }] }, transactionId: 'both' })
  await trigger(acme, { payload: { text: `mention of ${person.email}` }, transactionId: 'mention' })
  const encoded = 'https://acme.example/?to=zenobia.q%40example.com, +49 151 777 77'
  await trigger(acme, { payload: { text: encoded }, transactionId: 'encoded' })
  await trigger(acme, { to: { type: 'Topic', topicKey: 'news' }, payload: { text: 'Zenobia joined' } })
  await trigger(acme, { to: 'ada', actor: to, payload: { text: 'Quastel wrote' }, transactionId: `by-person-4711` })
  await trigger(acme, { name: 'later', to: [to, 'ada'], payload: { text } })
  await acme.rest('POST /v1/events/trigger', { body: { name: 'none', to, transactionId: 'for person-4711' } })
  await acme.rest('PATCH /v2/subscribers/person-4711', {
    body: { locale: 'de_DE' },
    headers: { 'idempotency-key': 'change-person-4711' },
  })
  await acme.rest('PATCH /v2/subscribers/person-4711', { body: {}, headers: { 'idempotency-key': 'another' } })
  await world.work()
}

test('a dump of all tables does not name the person afterwards', async () => {
  await leaveTraces()
  const before = await tracesIn()
  for (const table of [
    'events',
    'workflow_runs',
    'deliveries',
    'delivery_attempts',
    'notifications',
    'idempotency_keys',
    'unprocessed_triggers',
  ]) {
    expect(
      before.some((line) => line.startsWith(table)),
      table,
    ).toBe(true)
  }
  const id = await erase()
  expect(await finishedAt(id)).toBeNull()
  await world.work()
  expect(await tracesIn()).toEqual([])
  expect(await finishedAt(id)).toEqual(expect.any(String))
  await world.work({ early: true })
  expect(await tracesIn()).toEqual([])
})

test('messages of others stay, with a placeholder for the person', async () => {
  await leaveTraces()
  const id = await erase()
  await world.work({ early: true })
  const placeholder = `erased-${decodeNodeId(id).id}`
  const { alone, both, mention, encoded } = await acme.ask(
    `{ alone: event(transactionId: "alone") { payload runs { nodes { subscriberId } } }
       both: event(transactionId: "both") { payload } mention: event(transactionId: "mention") { payload }
       encoded: event(transactionId: "encoded") { payload } }`,
  )
  expect(alone).toEqual({ payload: {}, runs: { nodes: [{ subscriberId: placeholder }] } })
  const text = `from ${placeholder} (${placeholder}), call ${placeholder}`
  expect(both.payload).toEqual({ text, list: [{ [placeholder]: 1 }] })
  expect(mention.payload).toEqual({ text: `mention of ${placeholder}` })
  expect(encoded.payload).toEqual({ text: `https://acme.example/?to=${placeholder}, ${placeholder}` })
  expect(await adasRun(acme, 'both')).toMatchObject({
    steps: [{ status: 'SENT' }, { status: 'FAILED', deliveries: [{ subject: 'For ada@example.com', body: text }] }],
  })
  const bodies = (await feedOf(acme)).map(({ body }) => body)
  expect(bodies).toContain(`Hello , ${text}`)
  expect(bodies).toContain(`Hello , ${placeholder} joined`)
  expect(bodies).toContain(`Hello , ${placeholder} wrote`)
  const { subscriber } = await acme.ask('{ subscriber(subscriberId: "ada") { email } }')
  expect(subscriber).toEqual({ email: 'ada@example.com' })
})

test('a person who got a copy is erased from the message, and gets no copy of one that is still to be sent', async () => {
  const fields = {
    cc: ['{{payload.copy}}', 'bob@example.com'],
    bcc: ['{{payload.copy}}'],
    replyTo: ['{{payload.copy}}'],
  }
  const texts = { textBody: '{{payload.copy}}', preheader: '{{payload.copy}}', senderName: '{{payload.copy}}' }
  const headers = [{ name: 'X-Copy', value: '{{payload.copy}}' }]
  await createWorkflow(acme, [{ email: { subject: 'x', body: '<p>x</p>', ...fields, ...texts, headers } }])
  await trigger(acme, { payload: { copy: `Zenobia Quastel <${person.email}>` } })
  receiver.answer(503)
  await world.work()
  expect(receiver.last.json).toMatchObject({ replyTo: [`"Zenobia Quastel" <${person.email}>`] })
  expect(await tracesIn()).not.toEqual([])
  await erase()
  receiver.answer(200)
  await world.work({ early: true })
  await world.work({ early: true })
  expect(await tracesIn()).toEqual([])
  expect(receiver.last.json).toMatchObject({ to: 'ada@example.com', cc: ['bob@example.com'] })
  expect(receiver.last.json).not.toHaveProperty('bcc')
  expect(receiver.last.json).not.toHaveProperty('replyTo')
})

test('several persons are erased in one pass, each with a separate placeholder', async () => {
  await leaveTraces()
  const payload = { text: 'zenobia.q@example.com wrote to ada@example.com' }
  await trigger(acme, { to: ['ada', person.subscriberId], payload, transactionId: 'alone-together' })
  await trigger(acme, { to: 'grace', payload, transactionId: 'about-both' })
  await world.work()
  const subscribers = [{ subscriberId: person.subscriberId, also: ['old-4711'] }, { subscriberId: 'ada' }]
  const { erasure } = await done(acme, 'eraseSubscribers', { subscribers }, 'erasure { id }')
  await world.work({ early: true })
  expect(await finishedAt(erasure.id)).toEqual(expect.any(String))
  expect(await tracesIn()).toEqual([])
  const lines = (await dump()).split('\n').filter((line) => /ada@example|"ada"/.test(line))
  expect(lines.filter((line) => !line.includes('about-both'))).toEqual([])
  const { together, both } = await acme.ask(
    `{ together: event(transactionId: "alone-together") { payload runs { nodes { subscriberId } } }
       both: event(transactionId: "about-both") { payload } }`,
  )
  const placeholder = `erased-${decodeNodeId(erasure.id).id}`
  expect(together.payload).toEqual({})
  const renamed = together.runs.nodes.map(({ subscriberId }) => subscriberId)
  expect(renamed.toSorted()).toEqual([placeholder, `${placeholder}-1`])
  expect(both.payload).toEqual({ text: `${placeholder}-1 wrote to ${placeholder}` })
})

describe('objects of others', () => {
  const mentionsOf = async (id: string) =>
    (await acme.ask('query ($id: ID!) { erasure(id: $id) { mentionCount mentions { type nodeId key } } }', { id }))
      .erasure

  test('that name the person are listed and not changed', async () => {
    await createWorkflow(acme, [bell])
    const { topic } = await done(acme, 'createTopic', { key: 'owners', data: { mail: person.email } }, 'topic { id }')
    await done(acme, 'createTopic', { key: 'readers', data: { mail: 'zenobia@elsewhere.example' } })
    await done(acme, 'createContext', { type: 'tenant', identifier: 'acme', data: { owner: [{ to: person.email }] } })
    await done(acme, 'updateSubscriber', { subscriberId: 'ada', data: { deputy: `ask ${person.phone}` } })
    await done(acme, 'createChannelEndpoint', {
      identifier: 'ada-phone',
      subscriberId: 'ada',
      integrationIdentifier: 'slack',
      endpoint: { workspaceChatUser: { userId: person.subscriberId } },
    })
    const id = await erase()
    await world.work({ early: true })
    const { mentionCount, mentions } = await mentionsOf(id)
    expect(mentionCount).toBe(4)
    expect(mentions.map(({ type, key }) => [type, key])).toEqual([
      ['CONTEXT', 'tenant:acme'],
      ['TOPIC', 'owners'],
      ['SUBSCRIBER', 'ada'],
      ['CHANNEL_ENDPOINT', 'ada-phone'],
    ])
    expect(mentions[1].nodeId).toBe(topic.id)
    const { data } = (await acme.ask('{ topic(key: "owners") { data } }')).topic
    expect(data).toEqual({ mail: person.email })
    const { body } = await acme.rest(`GET /v2/erasures/${decodeNodeId(id).id}`)
    expect(body).toMatchObject({
      mentionCount: 4,
      mentions: expect.arrayContaining([{ type: 'topic', key: 'owners' }]),
    })
    const stored = (await dump()).split('\n').filter((line) => line.startsWith('erasures') && traces.test(line))
    expect(stored).toEqual([])
    await done(acme, 'deleteTopic', { key: 'owners' })
    expect((await mentionsOf(id)).mentions.map(({ key }) => key)).toEqual(['tenant:acme', 'ada', 'ada-phone'])
  })

  test('are listed up to a bound, and counted', async () => {
    const keys = Array.from({ length: 120 }, (_, index) => `owners-${index}`)
    for (const key of keys) await done(acme, 'createTopic', { key, name: person.email })
    const id = await erase()
    await world.work({ early: true })
    const { mentionCount, mentions } = await mentionsOf(id)
    expect(mentionCount).toBe(120)
    expect(mentions.map(({ key }) => key)).toEqual(keys.slice(0, 100))
  })

  test('that only contain a common name are not listed', async () => {
    await done(acme, 'createTopic', { key: 'news', name: 'Zenobia and Quastel' })
    await done(acme, 'createSubscriber', { subscriberId: 'grace', firstName: 'Zenobia' })
    const id = await erase()
    await world.work({ early: true })
    expect(await mentionsOf(id)).toEqual({ mentionCount: 0, mentions: [] })
  })
})

test('the note of a pause no longer names the person', async () => {
  await createWorkflow(acme, [bell])
  await done(acme, 'pauseWorkflow', { identifier: 'order', reason: `Complaint of ${person.email}` })
  const id = await erase()
  await world.work({ early: true })
  const { workflow } = await acme.ask('{ workflow(identifier: "order") { pause { reason } } }')
  expect(workflow.pause.reason).toBe(`Complaint of erased-${decodeNodeId(id).id}`)
})

test('a person whose id is a word is erased where the id is a whole value, and its events name nobody', async () => {
  await done(acme, 'createSubscriber', { subscriberId: 'ludmilla' })
  await createWorkflow(acme, [bell])
  await trigger(acme, { to: ['ludmilla', 'ada'], payload: { text: 'Ludmilla joined' } })
  await trigger(acme, { payload: { text: 'x', by: 'ludmilla', note: 'thanks, Ludmilla' }, transactionId: 'by' })
  await trigger(acme, { payload: { text: 'read about ludmilla in the paper' }, transactionId: 'paper' })
  const headers = { 'idempotency-key': 'k' }
  await acme.rest('PATCH /v2/subscribers/ludmilla', { body: { locale: 'de_DE' }, headers })
  await world.work()
  await done(acme, 'eraseSubscriber', { subscriberId: 'ludmilla' })
  await world.work()
  const left = (await dump()).split('\n').filter((line) => /ludmilla/i.test(line))
  expect(left.map((line) => line.split(' ')[0])).toEqual(['events', 'notifications'])
  for (const line of left) expect(line).toContain('read about ludmilla in the paper')
})

test('the database finds the texts in which marks are replaced, in any form', async () => {
  const also = [
    'ada-1@example.com',
    'x.y(z)',
    '+49 (0)30 123456',
    '+493033333333',
    "Ada O'Neil",
    'İpek Ödön',
    '王伟 明',
    'R&D 7',
    'Ada\tLovelace of the long name',
  ]
  const forms = [
    'ADA-1@example.com',
    'https://example.com/?to=hello%20ada-1%40example.com&x',
    'https://example.com/?to=ada-1%2540example.com.',
    'not xzy(z) but x.y(z)',
    'x.y%28z%29',
    'call 0049 30/33333333 now',
    '+49 (0)30 123456',
    'tel:%2B49-30-33333333',
    "ada+o'neil",
    'Ada%20O%27Neil',
    'Ada O&#39;Neil',
    'Ada O\\u0027Neil',
    'ada o%27neil0, ada o%27neil',
    'İPEK ÖDÖN',
    'by 王伟 明',
    '?by=%E7%8E%8B%E4%BC%9F+%E6%98%8E',
    'the R&amp;D 7',
    'of ada\tlovelace of the long name',
    '{"text":"one\\nada-1@example.com"}',
  ]
  const others = ['ada-1@example.community', "Ada O'Neill", 'R&D 77', '4930333333331']
  const transactionIds = (texts: readonly string[], prefix: string) => texts.map((_, index) => `${prefix}-${index}`)
  const events = [...forms, ...others].map((text, index) => ({
    name: 'order',
    to: [{ subscriber: { subscriberId: 'ada' } }],
    payload: { text },
    transactionId: [...transactionIds(forms, 'form'), ...transactionIds(others, 'other')][index],
  }))
  await createWorkflow(acme, [bell])
  await done(acme, 'triggerEvents', { events })
  await world.work()
  const placeholder = `erased-${decodeNodeId(await erase({ also })).id}`
  await world.work({ early: true })
  const { nodes } = (await acme.ask('{ events(first: 100) { nodes { transactionId payload } } }')).events
  const erased = nodes.filter(({ payload }) => JSON.stringify(payload['text']).includes(placeholder))
  const found = erased.map(({ transactionId }) => transactionId)
  expect(found.toSorted()).toEqual(transactionIds(forms, 'form').toSorted())
})

test('an event that contains only the first name of the person is not changed', async () => {
  await createWorkflow(acme, [bell])
  await trigger(acme, { payload: { text: 'Another Zenobia, personal-4711, person-47110' }, transactionId: 'other' })
  await erase()
  await world.work()
  const { event } = await acme.ask('{ event(transactionId: "other") { payload } }')
  expect(event.payload).toEqual({ text: 'Another Zenobia, personal-4711, person-47110' })
})

test('a subscriber that is created again under the same id keeps its events', async () => {
  await createWorkflow(acme, [bell])
  const id = await erase()
  world.setClock(new Date(Date.now() + 1000))
  await done(acme, 'createSubscriber', { subscriberId: person.subscriberId })
  await trigger(acme, { to: person.subscriberId, payload: { text: 'welcome' }, transactionId: 'again' })
  await world.work()
  world.setClock(undefined)
  expect(await finishedAt(id)).not.toBeNull()
  const { event } = await acme.ask('{ event(transactionId: "again") { payload runs { nodes { subscriberId } } } }')
  expect(event).toEqual({ payload: { text: 'welcome' }, runs: { nodes: [{ subscriberId: person.subscriberId }] } })
})

test('a person that was deleted before is erased by its id and other marks', async () => {
  await createWorkflow(acme, [bell])
  await trigger(acme, {
    payload: { text: `mention of ${person.email} and former@example.com` },
    transactionId: 'mention',
  })
  await done(acme, 'deleteSubscriber', { subscriberId: person.subscriberId })
  await world.work()
  await erase({ also: [person.email, 'former@example.com'] })
  await world.work()
  expect(await tracesIn()).toEqual([])
  expect(await dump()).not.toContain('former@example.com')
})

describe('the export of a subscriber', () => {
  test('is one document with everything about the subscriber, without secrets and without data of others', async () => {
    await leaveTraces()
    const { subscriberExport } = await acme.ask('{ subscriberExport(subscriberId: "person-4711") }')
    expect(subscriberExport).toMatchObject({
      exportedAt: expect.any(String),
      subscriber: { ...person, locale: 'de_DE' },
      credentials: [{ providerId: 'fcm' }],
      channelEndpoints: [{ type: 'workspace_chat_user', endpoint: { userId: 'U-secret-person' } }],
      topicSubscriptions: [{ topicKey: 'news' }],
      preferences: [{ enabled: true, workflow: null }],
      unprocessedTriggers: [{ kind: 'rejected', transactionId: 'for person-4711', code: 'NOT_FOUND' }],
      truncated: [],
    })
    const { events, notifications } = subscriberExport
    expect(notifications).toHaveLength(3)
    expect(events).toHaveLength(4)
    const [alone] = z
      .array(z.looseObject({ transactionId: z.string() }))
      .parse(events)
      .filter(({ transactionId }) => transactionId === 'alone')
    expect(alone).toMatchObject({
      workflowIdentifier: 'order',
      payload: { text: 'x', secret: 'only hers' },
      run: {
        status: 'completed',
        steps: [
          { stepId: 'bell', status: 'sent' },
          {
            stepId: 'mail',
            deliveries: [
              {
                destination: person.email,
                content: { subject: `For ${person.email}` },
                attempts: [{ number: 1, status: 400, answer: `${person.email} is unknown` }],
              },
            ],
          },
        ],
      },
    })
    expect(alone).toHaveProperty('attachments', [])
    const text = JSON.stringify(subscriberExport)
    expect(text).not.toMatch(/hush-hush-token|ada@example.com|"mention"|environmentId/)
    const { status, body } = await acme.rest('GET /v2/subscribers/person-4711/export')
    expect(status).toBe(200)
    expect({ ...body, exportedAt: '' }).toEqual({ ...Object(subscriberExport), exportedAt: '' })
  })

  test('names the files of the events', async () => {
    await createWorkflow(acme, [bell])
    const content = { name: 'invoice.pdf', contentType: 'application/pdf', data: 'JVBERi0xLjcK' }
    const url = { name: 'later.pdf', url: 'https://files.example.com/later.pdf' }
    await trigger(acme, { to: { subscriberId: person.subscriberId }, attachments: [{ content }, { url }] })
    await world.work()
    const sha256 = createHash('sha256').update('%PDF-1.7\n').digest('hex')
    const attachments = [
      { name: 'invoice.pdf', contentType: 'application/pdf', size: 9, sha256 },
      { name: 'later.pdf', contentType: null, size: null, sha256: null },
    ]
    const { body } = await acme.rest<{ events: unknown }>('GET /v2/subscribers/person-4711/export')
    expect(body.events).toMatchObject([{ attachments }])
  })

  test('is not found for an unknown subscriber', async () => {
    expect((await acme.rest('GET /v2/subscribers/nobody/export')).status).toBe(404)
    const { errors } = await acme.send('{ subscriberExport(subscriberId: "nobody") }')
    expect(errors).toMatchObject([{ extensions: { code: 'NOT_FOUND' } }])
  })
})

describe('an erasure', () => {
  test('continues where it was interrupted, page by page', async () => {
    await createWorkflow(acme, [bell])
    const events = Array.from({ length: 120 }, () => ({
      name: 'order',
      to: [{ subscriber: { subscriberId: person.subscriberId } }],
      payload: { text: person.email },
    }))
    await done(acme, 'triggerEvents', { events: events.slice(0, 60) })
    await done(acme, 'triggerEvents', { events: events.slice(60) })
    await world.work()
    await erase()
    // As if the process was killed in the middle of the first page of events: its transaction is rolled back.
    const { pool } = world.database
    await pool.query(`
      CREATE FUNCTION interrupt() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN RAISE EXCEPTION 'interrupted' USING ERRCODE = '57P01'; END $$;
      CREATE TRIGGER interrupt BEFORE UPDATE ON events FOR EACH STATEMENT EXECUTE FUNCTION interrupt()`)
    await world.work().catch(() => {})
    await pool.query('DROP FUNCTION interrupt CASCADE')
    expect((await tracesIn()).length).toBeGreaterThan(0)
    await world.work({ early: true })
    expect(await tracesIn()).toEqual([])
  })

  test('works the same through REST, and is logged with its API key and without the person', async () => {
    const { status, body } = await acme.rest('POST /v2/subscribers/person-4711/erase', { body: {} })
    const requested = { _id: expect.any(String), createdAt: expect.any(String), mentionCount: 0, mentions: [] }
    expect({ status, body }).toEqual({ status: 202, body: requested })
    const before = world.logged.length
    await world.work()
    const finished = await acme.rest(`GET /v2/erasures/${body._id}`)
    expect(finished.body).toEqual({ ...body, finishedAt: expect.any(String) })
    const lines = world.logged.filter(({ erasureId }) => erasureId === body._id)
    expect(lines.map(({ msg }) => msg)).toEqual(['erasure requested', 'erasure finished'])
    expect(lines[0]?.['apiKeyId']).toEqual(lines[1]?.['apiKeyId'])
    expect(JSON.stringify(world.logged.slice(before))).not.toMatch(traces)
    expect((await acme.rest(`GET /v2/erasures/${world.gateway.newId()}`)).status).toBe(404)
    expect((await world.development.rest(`GET /v2/erasures/${body._id}`)).status).toBe(404)
  })

  test('rejects marks that are too common', async () => {
    const { userErrors } = await acme.act('eraseSubscriber', { subscriberId: 'ada', also: ['a'] })
    expect(userErrors).toMatchObject([{ code: 'BAD_USER_INPUT', field: ['also', '0'] }])
  })

  test('does not change other environments', async () => {
    const other = await world.environment()
    await done(other, 'createSubscriber', person)
    await erase()
    await world.work()
    const { subscriber } = await other.ask('{ subscriber(subscriberId: "person-4711") { email } }')
    expect(subscriber).toEqual({ email: person.email })
    await done(other, 'eraseSubscriber', { subscriberId: person.subscriberId })
    await world.work()
  })
})

describe('marks', () => {
  const ada = marksOf(
    ['ada-1', 'ada-1@example.com', '4711', 'x.y(z)', 'support', '+4915112345678', "Ada O'Neil", 'İpek 7', 'ΟΔΟΣ 5'],
    ['Ada', 'Bo'],
  )
  const replacer = createReplacer([{ ...ada, placeholder: '[]' }])
  const withoutAda = (value: unknown) => replacer.replace(value, new Set([0]))
  const isNamed = (value: unknown) => replacer.namedIn(value).size > 0

  test.each([
    ['ada-1', '[]'],
    ['ADA-1@example.com', '[]'],
    ['adam-1, Bob and 47110', 'adam-1, Bob and 47110'],
    ['/users/ada-1/edit?name=bo', '/users/[]/edit?name=[]'],
    ['x.y(z) but not xzy(z)', '[] but not xzy(z)'],
    ['Ädà ada', 'Ädà []'],
    ['😀ada😀 𝐀ada', '😀[]😀 𝐀ada'],
    ['İİİ ada-1, İPEK 7, i̇pek 7', 'İİİ [], [], i̇pek 7'],
    ['οδος 5, οδοσ 5', '[], []'],
    ['https://example.com/?to=hello%20ada-1%40example.com&x', 'https://example.com/?to=hello%20[]&x'],
    ['%2525 ada-1%2540example.com', '%2525 []'],
    ["ada+o'neil, Ada%20O%27Neil, Ada O&#39;Neil, Ada O\\u0027Neil", '[], [], [], []'],
    ['{"text":"one\\nada-1"}', '{"text":"one\\n[]"}'],
    ['call +49 151 1234 5678 or 0049 (0)151/12345678, not +49 151 1234 56789', 'call [] or [], not +49 151 1234 56789'],
    ['tel:%2B49-151-1234-5678, 4915112345678', 'tel:[], []'],
  ])('in %j are replaced: %j', (given, expected) => {
    expect(withoutAda(given)).toBe(expected)
  })

  test('are found in all parts of JSON', () => {
    expect(withoutAda({ ada: [4711, 4712, 4915112345678, null, true, { deep: 'by ada' }] })).toEqual({
      '[]': ['[]', 4712, '[]', null, true, { deep: 'by []' }],
    })
    expect(isNamed({ a: [{ 'ada-1@example.com': 1 }] })).toBe(true)
    expect(isNamed({ a: ['adam', 'Bo', 1] })).toBe(false)
  })

  test('that are words identify the person only as a whole value', () => {
    expect(isNamed({ by: 'support' })).toBe(true)
    expect(isNamed({ text: 'Please ask support.' })).toBe(false)
  })

  test('of several persons are replaced by the placeholder of each', () => {
    const grace = { ...marksOf(['grace-1'], ['Grace']), placeholder: '()' }
    const both = createReplacer([{ ...ada, placeholder: '[]' }, grace])
    const text = 'ada-1, Ada, grace-1 and Grace'
    expect(both.namedIn([text])).toEqual(new Set([0, 1]))
    expect(both.replace(text, new Set([0, 1]))).toBe('[], [], () and ()')
    expect(both.replace(text, new Set([1]))).toBe('ada-1, Ada, () and ()')
  })

  test('are found like a case-insensitive regular expression finds them, letter by letter', () => {
    const letters = Array.from({ length: 0x11000 }, (_, code) => code)
      .filter((code) => code < 0xd800 || code >= 0xe000)
      .map((code) => String.fromCodePoint(code))
      .filter((letter) => letter.toLowerCase() !== letter || letter.toUpperCase() !== letter)
    for (const letter of letters.filter((_, index) => index % 40 === 0)) {
      const one = createReplacer([{ own: [`${letter}-1`], exact: [], shared: [], placeholder: '[]' }])
      const equal = new RegExp(`^${letter}$`, 'iu')
      // Unicode has three pairs that differ only when a letter becomes several.
      const found = letters.filter((other) => one.namedIn(`${other}-1`).size > 0)
      expect(found.filter((other) => !equal.test(other))).toEqual([])
      if (!/[ΐΐΰΰﬅﬆ]/u.test(letter)) expect(found).toEqual(letters.filter((other) => equal.test(other)))
    }
  })

  test('from a hostile caller are found in linear time, in a thread', () => {
    const marks = Array.from({ length: 20 }, (_, index) => `${'a '.repeat(158)}${String.fromCharCode(97 + index)}b`)
    const person = { ...marksOf(['zq-1', ...marks], []), placeholder: '[]' }
    const text = `${'a '.repeat(250_000)}zq-1`
    expect(isCheap('erasure', { persons: [person], about: [], columns: [text] })).toBe(false)
    for (let round = 0; round < 5; round += 1) expect(createReplacer([person]).namedIn(text)).toEqual(new Set([0]))
  })
})
