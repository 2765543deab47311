// Secret fields of payloads: they are sent, and never shown.
import { beforeEach, describe, expect, test } from 'vitest'
import {
  adasRun,
  createIntegration,
  createWorkflow,
  done,
  feedOf,
  outcomes,
  trigger,
} from '../support/delivery/story.ts'
import { useReceiver } from '../support/delivery/receiver.ts'
import { housekeepingOf } from '../support/housekeeping.ts'
import { type Client, useWorld } from '../support/world.ts'

const world = useWorld({ requestLog: true })
const receiver = useReceiver()
let acme: Client

const CODE = 'KX7Q9Z'
const MASK = '••••••'
const HOUR = 3_600_000

const payloadSchema = {
  type: 'object',
  properties: {
    code: { type: ['string', 'integer'], minLength: 4, writeOnly: true },
    shop: { type: 'string' },
    account: { type: 'object', properties: { pin: { type: 'integer', writeOnly: true }, name: { type: 'string' } } },
    links: { type: 'array', items: { type: 'object', properties: { url: { type: 'string', writeOnly: true } } } },
  },
}

const codeSteps = [
  { inApp: { stepId: 'bell', body: 'Code {{payload.code}} of {{payload.shop}}', payloadFields: ['code', 'shop'] } },
  { email: { stepId: 'mail', subject: '{{payload.code}} is your code', body: '<b>{{payload.code}}</b>' } },
  { sms: { stepId: 'text', body: '{{payload.code}} is your code for {{payload.shop}}' } },
  { push: { stepId: 'push', subject: 'Your code', body: '{{payload.code}}' } },
  { chat: { stepId: 'chat', body: '{{payload.code | split: "" | join: " "}}' } },
]

beforeEach(async () => {
  acme = await world.environment()
  await done(acme, 'createSubscriber', { subscriberId: 'ada', email: 'ada@example.com', phone: '+4915123456789' })
})

const createAll = async () => {
  for (const providerId of ['EMAIL_WEBHOOK', 'GENERIC_SMS', 'PUSH_WEBHOOK', 'CHAT_WEBHOOK']) {
    await createIntegration(acme, providerId, receiver.url)
  }
  const credentials = { webhookUrl: `${receiver.url}/chat` }
  await done(acme, 'setSubscriberCredentials', { subscriberId: 'ada', providerId: 'CHAT_WEBHOOK', credentials })
  const devices = { deviceTokens: ['device-1'] }
  await done(acme, 'setSubscriberCredentials', {
    subscriberId: 'ada',
    providerId: 'PUSH_WEBHOOK',
    credentials: devices,
  })
}

const mail = { email: { stepId: 'mail', subject: 'Code', body: 'Code {{payload.code}}' } }

async function createMail(steps: readonly object[] = [mail]): Promise<void> {
  await createIntegration(acme, 'EMAIL_WEBHOOK', receiver.url)
  await createWorkflow(acme, steps, { payloadSchema })
}

/** Everything that the database has in clear, as one text. */
async function stored(): Promise<string> {
  const { pool } = world.database
  const { rows: tables } = await pool.query<{ name: string }>(
    `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'`,
  )
  const texts: string[] = []
  for (const { name } of tables) texts.push(JSON.stringify((await pool.query(`SELECT * FROM "${name}"`)).rows))
  return texts.join('\n')
}

const EVERYTHING = `query ($id: String!) {
  event(transactionId: $id) {
    payload overrides detail
    runs { nodes { error steps { detail deliveries { subject body destination attempts { error answer } }
      notification { subject body payload data } } } }
  }
  events { nodes { payload } }
  deliveries { nodes { subject body attempts { error answer } } }
  subscriber(subscriberId: "ada") { notifications { nodes { subject body payload data } } }
  subscriberExport(subscriberId: "ada")
}`

/** All answers about an event, as one text. */
async function answersOf(client: Client, transactionId: string): Promise<string> {
  const graph = await client.send(EVERYTHING, { id: transactionId })
  expect(graph.errors).toEqual([])
  const rest = await client.rest(`GET /v1/events/${transactionId}`)
  const exported = await client.rest('GET /v2/subscribers/ada/export')
  expect([rest.status, exported.status]).toEqual([200, 200])
  return JSON.stringify([graph.data, rest.body, exported.body, await feedOf(client)])
}

