// The fields of an email step, from the trigger to a mail server: what arrives is what the preview and the log show.
import { domainToASCII } from 'node:url'
import addressparser from 'nodemailer/lib/addressparser'
import { beforeEach, describe, expect, test } from 'vitest'
import { type Chance, chanceOf } from '../support/chance.ts'
import { readMail, smtp } from '../support/delivery/smtp.ts'
import { adasRun, createIntegration, createWorkflow, done, trigger } from '../support/delivery/story.ts'
import { useReceiver } from '../support/delivery/receiver.ts'
import { type Client, useWorld } from '../support/world.ts'

const world = useWorld()
const receiver = useReceiver()
let acme: Client

beforeEach(async () => {
  acme = await world.environment()
  await done(acme, 'createSubscriber', { subscriberId: 'ada', email: 'ada@example.com' })
})

const envelope = 'email { from to cc bcc replyTo headers { name value } text html }'
const content = { subject: 'Order', body: '<p>Order {{payload.id}}</p>' }
const step = (fields: object) => ({ email: { stepId: 'mail', ...content, ...fields } })

async function useMailServer() {
  const server = await smtp()
  await done(acme, 'createIntegration', {
    identifier: 'smtp',
    providerId: 'NODEMAILER',
    credentials: server.credentials,
  })
  return server
}

type Server = Awaited<ReturnType<typeof useMailServer>>

const lastMail = ({ received }: Server) => {
  const mail = received.at(-1)
  if (mail === undefined) throw new Error('no mail has arrived')
  return mail
}

/** The server spells international domains in Unicode. */
const recipientsOf = ({ to }: ReturnType<typeof lastMail>) =>
  to.map((address) => address.replace(/[^@]+$/, (domain) => domainToASCII(domain)))

const addressesOf = (header: string | undefined) => addressparser(header ?? '', { flatten: true })

/** What a mail server has received, in the form of the envelope. */
function received(server: Server, own: readonly string[]) {
  const mail = lastMail(server)
  const { headers, parts } = readMail(mail)
  const named = (name: string) => addressesOf(headers.get(name))
  const [to, cc] = [named('to'), named('cc')]
  const visible = new Set([...to, ...cc].map(({ address }) => address))
  return {
    from: named('from'),
    to,
    cc,
    bcc: recipientsOf(mail)
      .filter((address) => !visible.has(address))
      .map((address) => ({ name: '', address })),
    replyTo: named('reply-to'),
    headers: own.map((name) => ({ name, value: headers.get(name.toLowerCase()) })),
    text: parts['text/plain'],
    html: parts['text/html'] ?? null,
  }
}

interface Shown {
  readonly from: string | null
  readonly to: readonly string[]
  readonly cc: readonly string[]
  readonly bcc: readonly string[]
  readonly replyTo: readonly string[]
  readonly headers: readonly { readonly name: string; readonly value: string }[]
  readonly text: string | null
  readonly html: string | null
}

/** An envelope with its addresses parsed. Copies that nobody sees have no names on their way. */
const parsed = ({ from, to, cc, bcc, replyTo, ...others }: Shown) => ({
  ...others,
  from: addressesOf(from ?? ''),
  to: addressesOf(to.join()),
  cc: addressesOf(cc.join()),
  bcc: addressesOf(bcc.join()).map(({ address }) => ({ name: '', address })),
  replyTo: addressesOf(replyTo.join()),
})

async function previewed(payload: object): Promise<Shown> {
  const { previewTrigger } = await acme.ask(
    `query ($payload: JSONObject) {
      previewTrigger(input: { name: "order", to: [{ subscriber: { subscriberId: "ada" } }], payload: $payload }) {
        runs { steps { detail messages { ${envelope} } } }
      }
    }`,
    { payload },
  )
  return previewTrigger.runs[0].steps[0].messages[0].email
}

async function logged(): Promise<Shown> {
  const { deliveries } = await acme.ask(`{ deliveries(first: 1) { nodes { ${envelope} } } }`)
  return deliveries.nodes[0].email
}

const someAddresses = [
  'bob@example.com',
  '"Carol, Sales" <carol@example.com>',
  'Dan <dan@bücher.example>, erin@example.com',
  '{{payload.more}}',
  '{% if payload.none %}nobody@example.com{% endif %}',
  'ada@example.com',
]

