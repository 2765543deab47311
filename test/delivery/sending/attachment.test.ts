// Attachments, from the upload or the trigger to the mail server.
import { createHash, randomBytes } from 'node:crypto'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { createOutbound } from '../../../src/delivery/network/outbound.ts'
import { quietWorker } from '../../support/delivery/quiet-worker.ts'
import { useReceiver } from '../../support/delivery/receiver.ts'
import { attachmentsIn, smtp } from '../../support/delivery/smtp.ts'
import { createIntegration, createWorkflow, done } from '../../support/delivery/story.ts'
import { housekeepingOf } from '../../support/housekeeping.ts'
import { until } from '../../support/process/gateway-process.ts'
import { type Client, useWorld } from '../../support/world.ts'

const world = useWorld()
const receiver = useReceiver()
let acme: Client

const pdf = Buffer.from('%PDF-1.7 an invoice')
const body = '<p>Your invoice</p>'

beforeEach(async () => {
  acme = await world.environment()
  await done(acme, 'createSubscriber', { subscriberId: 'ada', email: 'ada@example.com' })
})

async function useMailServer(fields: object = {}, before: readonly object[] = []) {
  const server = await smtp()
  await done(acme, 'createIntegration', {
    identifier: 'smtp',
    providerId: 'NODEMAILER',
    credentials: server.credentials,
  })
  await createWorkflow(acme, [...before, { email: { stepId: 'mail', subject: 'Invoice', body, ...fields } }])
  return {
    files() {
      const mail = server.received.at(-1)
      return mail === undefined ? [] : attachmentsIn(mail)
    },
    received: server.received,
  }
}

interface Uploaded {
  readonly _id: string
  readonly name: string
  readonly size: number
  readonly sha256: string
}

async function upload(bytes: Buffer | ReadableStream, name = 'invoice.pdf', client = acme) {
  const path = `POST /v1/attachments?name=${encodeURIComponent(name)}&contentType=application/pdf` as const
  return client.rest<Uploaded>(path, { body: bytes, headers: { 'content-type': 'application/octet-stream' } })
}

const inTrigger = (data: Buffer, name = 'invoice.pdf', more: object = {}) => ({
  content: { name, data: data.toString('base64'), contentType: 'application/pdf', ...more },
})

const post = (more: object, client = acme) =>
  client.rest('POST /v1/events/trigger', { body: { name: 'order', to: { subscriberId: 'ada' }, ...more } })

/** The number of rows of each table of attachments, in all environments. */
async function rows(client = acme) {
  const { environment } = await client.ask('{ environment { id } }')
  const id = Buffer.from(environment.id, 'base64').toString().split(':')[1] ?? ''
  const { rows: found } = await world.database.pool.query<{ files: number; pieces: number; used: number }>(
    `SELECT (SELECT count(*) FROM attachments WHERE environment_id = $1)::int AS files,
            (SELECT count(*) FROM attachment_chunks WHERE environment_id = $1)::int AS pieces,
            (SELECT count(*) FROM event_attachments WHERE environment_id = $1)::int AS used`,
    [id],
  )
  return found[0]
}