const bodies = () => receiver.received.map(({ body }) => body)

/** The secret columns of all events and messages of the file's environments. */
const sealed = async () =>
  (
    await world.database.pool.query<{ kind: string }>(
      `SELECT 'event' AS kind FROM events WHERE secret_payload IS NOT NULL
       UNION ALL SELECT 'message' FROM deliveries WHERE secret_content IS NOT NULL`,
    )
  ).rows.map(({ kind }) => kind)

describe('a secret payload field', () => {
  test('is sent through every channel, and never shown', async () => {
    await createAll()
    await createWorkflow(acme, codeSteps, { payloadSchema })
    const { newApiKey } = await acme.act('createApiKey', { name: 'Reader', access: 'READ_ONLY' }, 'newApiKey { key }')
    const headers = { 'idempotency-key': 'code-1' }
    const { body } = await acme.rest('POST /v1/events/trigger', {
      body: { name: 'order', to: 'ada', payload: { code: CODE, shop: 'Acme' } },
      headers,
    })
    expect(JSON.stringify(body)).not.toContain(CODE)
    expect(await stored()).not.toContain(CODE)
    await world.work()

    expect(await outcomes(acme, body.transactionId)).toEqual({
      bell: 'SENT',
      mail: 'SENT',
      text: 'SENT',
      push: 'SENT',
      chat: 'SENT',
    })
    expect(receiver.received).toHaveLength(4)
    for (const { json } of receiver.received) expect(json).toMatchObject({ payload: { code: CODE, shop: 'Acme' } })

    const sent = bodies().join()
    for (const text of [`<b>${CODE}</b>`, Array.from(CODE).join(' '), `${CODE} is your code for Acme`])
      expect(sent).toContain(text)

    expect(await stored()).not.toContain(CODE)
    expect(JSON.stringify(world.logged)).not.toContain(CODE)
    for (const client of [acme, world.client(newApiKey.key)]) {
      const answers = await answersOf(client, body.transactionId)
      expect(answers).not.toContain(CODE)
      expect(answers).not.toContain(Array.from(CODE).join(' '))
      expect(answers).toContain(`${MASK} is your code for Acme`)
    }
    const { event } = await acme.ask('query ($id: String!) { event(transactionId: $id) { payload } }', {
      id: body.transactionId,
    })
    expect(event.payload).toEqual({ code: MASK, shop: 'Acme' })
    expect(await feedOf(acme)).toMatchObject([{ body: `Code ${MASK} of Acme`, payload: { code: MASK, shop: 'Acme' } }])
  })

  test('is masked inside objects and lists, and may be a number', async () => {
    await createMail([
      {
        email: {
          stepId: 'mail',
          subject: '{{payload.account.pin | plus: 1}}',
          body: '{% for link in payload.links %}{{link.url}} {% endfor %}{{payload.account.name}}',
        },
      },
    ])
    const payload = {
      account: { pin: 4711471147, name: 'Ada' },
      links: [
        { url: 'https://a.example/NEEDLE-1', label: 'One' },
        { label: 'Two' },
        { url: 'https://b.example/NEEDLE-2' },
      ],
    }
    const transactionId = await trigger(acme, { payload })
    await world.work()
    expect(receiver.last.json).toMatchObject({
      payload,
      subject: '4711471148',
      content: 'https://a.example/NEEDLE-1  https://b.example/NEEDLE-2 Ada',
    })
    const { event } = await acme.ask('query ($id: String!) { event(transactionId: $id) { payload } }', {
      id: transactionId,
    })
    expect(event.payload).toEqual({
      account: { pin: MASK, name: 'Ada' },
      links: [{ url: MASK, label: 'One' }, { label: 'Two' }, { url: MASK }],
    })
    const { steps } = await adasRun(acme, transactionId)
    expect(steps[0].deliveries[0].body).toBe(`${MASK}  ${MASK} Ada`)
    expect(await stored()).not.toMatch(/NEEDLE|471147114/)
  })

  test('stays secret if providers echo it, and is sent by a retry', async () => {
    await createMail()
    const echo = `bad: ${CODE}, ${Array.from(CODE).join('-')}, ${Buffer.from(`Code ${CODE}`).toString('base64')}`
    receiver.answer(400, echo)
    const transactionId = await trigger(acme, { payload: { code: CODE } })
    await world.work()
    const [{ deliveries, detail }] = (await adasRun(acme, transactionId)).steps
    expect(deliveries).toMatchObject([
      {
        status: 'FAILED',
        body: `Code ${MASK}`,
        attempts: [{ status: 400, answer: expect.stringContaining('bad: ***') }],
      },
    ])
    expect(detail).toContain('400')
    for (const text of [await stored(), await answersOf(acme, transactionId), JSON.stringify(world.logged)]) {
      expect(text).not.toContain(CODE)
      expect(text).not.toContain(Array.from(CODE).join('-'))
    }
    receiver.answer(200, echo)
    await done(acme, 'retryDelivery', { id: deliveries[0].id })
    expect(await stored()).not.toContain(CODE)
    await world.work()
    expect(receiver.received).toHaveLength(2)
    expect(receiver.last.json).toMatchObject({ content: `Code ${CODE}`, payload: { code: CODE } })
    expect((await adasRun(acme, transactionId)).steps).toMatchObject([{ status: 'SENT' }])
    expect(await stored()).not.toContain(CODE)
  })

  test('is not part of errors, of duplicates, or of the answers to many triggers', async () => {
    await createMail()
    const wrong = await acme.rest('POST /v1/events/trigger', {
      body: { name: 'order', to: 'ada', payload: { code: '739', account: { pin: CODE }, links: CODE } },
    })
    expect(wrong.status).toBe(400)
    expect(JSON.stringify(wrong.body)).toContain('payload.code')
    expect(JSON.stringify(wrong.body)).not.toContain('"739"')
    const event = { name: 'order', to: [{ subscriber: { subscriberId: 'ada' } }], payload: { code: CODE } }
    const events = [event, event].map((one) => ({ ...one, transactionId: 'same' }))
    const answer = await acme.act('triggerEvents', { events }, 'results { duplicate event { payload } }')
    expect(answer.results).toEqual([
      { duplicate: false, event: { payload: { code: MASK } } },
      { duplicate: true, event: { payload: { code: MASK } } },
    ])
  })

  test('is masked in a preview', async () => {
    await createMail()
    const query = `query ($input: PreviewTriggerInput!) {
      previewTrigger(input: $input) { runs { steps { status detail messages { subject body error } } } }
    }`
    const input = { name: 'order', to: [{ subscriber: { subscriberId: 'ada' } }], payload: { code: CODE } }
    const { previewTrigger } = await acme.ask(query, { input })
    expect(previewTrigger.runs[0].steps).toMatchObject([
      { status: 'SENT', messages: [{ subject: 'Code', body: `Code ${MASK}`, error: null }] },
    ])
    // A field is secret as soon as the editor marks it.
    const unsaved = { type: 'object', properties: { shop: { type: 'string', writeOnly: true } } }
    const steps = [{ email: { subject: 'Shop', body: '{{payload.shop}}' } }]
    const edited = await acme.ask(query, {
      input: { ...input, payload: { shop: 'NEEDLE' }, payloadSchema: unsaved, steps },
    })
    expect(JSON.stringify(edited)).not.toContain('NEEDLE')
  })

  test('is read by conditions, and is masked in the detail of a failure', async () => {
    const condition = { '==': [{ var: 'payload.code' }, CODE] }
    await createMail([
      { email: { ...mail.email, condition } },
      { email: { ...mail.email, stepId: 'other', condition: { '!': condition } } },
      { email: { ...mail.email, stepId: 'broken', body: '{% for i in (1..payload.code) %}{{i}}{% endfor %}' } },
    ])
    const transactionId = await trigger(acme, { payload: { code: CODE } })
    await world.work()
    expect(await outcomes(acme, transactionId)).toMatchObject({ mail: 'SENT', other: 'SKIPPED condition' })
    expect((await adasRun(acme, transactionId)).steps).toMatchObject([
      {},
      { detail: expect.stringContaining(`payload.code was "${MASK}"`) },
      {},
    ])
    expect(await answersOf(acme, transactionId)).not.toContain(`was "${CODE}`)
  })

  test('has a mask in the triggers of a digest, and in its key', async () => {
    await createMail([
      { digest: { stepId: 'wait', amount: 1, unit: 'HOURS', key: 'code' } },
      {
        email: {
          ...mail.email,
          body: '{% for event in digest.events %}{{event.payload.code}} {% endfor %}{{payload.code}}',
        },
      },
    ])
    await trigger(acme, { payload: { code: CODE } })
    await trigger(acme, { payload: { code: 'other' } })
    await world.work({ early: true })
    expect(bodies()).toHaveLength(1)
    expect(receiver.last.json).toMatchObject({ content: `${MASK} ${MASK} ${CODE}` })
  })
})

