// The largest files that emails may have, byte by byte at each email provider.
import { createHash, randomBytes } from 'node:crypto'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import type { LoadedFile } from '../../../src/engine/message.ts'
import { deliver, failureOf, toEmail } from '../../support/delivery/message.ts'
import { listening } from '../../support/delivery/receiver.ts'
import { attachmentsIn, smtp } from '../../support/delivery/smtp.ts'

const MIB = 1024 * 1024
const random = randomBytes(20 * MIB)
const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

/** A request whose bytes are kept as they are, because a form has binary parts. */
interface Request {
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

let received: Request[] = []
let url: string
const server = createServer((request, response) => {
  void buffer(request).then((body) => {
    received.push({ headers: request.headers, body })
    response.end('{}')
  })
})
beforeAll(async () => {
  url = `http://127.0.0.1:${await listening(server)}`
})
afterAll(() => {
  received = []
  server.closeAllConnections()
  server.close()
})

type Provider = Parameters<typeof deliver>[0]

const send = (provider: Provider, bytes: Uint8Array, more: object = {}) => {
  received = []
  const file: LoadedFile = { name: 'film.bin', contentType: 'application/octet-stream', bytes }
  const account = { from: 'shop@example.com', apiKey: 'key', domain: 'example.com', baseUrl: url, webhookUrl: url }
  const content = { subject: 'A film', body: 'Hello' }
  return deliver(provider, { target: toEmail, content, files: [file], credentials: { ...account, ...more } })
}

function lastRequest(): Request {
  const last = received.at(-1)
  if (last === undefined) throw new Error('nothing was received')
  return last
}

/** Reads the field `name` of the first item of a list in a JSON request. */
function inJson(list: string, name: string): Uint8Array {
  const { [list]: items } = z.looseObject({}).parse(JSON.parse(lastRequest().body.toString('latin1')))
  const [file] = z.array(z.looseObject({ [name]: z.string() })).parse(items)
  return Buffer.from(z.string().parse(file?.[name]), 'base64')
}

async function inForm(): Promise<Uint8Array> {
  const { headers, body } = lastRequest()
  const type = String(headers['content-type'])
  const form = await new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData()
  const file = form.get('attachment')
  if (!(file instanceof File)) throw new Error('the form has no file')
  return new Uint8Array(await file.arrayBuffer())
}

test.each<[Provider, number, () => Uint8Array | Promise<Uint8Array>]>([
  ['sendgrid', 20, () => inJson('attachments', 'content')],
  ['resend', 20, () => inJson('attachments', 'content')],
  ['email-webhook', 20, () => inJson('attachments', 'content')],
  ['mailgun', 20, inForm],
  ['postmark', 10, () => inJson('Attachments', 'Content')],
])('%s gets a file of %i MiB byte by byte', async (provider, size, read) => {
  const bytes = random.subarray(0, size * MIB)
  await send(provider, bytes)
  expect(hashOf(await read())).toBe(hashOf(bytes))
})

test('nodemailer sends a file of 20 MiB byte by byte', async () => {
  const mailServer = await smtp()
  await send('nodemailer', random, mailServer.credentials)
  const [mail] = mailServer.received
  const [file] = mail ? attachmentsIn(mail) : []
  expect(hashOf(file?.bytes ?? Buffer.alloc(0))).toBe(hashOf(random))
})

test('Postmark, which takes at most 10 MiB, gets no larger file', async () => {
  const { permanent, message } = await failureOf(send('postmark', random.subarray(0, 10 * MIB + 1)))
  expect([permanent, message]).toEqual([true, expect.stringContaining('at most 10485760 bytes') as string])
  expect(received).toEqual([])
})