/** A random configuration of the fields. */
function someFields(chance: Chance): object {
  const addresses = () => Array.from({ length: chance.below(3) }, () => chance.pick(someAddresses))
  const maybe = (fields: object) => (chance.once(2) ? fields : {})
  return {
    ...maybe({ preheader: 'Order {{payload.id}} & more' }),
    ...maybe({ textBody: 'Order {{payload.id}}\nsoon' }),
    ...maybe({ from: chance.pick(['orders@example.org', 'Orders <orders@example.org>', '{{payload.from}}']) }),
    ...maybe({ senderName: chance.pick(['Orders "R" Us', '{{payload.none}}']) }),
    ...maybe({ replyTo: addresses() }),
    ...maybe({ cc: addresses() }),
    ...maybe({ bcc: addresses() }),
    ...maybe({ headers: [{ name: 'X-Order', value: '{{payload.id}}' }] }),
    ...maybe({ threadKey: 'order-{{payload.id}}' }),
    ...maybe({ body: chance.pick(['No tags', '<html><body class="x"><p>{{payload.id}}</p></body></html>']) }),
  }
}

const payload = { id: 7, more: 'Mo <mo@example.com>, max@example.com', from: 'sales@example.net' }

test.each([1, 11, 21, 31, 41])(
  'the preview and the log show what arrives, for ten random configurations from %i',
  async (first) => {
    const server = await useMailServer()
    await createWorkflow(acme, [step({})])
    for (let seed = first; seed < first + 10; seed += 1) {
      await done(acme, 'updateWorkflow', { identifier: 'order', steps: [step(someFields(chanceOf(seed)))] })
      const shown = await previewed(payload)
      await trigger(acme, { payload })
      await world.work()
      const names = shown.headers.map(({ name }) => name)
      expect({ seed, ...received(server, names) }).toEqual({ seed, ...parsed(shown) })
      expect({ seed, ...(await logged()) }).toEqual({ seed, ...shown })
    }
  },
)

test('emails with one thread key arrive in one thread, and others do not', async () => {
  const server = await useMailServer()
  await done(acme, 'createSubscriber', { subscriberId: 'bob', email: 'bob@example.com' })
  await createWorkflow(acme, [step({ threadKey: ' {{payload.order}} ' })])
  for (const [order, to] of [
    ['1', 'ada'],
    ['1', 'ada'],
    ['2', 'ada'],
    ['1', 'bob'],
    [' ', 'ada'],
  ]) {
    await trigger(acme, { to, payload: { order } })
    await world.work()
  }
  const threads = server.received.map((mail) => {
    const { headers } = readMail(mail)
    expect(headers.get('in-reply-to')).toBe(headers.get('references'))
    return headers.get('references')
  })
  expect(threads[0]).toMatch(/^<[0-9a-v]{1,52}@example\.com>$/)
  expect(threads[1]).toBe(threads[0])
  expect(threads[4]).toBeUndefined()
  expect(new Set(threads).size).toBe(4)
})

test('a retried email is in the same thread', async () => {
  await createIntegration(acme, 'EMAIL_WEBHOOK', receiver.url)
  await createWorkflow(acme, [step({ threadKey: 'x', from: 'a@example.org' })])
  receiver.answer(400)
  await trigger(acme)
  await world.work()
  receiver.answer(200)
  const { deliveries } = await acme.ask('{ deliveries { nodes { id } } }')
  await done(acme, 'retryDelivery', { id: deliveries.nodes[0].id })
  await world.work()
  const [first, second] = receiver.received.map(({ json }) => Object(json).headers)
  expect(first).toEqual([
    { name: 'References', value: expect.stringMatching(/@example\.org>$/) },
    { name: 'In-Reply-To', value: expect.stringMatching(/@example\.org>$/) },
  ])
  expect(second).toEqual(first)
})

describe('a field that renders to something invalid fails the step and is named', () => {
  const many = (count: number) => Array.from({ length: count }, (_, index) => `p${index}@example.com`).join()
  const addresses = 'an empty text or email addresses, separated by commas, without control characters'

  test.each<[string, object, string, string]>([
    ['a name in brackets', { cc: ['{{payload.x}}'] }, '"a" <b>', `cc[0] must render to ${addresses}`],
    [
      'a line break',
      { bcc: ['x@example.com', '{{payload.x}}'] },
      'a@example.com\r\nb',
      `bcc[1] must render to ${addresses}`,
    ],
    [
      'two senders',
      { from: '{{payload.x}}' },
      'a@example.com, b@example.com',
      'from must render to an empty text or one email address, without control characters',
    ],
    [
      'a line break in a name',
      { senderName: '{{payload.x}}' },
      'A\r\nBcc: eve@example.com',
      'senderName must render to at most 255 characters, without control characters',
    ],
    [
      'a long header',
      { headers: [{ name: 'X-A', value: '{{payload.x}}' }] },
      'x'.repeat(999),
      'headers[0].value must render to at most 998 characters, without control characters',
    ],
    [
      '51 addresses',
      { cc: ['{{payload.x}}'] },
      many(50),
      'cc must render to at most 50 addresses, with the recipient and those of the other fields',
    ],
  ])('%s', async (_name, fields, x, detail) => {
    await createIntegration(acme, 'EMAIL_WEBHOOK', receiver.url)
    await createWorkflow(acme, [step(fields)])
    const { previewTrigger } = await acme.ask(
      'query ($payload: JSONObject) { previewTrigger(input: { name: "order", to: [{ subscriber: { subscriberId: "ada" } }], payload: $payload }) { runs { steps { status reason detail } } } }',
      { payload: { x } },
    )
    const failed = { status: 'FAILED', reason: 'content', detail }
    expect(previewTrigger.runs[0].steps).toMatchObject([failed])
    const transactionId = await trigger(acme, { payload: { x } })
    await world.work()
    expect((await adasRun(acme, transactionId)).steps).toMatchObject([failed])
    expect(receiver.received).toEqual([])
  })
})