describe('a file arrives as it was', () => {
  test('if it was uploaded before', async () => {
    const server = await useMailServer()
    const bytes = randomBytes(700_000)
    const { status, body: uploaded } = await upload(bytes)
    expect([status, uploaded.size]).toEqual([201, bytes.byteLength])
    expect(uploaded.sha256).toBe(createHash('sha256').update(bytes).digest('hex'))
    await post({ attachments: [{ uploaded: { id: uploaded._id } }] })
    await world.work()
    expect(server.files()).toEqual([{ name: 'invoice.pdf', contentType: 'application/pdf', bytes }])
  })

  test('if it is in the trigger', async () => {
    const server = await useMailServer()
    await post({ attachments: [inTrigger(pdf)] })
    await world.work()
    expect(server.files()).toEqual([{ name: 'invoice.pdf', contentType: 'application/pdf', bytes: pdf }])
  })

  test('if it has 20 MiB, in the body of a trigger', async () => {
    const server = await useMailServer()
    const bytes = Buffer.alloc(20 * 1024 * 1024, randomBytes(8191))
    expect(await post({ attachments: [inTrigger(bytes)] })).toMatchObject({ status: 201 })
    await world.work()
    const { deliveries } = await acme.ask('{ deliveries { nodes { status attempts { error } } } }')
    expect(deliveries.nodes).toMatchObject([{ status: 'SENT', attempts: [{ error: null }] }])
    expect(server.files()[0]?.bytes.equals(bytes)).toBe(true)
  })

  test.each([
    ['base64', pdf.toString('base64')],
    ['a Buffer', pdf.toJSON()],
  ])('if it is in the payload as %s, which keeps only its name, type and size', async (_form, file) => {
    const server = await useMailServer({ subject: '{{payload.attachments[0].name}}' })
    await post({ payload: { id: 7, attachments: [{ file, name: 'invoice.pdf', mime: 'application/pdf' }] } })
    await world.work()
    expect(server.files()).toEqual([{ name: 'invoice.pdf', contentType: 'application/pdf', bytes: pdf }])
    expect(server.received.at(-1)?.message).toContain('Subject: invoice.pdf')
    const { events } = await acme.ask('{ events { nodes { payload } } }')
    const kept = { name: 'invoice.pdf', mime: 'application/pdf', size: pdf.byteLength }
    expect(events.nodes).toEqual([{ payload: { id: 7, attachments: [kept] } }])
  })

  test('if it is at a URL, and is fetched once for all attempts', async () => {
    const server = await useMailServer()
    receiver.answer(200, 'first', { 'content-type': 'text/plain' })
    // The receiver stands on a private address, which the world allows.
    await post({ attachments: [{ url: { url: `${receiver.url}/files/a%20b.txt` } }] })
    await world.work()
    expect(server.files()).toEqual([{ name: 'a b.txt', contentType: 'text/plain', bytes: Buffer.from('first') }])
    const envelope = 'email { attachments { name contentType size } }'
    const { deliveries } = await acme.ask<object & { deliveries: unknown }>(`{ deliveries { nodes { ${envelope} } } }`)
    expect(deliveries).toEqual({
      nodes: [{ email: { attachments: [{ name: 'a b.txt', contentType: 'text/plain', size: 5 }] } }],
    })
  })
})

describe('a URL that fails', () => {
  test.each([404, 410])('with %i fails the message at once and says so', async (status) => {
    await useMailServer()
    receiver.answer(status, '<h1>Nothing</h1>')
    await post({ attachments: [{ url: { url: `${receiver.url}/gone.pdf` } }] })
    await world.work()
    const { deliveries } = await acme.ask('{ deliveries { nodes { status cause attempts { error } } } }')
    const error = expect.stringContaining(`responded with ${status}`) as string
    expect(deliveries.nodes).toMatchObject([
      { status: 'FAILED', cause: 'ATTACHMENT_UNAVAILABLE', attempts: [{ error }] },
    ])
  })

  test('for a while is fetched again', async () => {
    const server = await useMailServer()
    receiver.answer(503)
    await post({ attachments: [{ url: { url: `${receiver.url}/late.pdf` } }] })
    await world.work()
    expect(server.received).toEqual([])
    receiver.answer(200, 'late')
    await world.work({ early: true })
    expect(server.files()).toMatchObject([{ name: 'late.pdf', bytes: Buffer.from('late') }])
  })

  test('does not count against the provider of the emails', async () => {
    const server = await useMailServer()
    receiver.answer(503)
    const to = Array.from({ length: 6 }, (_, index) => ({ subscriberId: `${index}`, email: `${index}@example.com` }))
    await post({ to, attachments: [{ url: { url: `${receiver.url}/late.pdf` } }] })
    await world.work()
    const { integrations } = await acme.ask('{ integrations { nodes { circuit } } }')
    expect(integrations.nodes).toEqual([{ circuit: 'CLOSED' }])
    receiver.answer(200, 'late')
    await world.work({ early: true })
    expect(server.received).toHaveLength(6)
  })

  test('is not tried through another integration, which could not fetch it either', async () => {
    const server = await useMailServer()
    await createIntegration(acme, 'EMAIL_WEBHOOK', receiver.url, { identifier: 'spare', isFallback: true })
    receiver.answer(503)
    await post({ attachments: [{ url: { url: `${receiver.url}/late.pdf` } }] })
    await world.work()
    await world.work({ early: true })
    const { deliveries } = await acme.ask(
      '{ deliveries { nodes { status cause integrationIdentifier attempts { nextRouteReason } routes { leftReason } } } }',
    )
    expect(deliveries.nodes).toEqual([
      {
        ...{ status: 'FAILED', cause: 'ATTACHMENT_UNAVAILABLE', integrationIdentifier: 'smtp' },
        attempts: Array(10).fill({ nextRouteReason: null }),
        routes: [{ leftReason: null }, { leftReason: null }],
      },
    ])
    expect(server.received).toEqual([])
  })

  test('because its name leads to a private address fails the message, and the attempt says so', async () => {
    const server = await useMailServer()
    const names = { knows: () => true, resolve: () => Promise.resolve([{ address: '10.0.0.5', family: 4 }]) }
    const outbound = createOutbound({ allowPrivateAddresses: false, names })
    onTestFinished(() => outbound.close())
    await post({ attachments: [{ url: { url: 'https://files.example.com/secret.pdf' } }] })
    await quietWorker(world, { outbound }).drain()
    const { deliveries } = await acme.ask('{ deliveries { nodes { status cause attempts { error } } } }')
    const error = expect.stringMatching(/"secret.pdf" cannot be fetched: .*private/) as string
    expect(deliveries.nodes).toMatchObject([
      { status: 'FAILED', cause: 'ATTACHMENT_UNAVAILABLE', attempts: [{ error }] },
    ])
    expect(server.received).toEqual([])
  })
})