describe('the values of secret payload fields', () => {
  const later = (hours: number) => world.setClock(new Date(Date.now() + hours * HOUR))
  const sweep = async () => {
    await world.database.pool.query('DELETE FROM sweeps')
    expect(await housekeepingOf(world).perform('retention')).toBe(true)
  }

  beforeEach(async () => {
    await world.database.pool.query('UPDATE events SET secret_payload = NULL')
    await world.database.pool.query('UPDATE deliveries SET secret_content = NULL')
    return () => world.setClock(undefined)
  })

  test('are stored until a message was sent, and those of an event until the next sweep', async () => {
    await createMail()
    receiver.answer(500)
    await trigger(acme, { payload: { code: CODE } })
    await world.work()
    await sweep()
    expect((await sealed()).toSorted()).toEqual(['event', 'message'])
    receiver.answer(200)
    await world.work({ early: true })
    expect(await sealed()).toEqual(['event'])
    await sweep()
    expect(await sealed()).toEqual([])
  })

  test('are kept for a day after a failure, and cannot be sent afterwards', async () => {
    await createMail()
    receiver.answer(400)
    const transactionId = await trigger(acme, { payload: { code: CODE } })
    await world.work()
    later(23)
    await sweep()
    expect((await sealed()).toSorted()).toEqual(['event', 'message'])
    later(25)
    await sweep()
    expect(await sealed()).toEqual([])
    const [{ deliveries }] = (await adasRun(acme, transactionId)).steps
    expect(await acme.act('retryDelivery', { id: deliveries[0].id })).toMatchObject({
      userErrors: [{ code: 'CONFLICT', message: expect.stringContaining('secret payload fields have been removed') }],
    })
    const retried = await acme.act('retryDeliveries', { filter: {} }, 'retriedCount')
    expect(retried).toMatchObject({ retriedCount: 0, userErrors: [] })
    await world.work()
    expect(receiver.received).toHaveLength(1)
  })

  test('never give way to their masks, even if they are removed from a message that is pending', async () => {
    await createMail()
    const transactionId = await trigger(acme, { payload: { code: CODE } })
    await world.database.pool.query('UPDATE events SET secret_payload = NULL, secrets_removed_at = now()')
    await world.work()
    expect(receiver.received).toEqual([])
    expect((await adasRun(acme, transactionId)).steps).toMatchObject([
      { status: 'FAILED', reason: 'content', detail: expect.stringContaining('were removed') },
    ])
  })

  test('are removed when the event is cancelled', async () => {
    await createMail()
    receiver.answer(500)
    const transactionId = await trigger(acme, { payload: { code: CODE } })
    await world.work()
    await done(acme, 'cancelEvent', { transactionId })
    expect(await sealed()).toEqual(['event'])
    await sweep()
    expect(await sealed()).toEqual([])
  })

  test('are removed when the person is erased', async () => {
    await createMail()
    receiver.answer(500)
    await trigger(acme, { payload: { code: CODE } })
    await world.work()
    await done(acme, 'eraseSubscriber', { subscriberId: 'ada' })
    await world.work()
    expect(await sealed()).toEqual([])
  })
})
