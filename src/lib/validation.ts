// Input validation: building blocks of input schemas, and errors that name the field and what is allowed.
import { z } from 'zod'
import { type Issue, type IssueReason, Refusal } from './errors.ts'
import { valueAt } from './paths.ts'
import { present } from './present.ts'
import { misspelledNames } from './similar-names.ts'

/** Returns true if PostgreSQL can store the text: no NUL, no unpaired surrogate. */
const isStorable = (value: string): boolean => !value.includes('\0') && value.isWellFormed()

const notStorable = 'must not contain NUL or unpaired surrogate characters'

/** Any string that can be stored. The schema of every string in an input, even of strings that are only looked up. */
export const storableText = z.string().refine(isStorable, notStorable)

/** A string of `min` to `max` characters. */
export function text(max: number, min = 0) {
  const schema = z.string().max(max).refine(isStorable, notStorable)
  return min > 0 ? schema.min(min) : schema
}

/**
 * White space at either end, and control and invisible characters. With them, two different ids could look the same.
 */
const hidden = /^\s|\s$|[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u

/** Returns why a new id is not allowed, or undefined if it is. Earlier versions stored such ids. */
export const objectionToId = (value: string): string | undefined =>
  hidden.test(value) ? 'must not begin or end with white space or contain control or invisible characters' : undefined

/** An id that a caller chooses for something new: 1 to `max` characters. */
export const idText = (max: number) =>
  text(max, 1).check(({ value, issues }) => {
    const message = objectionToId(value)
    if (message !== undefined) issues.push({ code: 'custom', message, input: value })
  })

/** A name: 1 to `max` characters, trimmed. */
export function trimmedText(max: number) {
  return z.string().trim().min(1).max(max).refine(isStorable, notStorable)
}

/** Less strict than zod's pattern, which rejects non-ASCII letters and some valid characters. */
const emailPattern =
  /^[^\s\p{C}.@"(),:;<>[\\\]]+(?:\.[^\s\p{C}.@"(),:;<>[\\\]]+)*@(?:[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}-]*[\p{L}\p{M}\p{N}])?\.)+[\p{L}\p{M}\p{N}-]{2,}$/u

export const emailAddress = z
  .string()
  .max(320)
  .check(z.email({ pattern: emailPattern, error: 'must be an email address' }))

/** An absolute http or https URL, not normalized. */
export const httpUrl = text(2048).refine(
  (value) => /^https?:\/\/\S+$/i.test(value) && URL.canParse(value),
  'must be an absolute http or https URL',
)

type NullishShape<Shape extends z.ZodRawShape> = { [Key in keyof Shape]: z.ZodOptional<z.ZodNullable<Shape[Key]>> }

/**
 * The input schema of a filter with these fields. Null is the same as absent, for a field and for the whole filter. The
 * output contains only the given fields.
 */
export function filterOf<Shape extends z.ZodRawShape>(shape: Shape) {
  const fields = Object.entries(shape).map(([name, field]) => [name, z.nullish(field)])
  return z
    .object(Object.fromEntries(fields) as NullishShape<Shape>)
    .nullish()
    .transform((given) => present(given))
}

interface JsonBounds {
  /** Maximum size of the JSON, in bytes of UTF-8. Infinity for no limit. */
  readonly maxBytes: number
  /** Maximum nesting of objects and arrays, including the outermost. */
  readonly maxDepth: number
}

const defaultBounds: JsonBounds = { maxBytes: 64 * 1024, maxDepth: 32 }

export type Json = string | number | boolean | null | Json[] | { [key: string]: Json }
export type JsonObject = { [key: string]: Json }

/** Returns why a value cannot be stored as JSON, or undefined if it can. */
function objection(value: unknown, depth: number, maxDepth: number): string | undefined {
  if (typeof value === 'string') return isStorable(value) ? undefined : notStorable
  if (typeof value === 'number')
    return Number.isFinite(value) ? undefined : 'must not contain numbers that are not finite'
  if (value === null || typeof value === 'boolean') return undefined
  if (typeof value !== 'object') return `must be JSON, which has no ${typeof value}`
  if (depth > maxDepth) return `must not nest deeper than ${maxDepth} levels`
  for (const [key, item] of Object.entries(value)) {
    if (key === '__proto__') return 'must not contain the key "__proto__"'
    const found = objection(key, depth, maxDepth) ?? objection(item, depth + 1, maxDepth)
    if (found !== undefined) return found
  }
  return undefined
}