test('a step without attachments sends none', async () => {
  const server = await useMailServer({ attachments: false })
  await post({ attachments: [inTrigger(pdf)] })
  await world.work()
  expect([server.received.length, server.files()]).toEqual([1, []])
})

describe('bad input', () => {
  const fails = async (more: object, status: number, text: string) => {
    const answer = await post(more)
    expect([answer.status, JSON.stringify(answer.body)]).toEqual([status, expect.stringContaining(text)])
  }

  test('names its field', async () => {
    await useMailServer()
    const at = (content: object) => ({ attachments: [{ content: { name: 'a.pdf', data: 'aGk=', ...content } }] })
    await fails(at({ data: '****' }), 422, 'attachments[0].content.data must be base64')
    await fails(at({ name: '../a.pdf' }), 422, 'attachments[0].content.name must be')
    await fails(at({ contentType: 'pdf' }), 422, 'attachments[0].content.contentType must be a media type')
    await fails({ attachments: [{}] }, 422, 'attachments[0]')
    await fails(
      { attachments: Array.from({ length: 11 }, () => inTrigger(pdf)) },
      422,
      'attachments must be at most 10',
    )
    const file = { file: '****', name: 'a.pdf', mime: 'application/pdf' }
    await fails({ payload: { attachments: [file] } }, 422, 'payload.attachments[0].file must be base64')
    const unknown = '0199a2c4-7f10-7c3e-9a51-3f6f2f1d0b11'
    await fails({ attachments: [{ uploaded: { id: unknown } }] }, 404, `Attachment \\"${unknown}\\" not found`)
  })

  test('that is too large is rejected', async () => {
    await useMailServer()
    const half = Buffer.alloc(11 * 1024 * 1024)
    const one = await upload(half, 'one.pdf')
    const id = one.body._id
    await fails({ attachments: [{ uploaded: { id } }, { uploaded: { id } }] }, 413, 'attachments must be at most')
    const tooLarge = await upload(Buffer.alloc(20 * 1024 * 1024 + 1))
    expect(tooLarge.status).toBe(413)
    expect(await rows()).toEqual({ files: 1, pieces: 44, used: 0 })
  })
})

