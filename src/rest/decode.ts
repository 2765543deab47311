// A request's parts as they come over the wire: percent-encoding, query arrays, and JSON bodies.
import { z } from 'zod'
import { Refusal } from '../lib/errors.ts'
import { assertJson } from '../lib/validation.ts'

/** Objects and arrays inside each other in a body: more than any field of ours allows. */
const MAX_DEPTH = 64

const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * The object of a body. Some clients wrap what they send in `data`: a body of that one key is unwrapped, unless the
 * schema takes it as it stands.
 *
 * @throws Refusal `UNSUPPORTED_MEDIA_TYPE`, or `MALFORMED` when it is no JSON object, no UTF-8, or nested too deep.
 */
export function readBody(bytes: Buffer, contentType: string, schema: z.ZodType): object {
  if (bytes.byteLength === 0 && contentType === '') return {}
  assertJsonType(contentType)
  const sent = readJson(bytes)
  assertJson(sent, MAX_DEPTH)
  const isWrapped = isObject(sent) && Object.keys(sent).join() === 'data' && !takesDataAlone(schema)
  const body: unknown = isWrapped ? Reflect.get(sent, 'data') : sent
  if (!isObject(body)) throw new Refusal('MALFORMED', 'The body must be a JSON object')
  return body
}

function assertJsonType(contentType: string): void {
  const refused = (message: string) => new Refusal('UNSUPPORTED_MEDIA_TYPE', message)
  if (contentType === '') throw refused('The body must be application/json, and has no Content-Type')
  if (!/^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(contentType)) {
    throw refused(`The body must be application/json, and is "${contentType.slice(0, 100)}"`)
  }
  const [, charset = 'utf-8'] = /;\s*charset="?([^";\s]*)/i.exec(contentType) ?? []
  if (!/^utf-?8$/i.test(charset)) throw refused(`The body must be in UTF-8, and is in "${charset.slice(0, 100)}"`)
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

type Fields = Readonly<Record<string, z.core.$ZodType>>

/** Whether `{data}` is a whole body by itself: the new data of a subscriber, say. */
function takesDataAlone(schema: z.ZodType): boolean {
  const fields: Fields = schema instanceof z.ZodObject ? schema.shape : {}
  const mayBeAbsent = (field: z.core.$ZodType) => z.safeParse(field, undefined).success
  return (
    Object.hasOwn(fields, 'data') &&
    Object.entries(fields).every(([name, field]) => name === 'data' || mayBeAbsent(field))
  )
}

function readJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(utf8.decode(bytes))
  } catch (error) {
    if (error instanceof SyntaxError) throw new Refusal('MALFORMED', `The body is not valid JSON: ${error.message}`)
    if (error instanceof TypeError) throw new Refusal('MALFORMED', 'The body is not valid UTF-8')
    throw error
  }
}

/** @throws Refusal `MALFORMED` when path or query are not what percent-encoding makes of UTF-8. */
export function assertEncoded({ pathname, search }: URL): void {
  try {
    decodeURIComponent(pathname + search)
  } catch (cause) {
    if (cause instanceof URIError) throw new Refusal('MALFORMED', 'The path and query must be percent-encoded UTF-8')
    throw cause
  }
}

function takesMany(schema: z.core.$ZodType): boolean {
  if (schema instanceof z.ZodPipe) return takesMany(schema.in)
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault) {
    return takesMany(schema.unwrap())
  }
  return schema instanceof z.ZodArray
}

/**
 * Query parameters by name. Where the row's schema takes an array, one value is an array of one, and a single empty
 * value an empty array: that is how clients write "none".
 */
export function readQuery(parameters: URLSearchParams, schema: z.ZodObject): Record<string, string | string[]> {
  const fields: Fields = schema.shape
  const entries = [...new Set(parameters.keys())].map((name): [string, string | string[]] => {
    const values = parameters.getAll(name)
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined
    if (field === undefined || !takesMany(field)) return [name, values.at(-1) ?? '']
    return [name, values.length === 1 && values[0] === '' ? [] : values]
  })
  return Object.fromEntries(entries)
}