test('50 addresses, 998 characters and an international domain are accepted, and each address gets one copy', async () => {
  const server = await useMailServer()
  await createWorkflow(acme, [step({ cc: ['{{payload.cc}}'], headers: [{ name: 'X-A', value: '{{payload.a}}' }] })])
  const cc = ['Jo <jo@bücher.example>', 'Ada@example.com', ...Array.from({ length: 47 }, (_, n) => `p${n}@example.com`)]
  await trigger(acme, { payload: { cc: cc.join(', '), a: 'x'.repeat(998) } })
  await world.work()
  const to = recipientsOf(lastMail(server))
  expect(to).toHaveLength(49)
  expect(to.slice(0, 3)).toEqual(['ada@example.com', 'jo@xn--bcher-kva.example', 'p0@example.com'])
  expect(readMail(lastMail(server)).headers.get('x-a')).toBe('x'.repeat(998))
})

describe('secret payload fields', () => {
  const payloadSchema = { type: 'object', properties: { code: { type: 'string', writeOnly: true } } }

  test('in the fields are sent and never shown', async () => {
    await createIntegration(acme, 'EMAIL_WEBHOOK', receiver.url)
    const fields = {
      preheader: '{{payload.code}}',
      textBody: '{{payload.code}}',
      cc: ['{{payload.code}}@example.com'],
      headers: [{ name: 'X-Code', value: '{{payload.code}}' }],
    }
    await createWorkflow(acme, [step(fields)], { payloadSchema })
    await trigger(acme, { payload: { code: 'KX7Q9Z' } })
    const { rows } = await world.database.pool.query('SELECT to_jsonb(one)::text AS row FROM deliveries AS one')
    expect(JSON.stringify(rows)).not.toContain('KX7Q9Z')
    await world.work()
    expect(receiver.last.json).toMatchObject({
      cc: ['KX7Q9Z@example.com'],
      text: 'KX7Q9Z',
      headers: [{ name: 'X-Code', value: 'KX7Q9Z' }],
      content: expect.stringContaining('>KX7Q9Z</div>'),
    })
    const shown = await logged()
    expect(JSON.stringify(shown)).not.toContain('KX7Q9Z')
    expect(shown).toMatchObject({ text: '••••••', headers: [{ name: 'X-Code', value: '••••••' }] })
  })

  test('in a thread key are an error of the step', async () => {
    await createIntegration(acme, 'EMAIL_WEBHOOK', receiver.url)
    await createWorkflow(acme, [step({ threadKey: '{{payload.code}}' })], { payloadSchema })
    const transactionId = await trigger(acme, { payload: { code: 'KX7Q9Z' } })
    await world.work()
    expect((await adasRun(acme, transactionId)).steps).toMatchObject([
      { status: 'FAILED', reason: 'content', detail: 'threadKey must not contain a secret payload field' },
    ])
  })
})

test('a bare email has an envelope, and other messages have none', async () => {
  await useMailServer()
  await createIntegration(acme, 'GENERIC_SMS', receiver.url)
  await done(acme, 'updateSubscriber', { subscriberId: 'ada', phone: '+4915123456789' })
  await createWorkflow(acme, [step({}), { sms: { body: 'x' } }])
  await trigger(acme, { payload })
  await world.work()
  const { deliveries } = await acme.ask(`{ deliveries { nodes { channel ${envelope} } } }`)
  const byChannel = Object.fromEntries(deliveries.nodes.map(({ channel, email }) => [channel, email]))
  expect(byChannel).toEqual({
    SMS: null,
    EMAIL: {
      from: '"The Shop" <shop@example.com>',
      to: ['ada@example.com'],
      ...{ cc: [], bcc: [], replyTo: [], headers: [] },
      text: 'Order 7',
      html: '<p>Order 7</p>',
    },
  })
})