/** @throws Refusal `MALFORMED` if a parsed body is nested too deep or contains text that cannot be stored. */
export function assertJson(value: unknown, maxDepth: number): void {
  const message = objection(value, 1, maxDepth)
  if (message !== undefined) throw new Refusal('MALFORMED', `The body ${message}`)
}

function objectObjection(value: unknown, { maxBytes, maxDepth }: JsonBounds): string | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'must be a JSON object'
  const found = objection(value, 1, maxDepth)
  if (found !== undefined) return found
  if (maxBytes === Infinity) return undefined
  return Buffer.byteLength(JSON.stringify(value)) > maxBytes ? `must be at most ${maxBytes} bytes of JSON` : undefined
}

/** The input schema of a JSON object with a limited size and depth. */
export function jsonObject(bounds: Partial<JsonBounds> = {}): z.ZodType<JsonObject, JsonObject> {
  const limits = { ...defaultBounds, ...bounds }
  const schema = z.custom<JsonObject>().check((context) => {
    const message = objectObjection(context.value, limits)
    // Without `continue`, a union would take this form for another type and lose the message.
    if (message !== undefined) context.issues.push({ code: 'custom', message, input: context.value, continue: true })
  })
  // For the OpenAPI document: a custom check has no type to print.
  return schema.meta({ type: 'object', additionalProperties: true })
}

const counted = (count: unknown, one: string) => `${String(count)} ${one}${Number(count) === 1 ? '' : 's'}`

function sizeOf(origin: string, bound: unknown): string {
  if (origin === 'string') return `${counted(bound, 'character')} long`
  if (origin === 'array' || origin === 'set') return `${counted(bound, 'item')} long`
  return String(bound)
}

const REQUIRED = 'is required'

const oneOf = (values: readonly unknown[]) =>
  `must be one of ${values.map((value) => JSON.stringify(value)).join(', ')}`

/** The known fields of the objects that have unknown ones, by the list of these: zod drops the schema from its issues. */
const knownBeside = new WeakMap<readonly string[], readonly string[]>()

/** Returns one issue for each unknown field of an object, which names the field that was probably meant. */
function unknownFields(issue: z.core.$ZodIssueUnrecognizedKeys): readonly z.core.$ZodIssue[] {
  const known = knownBeside.get(issue.keys)
  if (known === undefined) return [issue]
  return issue.keys.map((key) => {
    const [misspelled] = misspelledNames([key], known)
    const hint = misspelled === undefined ? 'allowed' : `did you mean ${misspelled.similarTo}? Allowed`
    return {
      ...issue,
      keys: [key],
      path: [...issue.path, key],
      message: `is unknown; ${hint} fields: ${known.join(', ')}`,
    }
  })
}

/** Replaces zod's messages. Undefined keeps the message of the schema. */
const messageOf: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case 'invalid_type':
      if (issue.input === undefined) return REQUIRED
      if (issue.expected === 'int') return 'must be a whole number'
      if (issue.expected === 'record') return 'must be an object'
      return `must be ${/^[aeio]/.test(issue.expected) ? 'an' : 'a'} ${issue.expected}`
    case 'too_big':
      return `must be at most ${sizeOf(issue.origin, issue.maximum)}`
    case 'too_small':
      if (issue.origin === 'string' && issue.minimum === 1) return 'must not be empty'
      return `must be at least ${sizeOf(issue.origin, issue.minimum)}`
    case 'invalid_value':
      return oneOf(issue.values)
    case 'invalid_format':
      if (issue.format === 'email') return 'must be an email address'
      if (issue.format === 'uuid') return 'must be a UUID'
      if (issue.format === 'e164') return 'must be a phone number in E.164 format, such as +4915123456789'
      if (issue.format === 'regex') return `must match ${String(issue.pattern)}`
      return `must be a valid ${issue.format}`
    case 'unrecognized_keys':
      if (issue.inst instanceof z.ZodObject) knownBeside.set(issue.keys, Object.keys(issue.inst.shape))
      return `must not have the key${issue.keys.length === 1 ? '' : 's'} ${issue.keys.map((key) => JSON.stringify(key)).join(', ')}`
    case 'invalid_key':
      return `has a key that ${issue.issues.map(({ message }) => message).join(' and ')}`
    case 'invalid_union':
      if (issue.input === undefined) return REQUIRED
      return 'options' in issue && Array.isArray(issue.options)
        ? oneOf(issue.options)
        : 'does not match any allowed form'
    default:
      return undefined
  }
}