describe('equal bytes', () => {
  test('are stored once in an environment, and not visible in another', async () => {
    await useMailServer()
    const [one, other] = [await upload(pdf, 'a.pdf'), await upload(pdf, 'b.pdf')]
    expect([other.body._id, other.body.name]).toEqual([one.body._id, 'b.pdf'])
    await post({ attachments: [inTrigger(pdf), { uploaded: { id: one.body._id } }] })
    expect(await rows()).toEqual({ files: 1, pieces: 1, used: 2 })
    const globex = await world.environment()
    expect((await globex.rest(`GET /v1/attachments/${one.body._id}`)).status).toBe(404)
    const { status } = await post({ attachments: [{ uploaded: { id: one.body._id } }] }, globex)
    expect(status).toBe(404)
  })
})

test('a download is the bytes, as a file that browsers save', async () => {
  const { body: uploaded } = await upload(pdf, 'Rechnung “1”.pdf')
  const { status, headers, body: bytes } = await acme.rest<string>(`GET /v1/attachments/${uploaded._id}`)
  expect([status, bytes]).toEqual([200, pdf.toString()])
  expect(headers.get('content-disposition')).toMatch(/^attachment; filename="Rechnung _1_.pdf"; filename\*=UTF-8''/)
  expect(headers.get('x-content-type-options')).toBe('nosniff')
})

test('a digest sends the files of all its events, oldest first, and says how many it left out', async () => {
  const server = await useMailServer({}, [{ digest: { stepId: 'wait', amount: 1, unit: 'HOURS' } }])
  for (const part of [1, 2, 3]) {
    const files = Array.from({ length: 4 }, (_one, index) => inTrigger(pdf, `${part}-${index}.pdf`))
    await post({ attachments: files })
    await world.work()
  }
  await world.work({ early: true })
  expect(server.files().map(({ name }) => name)).toEqual(
    [1, 2, 3].flatMap((part) => [0, 1, 2, 3].map((index) => `${part}-${index}.pdf`)).slice(0, 10),
  )
  const { deliveries } = await acme.ask(
    '{ deliveries { nodes { event { runs(first: 1) { nodes { steps { stepId detail } } } } } } }',
  )
  expect(JSON.stringify(deliveries)).toContain('"detail":"2 attachments were left out')
})

describe('bytes do not stay', () => {
  test('after the erasure of the person', async () => {
    await useMailServer()
    await post({ attachments: [inTrigger(pdf, 'ada@example.com.pdf')] })
    await world.work()
    expect(await rows()).toEqual({ files: 1, pieces: 1, used: 1 })
    await done(acme, 'eraseSubscriber', { subscriberId: 'ada' })
    await world.work()
    expect(await rows()).toEqual({ files: 0, pieces: 0, used: 0 })
  })

  test('after the erasure of the person, if they were fetched from a URL', async () => {
    await useMailServer()
    receiver.answer(200, 'first', { 'content-type': 'text/plain' })
    await post({ attachments: [{ url: { url: `${receiver.url}/a.txt` } }] })
    await world.work()
    expect(await rows()).toEqual({ files: 1, pieces: 1, used: 1 })
    await done(acme, 'eraseSubscriber', { subscriberId: 'ada' })
    await world.work()
    expect(await rows()).toEqual({ files: 0, pieces: 0, used: 0 })
  })

  test('but those of an upload do, if the event that has equal ones is deleted before its trigger', async () => {
    const server = await useMailServer()
    await post({ attachments: [inTrigger(pdf)] })
    await world.work()
    const { body: uploaded } = await upload(pdf, 'again.pdf')
    await done(acme, 'eraseSubscriber', { subscriberId: 'ada' })
    await world.work()
    expect(await rows()).toEqual({ files: 1, pieces: 1, used: 0 })
    await done(acme, 'createSubscriber', { subscriberId: 'ada', email: 'ada@example.com' })
    expect(await post({ attachments: [{ uploaded: { id: uploaded._id } }] })).toMatchObject({ status: 201 })
    await world.work()
    expect(server.files()).toMatchObject([{ name: 'again.pdf', bytes: pdf }])
  })

  test('after a day, if no trigger used the upload; others stay', async () => {
    await useMailServer()
    await upload(Buffer.from('unused'))
    await post({ attachments: [inTrigger(pdf)] })
    const now = () => new Date(Date.now() + 25 * 3_600_000)
    await housekeepingOf(world, { gateway: { ...world.gateway, now } }).perform('retention')
    expect(await rows()).toEqual({ files: 1, pieces: 1, used: 1 })
  })

  test('after a day, if the process died in the middle of the upload', async () => {
    let leave = () => {}
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(randomBytes(700_000))
        leave = () => controller.error(new Error('the client has left'))
      },
    })
    // Nothing more arrives, as if the process had ended here.
    const unfinished = upload(body)
    await until(async () => ((await rows())?.pieces === 2 ? true : undefined))
    expect(await rows()).toEqual({ files: 1, pieces: 2, used: 0 })
    // The task was performed a day from now already.
    const now = () => new Date(Date.now() + 48 * 3_600_000)
    await housekeepingOf(world, { gateway: { ...world.gateway, now } }).perform('retention')
    expect(await rows()).toEqual({ files: 0, pieces: 0, used: 0 })
    leave()
    await unfinished.catch(() => {})
  })
})

