// Large bodies of triggers: which strings are files, and that all others stay as they were sent.
import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { parseLargeBody } from '../../src/rest/large-body.ts'
import { decodeInPlace } from '../../src/rest/long-strings.ts'

const bytes = randomBytes(300_001)
const base64 = bytes.toString('base64')

/** Parses a body, as if it had been received. */
async function parsed(text: string) {
  const body = Buffer.alloc(Buffer.byteLength(text))
  body.write(text)
  return parseLargeBody(body)
}

const withFile = (file: string) => `{"name":"scan","payload":{"attachments":[{"file":${file},"name":"scan.bin"}]}}`

/** The only file of a body. */
async function fileIn(text: string): Promise<Buffer | undefined> {
  const [file, ...others] = (await parsed(text)).files
  expect(others).toEqual([])
  return file && Buffer.from(file.bytes)
}

describe('a large body', () => {
  test.each([
    ['in base64', JSON.stringify(base64)],
    ['in base64 without padding', JSON.stringify(base64.replace(/=+$/, ''))],
    ['in the alphabet of URLs', JSON.stringify(bytes.toString('base64url'))],
    ['with escaped slashes', JSON.stringify(base64).replaceAll('/', String.raw`\/`)],
    ['as a Buffer of Node.js', JSON.stringify(bytes)],
  ])('has a file %s', async (_form, file) => {
    expect((await fileIn(withFile(file)))?.equals(bytes)).toBe(true)
  })

  test('has the file of the input, also within `data`', async () => {
    const trigger = { attachments: [{ content: { data: base64, name: 'scan.bin' } }] }
    expect((await fileIn(JSON.stringify({ data: trigger })))?.equals(bytes)).toBe(true)
  })

  test.each(['*'.repeat(300_000), `${base64.slice(0, 200_000)}=${base64.slice(200_001)}`, `${base64}A`])(
    'has no file in what is not base64',
    async (text) => {
      const read = await parsed(withFile(JSON.stringify(text)))
      expect(read.files).toEqual([])
      expect(read.body).toMatchObject({ payload: { attachments: [{ file: '*' }] } })
    },
  )

  test('keeps long strings in other places', async () => {
    const [quotes, letters] = ['"\\ü\n'.repeat(40_000), 'é'.repeat(100_000)]
    const body = { name: 'scan', payload: { quotes, [letters]: base64, attachments: [{ file: base64, name: 'a' }] } }
    const read = await parsed(JSON.stringify(body))
    expect(read.body).toEqual({ ...body, payload: { ...body.payload, attachments: [{ file: null, name: 'a' }] } })
    expect(Buffer.from(read.files[0]?.bytes ?? []).equals(bytes)).toBe(true)
  })

  test.each([
    ['that ends within a string', ''],
    ['with a control character in a string', '\n"}'],
    ['with an unknown escape in a string', '\\x"}'],
  ])('%s is rejected', async (_fault, end) => {
    await expect(parsed(`{"payload":"${'a'.repeat(300_000)}${end}`)).rejects.toMatchObject({ kind: 'MALFORMED' })
  })

  test('that is not UTF-8 is rejected', async () => {
    const body = Buffer.alloc(300_000, 0xff)
    body.write('{"payload":"')
    body.write('"}', body.length - 2)
    await expect(parseLargeBody(body)).rejects.toMatchObject({
      kind: 'MALFORMED',
      message: 'The body is not valid UTF-8',
    })
  })
})

describe('a hostile body', () => {
  const fails = async (text: string, message: string) =>
    expect(parsed(text)).rejects.toMatchObject({
      kind: 'MALFORMED',
      message: expect.stringContaining(message) as string,
    })

  test('of too many values is rejected', async () => {
    await fails(`{"payload":[${'{},'.repeat(400_000)}1]}`, 'more than 400000 values')
    await fails(`{"payload":[${'1,'.repeat(500_000)}1]}`, 'more than 400000 values')
    const names = Array.from({ length: 70_000 }, (_one, index) => `"n${index}":1`)
    await fails(`{"payload":{${names.join()}}}`, 'more than 60000 different field names')
  })

  test('of many long strings is read in one pass', async () => {
    const texts = Array.from({ length: 300 }, (_one, index) => `${index}${'é'.repeat(6_000)}${'x'.repeat(66_000)}`)
    await expect(parsed(JSON.stringify({ payload: { texts } }))).rejects.toMatchObject({ kind: 'PAYLOAD_TOO_LARGE' })
    const fewer = { payload: { texts: texts.slice(0, 40) } }
    expect((await parsed(JSON.stringify(fewer))).body).toEqual(fewer)
  })
})

test('base64 of every length is decoded as Node decodes it', () => {
  for (let length = 1; length < 50; length += 1) {
    const text = bytes.subarray(0, length).toString('base64')
    expect(decodeInPlace(Buffer.from(text))).toEqual(bytes.subarray(0, length))
    expect(decodeInPlace(Buffer.from(text.replace(/=+$/, '')))).toEqual(bytes.subarray(0, length))
    expect(decodeInPlace(Buffer.from(`${text}A`))).toBe(undefined)
  }
})