/** Fields with secrets, at any depth of an input. Errors do not show their values. */
const secretFields: ReadonlySet<PropertyKey> = new Set([
  ...['channels', 'credentials', 'credentialChanges', 'endpoint', '_passthrough'],
])

/** Returns true if an error may show the value: if it is short and flat. An object may be large or contain a secret. */
function showable(value: unknown): boolean {
  return (
    value === null ||
    typeof value === 'number' ||
    typeof value === 'boolean' ||
    (typeof value === 'string' && value.length <= 200)
  )
}

/** Returns a path as `subscribers[3].email`. Unusual keys are quoted, as in `context["a b"]`. */
export function fieldName(path: readonly (string | number)[]): string {
  return path.reduce<string>((name, key) => {
    if (typeof key === 'number') return `${name}[${key}]`
    if (!/^[\w-]+$/.test(key)) return `${name}[${JSON.stringify(key)}]`
    return name === '' ? key : `${name}.${key}`
  }, '')
}

/** Codes at the root of a form that show that the input has another form, such as a string instead of an object. */
const otherType: ReadonlySet<string> = new Set<z.core.$ZodIssue['code']>(['invalid_type', 'invalid_union'])

/** The missing fields of the form itself. A field missing further below shows that this form was meant. */
const lacksOf = (form: readonly z.core.$ZodIssue[]) =>
  form.filter(({ message, path }) => message === REQUIRED && path.length === 1).length

/**
 * Returns the findings of an issue. For a union, returns those of the closest form, which has the fewest missing
 * fields. Forms of another type are ignored.
 */
function findings(issue: z.core.$ZodIssue): readonly z.core.$ZodIssue[] {
  if (issue.code === 'unrecognized_keys') return unknownFields(issue)
  if (issue.code !== 'invalid_union') return [issue]
  const [closest] = issue.errors
    .map((form) => form.flatMap(findings))
    .filter((form) => !form.some(({ code, path }) => path.length === 0 && otherType.has(code)))
    .toSorted((one, other) => lacksOf(one) - lacksOf(other) || one.length - other.length)
  return closest?.map((found) => ({ ...found, path: [...issue.path, ...found.path] })) ?? [issue]
}

/** Returns the issue of one field, as `parse` reports it. */
export function issueAt(path: Issue['path'], message: string, value: unknown): Issue {
  return {
    path,
    message: `${fieldName(path)} ${message}`.trimStart(),
    value: showable(value) ? value : undefined,
  }
}

/** Returns what is wrong with a size. */
function sizeReason(origin: string, tooBig: boolean): IssueReason {
  if (origin === 'string') return tooBig ? 'too_long' : 'too_short'
  if (origin === 'array' || origin === 'set') return tooBig ? 'too_many' : 'too_few'
  return 'out_of_range'
}

function reasonOf(issue: z.core.$ZodIssue): IssueReason | undefined {
  switch (issue.code) {
    case 'too_big':
      return sizeReason(issue.origin, true)
    case 'too_small':
      return sizeReason(issue.origin, false)
    case 'unrecognized_keys':
      return 'unknown_field'
    default:
      return issue.message === REQUIRED ? 'required' : undefined
  }
}

function asIssue(issue: z.core.$ZodIssue, input: unknown): Issue {
  const path = issue.path.map((key) => (typeof key === 'symbol' ? key.toString() : key))
  const value = issue.path.some((key) => secretFields.has(key)) ? undefined : valueAt(input, issue.path)
  return { ...issueAt(path, issue.message, value), reason: reasonOf(issue) }
}

/** Maximum number of invalid fields to describe. Others are counted. */
const MAX_FINDINGS = 100

/** Parses `input`. @throws Refusal `INVALID` with the invalid fields. */
export function parse<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const result = schema.safeParse(input, { error: messageOf })
  if (result.success) return result.data
  const found = result.error.issues
  const issues = found
    .slice(0, MAX_FINDINGS)
    .flatMap(findings)
    .map((issue) => asIssue(issue, input))
  const omitted = Math.max(0, found.length - MAX_FINDINGS)
  throw new Refusal('INVALID', issues.map(({ message }) => message).join('; '), { issues, omitted })
}
