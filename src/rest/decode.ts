// Decodes the parts of a request: percent-encoding, arrays in the query, JSON bodies.
import { z } from 'zod'
import { Refusal } from '../lib/errors.ts'
import { assertJson } from '../lib/validation.ts'
import { type ParsedBody, restoreFiles } from './large-body.ts'

/** Maximum nesting of a body. Higher than any field allows. */
const MAX_DEPTH = 64

const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * Returns the JSON object in a body. Some clients wrap it in `data`: a body with only that key is unwrapped, unless the
 * schema accepts it as it is.
 *
 * @param parsed the body if it was parsed before, because it is large.
 * @throws Refusal `UNSUPPORTED_MEDIA_TYPE`, or `MALFORMED` if it is not a JSON object in UTF-8 or is nested too deep.
 */
export function readBody(bytes: Buffer, contentType: string, schema: z.ZodType, parsed?: ParsedBody): object {
  if (parsed === undefined && bytes.byteLength === 0 && contentType === '') return {}
  assertJsonType(contentType)
  const { body: sent, files } = parsed ?? { body: readJson(bytes), files: [] }
  assertJson(sent, MAX_DEPTH)
  restoreFiles(sent, files)
  const isWrapped = isObject(sent) && Object.keys(sent).join() === 'data' && !takesDataAlone(schema)
  const body: unknown = isWrapped ? Reflect.get(sent, 'data') : sent
  if (!isObject(body)) throw new Refusal('MALFORMED', 'The body must be a JSON object')
  return body
}

function assertJsonType(contentType: string): void {
  const unsupported = (message: string) => new Refusal('UNSUPPORTED_MEDIA_TYPE', message)
  if (contentType === '') throw unsupported('The body must be application/json: Content-Type is missing')
  if (!/^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(contentType)) {
    throw unsupported(`The body must be application/json, not "${contentType.slice(0, 100)}"`)
  }
  const [, charset = 'utf-8'] = /;\s*charset="?([^";\s]*)/i.exec(contentType) ?? []
  if (!/^utf-?8$/i.test(charset)) throw unsupported(`The body must be encoded in UTF-8, not "${charset.slice(0, 100)}"`)
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

type Fields = Readonly<Record<string, z.core.$ZodType>>

/** Returns true if `{ data }` is a complete body by itself, as in an update of a context. */
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

/** @throws Refusal `MALFORMED` if the path or query is not percent-encoded UTF-8. */
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

/** A parameter in brackets, as many clients write lists: `tags[]`, and `tags[0][]` for a list of lists. */
const bracketed = /^(?<name>\w+)(?:\[(?<group>\d{1,3})\])?\[\]$/

/** Returns the values of a list: those under its name, those under its name with brackets, and the lists in it. */
function valuesOfList(parameters: URLSearchParams, name: string): (string | string[])[] {
  const groups = new Map<string, string[]>()
  const values: (string | string[])[] = []
  for (const [key, value] of parameters) {
    const found = key === name ? { name } : bracketed.exec(key)?.groups
    if (found?.['name'] !== name) continue
    const place = found['group']
    if (place === undefined) values.push(value)
    else groups.set(place, [...(groups.get(place) ?? []), value])
  }
  return [...values, ...groups.values()]
}

/**
 * Returns the query parameters by name. A parameter whose schema is an array becomes an array. A single empty value
 * becomes an empty array: clients cannot write one otherwise.
 */
export function readQuery(
  parameters: URLSearchParams,
  schema: z.ZodObject,
): Record<string, string | (string | string[])[]> {
  const fields: Fields = schema.shape
  const isList = (name: string) => {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined
    return field !== undefined && takesMany(field)
  }
  const names = [...parameters.keys()].map((key) => {
    const { name = key } = bracketed.exec(key)?.groups ?? {}
    return isList(name) ? name : key
  })
  const entries = [...new Set(names)].map((name): [string, string | (string | string[])[]] => {
    if (!isList(name)) return [name, parameters.getAll(name).at(-1) ?? '']
    const values = valuesOfList(parameters, name)
    return [name, values.length === 1 && values[0] === '' ? [] : values]
  })
  return Object.fromEntries(entries)
}