test('both doors upload, trigger and show the same', async () => {
  const server = await useMailServer()
  const { attachment } = await acme.act(
    'uploadAttachment',
    { name: 'invoice.pdf', contentType: 'application/pdf', content: pdf.toString('base64') },
    'attachment { id name size sha256 }',
  )
  const { body: again } = await upload(pdf)
  expect(attachment).toMatchObject({ name: again.name, size: again.size, sha256: again.sha256 })
  const { event } = await acme.act(
    'triggerEvent',
    {
      workflowIdentifier: 'order',
      to: [{ subscriber: { subscriberId: 'ada' } }],
      attachments: [
        { uploaded: { id: attachment.id, disposition: 'INLINE', contentId: 'logo' } },
        { content: { name: 'b.txt', data: 'aGk=' } },
      ],
    },
    'event { transactionId attachments { name contentType size contentId disposition url attachment { id } } }',
  )
  expect(event.attachments).toEqual([
    {
      ...{ name: 'invoice.pdf', contentType: 'application/pdf', size: pdf.byteLength, url: null },
      ...{ contentId: 'logo', disposition: 'INLINE', attachment: { id: attachment.id } },
    },
    {
      ...{ name: 'b.txt', contentType: 'application/octet-stream', size: 2, url: null },
      ...{ contentId: null, disposition: 'ATTACHMENT', attachment: { id: expect.any(String) as string } },
    },
  ])
  const shown = await acme.rest<{ attachments: unknown }>(`GET /v1/events/${event.transactionId}`)
  expect(shown.body.attachments).toMatchObject([{ name: 'invoice.pdf', disposition: 'inline' }, { name: 'b.txt' }])
  await world.work()
  expect(server.files().map(({ name }) => name)).toEqual(['invoice.pdf', 'b.txt'])
})

test('a preview names the files and stores nothing', async () => {
  await useMailServer()
  const input = {
    workflowIdentifier: 'order',
    to: [{ subscriber: { subscriberId: 'ada' } }],
    attachments: [{ content: { name: 'b.txt', data: 'aGk=' } }],
  }
  const { previewTrigger } = await acme.ask<{ previewTrigger: unknown }>(
    `query ($input: PreviewTriggerInput!) { previewTrigger(input: $input) {
      runs { steps { messages { email { attachments { name contentType size } } } } } } }`,
    { input },
  )
  expect(JSON.stringify(previewTrigger)).toContain('"attachments":[{"name":"b.txt"')
  expect(await rows()).toEqual({ files: 0, pieces: 0, used: 0 })
})

test('an invitation is an alternative of the text', async () => {
  const server = await useMailServer()
  const data = Buffer.from('BEGIN:VCALENDAR\r\nMETHOD:REQUEST\r\nEND:VCALENDAR\r\n').toString('base64')
  await post({ attachments: [{ content: { name: 'invite.ics', data, contentType: 'text/calendar; method=REQUEST' } }] })
  await world.work()
  const message = server.received.at(-1)?.message ?? ''
  expect(message).toContain('multipart/alternative')
  expect(message).toMatch(/Content-Type: text\/calendar; (?:charset=utf-8; )?method=REQUEST/i)
  expect(server.files()).toEqual([])
})
