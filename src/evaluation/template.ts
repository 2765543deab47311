// Liquid templates from callers: parsing, and rendering within limits of memory and length. Time limits: time-limit.ts.
import {
  CaptureTag,
  Context,
  type Emitter,
  filters,
  Liquid,
  LiquidError,
  type Template as Parsed,
  Tokenizer,
  toValue,
  toValueSync,
} from 'liquidjs'
import { LRUCache } from 'lru-cache'
import type { JsonObject } from '../lib/validation.ts'

/** Maximum length of a rendered text, in characters. */
export const MAX_RENDERED = 256 * 1024
/** Characters and list items that the filters of one rendering may create in total. */
const MEMORY_UNITS = 4_000_000
const MAX_TEMPLATE = 256 * 1024
/** Maximum memory of cached templates, in bytes, for each kind of escaping. */
const CACHE_BYTES = 4 * 1024 * 1024
/** Approximate bytes of a parsed template per character of its text. */
const PARSED_BYTES = 100

/** How values in the output are escaped. `| raw` disables it for one value. */
type Escape = 'html' | 'none'

/** A template, with the kind of escaping. */
export interface Template {
  readonly text: string
  readonly escape: Escape
}

/** Limits of one rendering, lower than the general ones. */
export interface RenderLimits {
  /** Maximum length of the rendered text, in characters. */
  readonly characters: number
  /** Characters and list items that filters may create in total. */
  readonly units: number
}

const generalLimits: RenderLimits = { characters: MAX_RENDERED, units: MEMORY_UNITS }

/** A template that cannot be parsed or rendered. */
class TemplateError extends Error {
  /** Line and column, from 1. Undefined if the error has no position. */
  readonly line: number | undefined
  readonly column: number | undefined

  constructor(reason: string, place?: readonly [line: number, column: number]) {
    super(place === undefined ? reason : `${reason} (line ${place[0]}, column ${place[1]})`)
    this.name = 'TemplateError'
    this.line = place?.[0]
    this.column = place?.[1]
  }
}

/** Returns a value as text: empty for null, the concatenated items of a list, an object as JSON. */
function written(given: unknown): string {
  const value: unknown = toValue(given)
  if (value === undefined || value === null) return ''
  if (typeof value === 'string') return value
  return Array.isArray(value) ? value.map(written).join('') : JSON.stringify(value)
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&#34;',
  "'": '&#39;',
}

const escaped = (value: unknown) => written(value).replaceAll(/[&<>"']/g, (character) => entities[character] ?? '')

/** The output of a rendering or a capture. The limit applies while it grows. */
class Written implements Emitter {
  buffer = ''
  readonly #context: Context
  readonly #limit: number

  constructor(context: Context, limit = MAX_RENDERED) {
    this.#context = context
    this.#limit = limit
  }

  write(value: unknown): void {
    const piece = written(value)
    this.#context.memoryLimit.use(piece.length)
    this.buffer += piece
    if (this.buffer.length > this.#limit) throw new Error(`the text is longer than ${this.#limit} characters`)
  }
}

/** Liquid's own capture has no limit, so each line could double a text. */
class BoundedCapture extends CaptureTag {
  override *render(context: Context): Generator<unknown, void, string> {
    const text = new Written(context)
    yield this.liquid.renderer.renderTemplates(this.templates, context, text)
    Object.assign(context.bottom(), { [this.variable]: text.buffer })
  }
}

/** The filter applied to both bounds of a range. */
const RANGE_BOUND = 'range_bound'

function rangeBound(value: unknown): number {
  const bound = Number(value)
  if (Number.isNaN(bound)) return 0
  if (!Number.isSafeInteger(Math.trunc(bound))) throw new Error('a range must begin and end at a safe integer')
  return bound
}

// Liquid counts a range up by one. Above the safe integers, adding one has no effect, and it would count until memory
// is exhausted. Every range passes through the tokenizer, including ranges in filter arguments.
const readGroupOrRange = Reflect.get(Tokenizer.prototype, 'readGroupOrRange')
Tokenizer.prototype.readGroupOrRange = function (this: Tokenizer) {
  const token = readGroupOrRange.call(this)
  if (token !== undefined && 'lhs' in token) {
    const bounded = (bound: typeof token.lhs) =>
      new Tokenizer(`${bound.getText()} | ${RANGE_BOUND}`).readFilteredValue()
    token.lhs = bounded(token.lhs)
    token.rhs = bounded(token.rhs)
  }
  return token
}

/** Tags that read other templates, of which there are none. */
const fileTags = ['include', 'render', 'layout', 'block']

function engineOf(escape: Escape): Liquid {
  const engine = new Liquid({
    ownPropertyOnly: true,
    strictFilters: true,
    strictVariables: false,
    outputEscape: escape === 'html' ? escaped : undefined,
    parseLimit: MAX_TEMPLATE,
    memoryLimit: MEMORY_UNITS,
    // Independent of the machine's locale.
    timezoneOffset: 0,
    locale: 'en-US',
    templates: {},
  })
  for (const tag of fileTags) Reflect.deleteProperty(engine.tags, tag)
  // These evaluate a string as an expression, which would not be validated.
  for (const name of Object.keys(filters).filter((filter) => filter.endsWith('_exp'))) engine.unregisterFilter(name)
  engine.registerTag('capture', BoundedCapture)
  engine.registerFilter(RANGE_BOUND, rangeBound)
  return engine
}

function withCache(engine: Liquid) {
  const parsed = new LRUCache<string, Parsed[]>({
    maxSize: CACHE_BYTES,
    sizeCalculation: (_templates, text) => text.length * PARSED_BYTES,
    memoMethod: (text) => engine.parse(text),
  })
  return { engine, parsed }
}

const engines: Readonly<Record<Escape, ReturnType<typeof withCache>>> = {
  html: withCache(engineOf('html')),
  none: withCache(engineOf('none')),
}

/** Returns Liquid's message without the position. */
const reasonIn = (message: string) => message.replaceAll(/, line:\d+, col:\d+/g, '').slice(0, 200)

/** Converts an error of Liquid. Other errors are unchanged. */
function asTemplateError(error: unknown): unknown {
  if (!LiquidError.is(error)) return error
  const [line = 1, column = 1] = error.token.getPosition()
  return new TemplateError(reasonIn(error.message), [line, column])
}

function guarded<Result>(work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    throw asTemplateError(error)
  }
}

/** Removes what the database cannot store: NUL and unpaired surrogates, which filters can create. */
const storable = (rendered: string) => rendered.replaceAll('\0', '').toWellFormed()

/** Returns true if a text may contain markup. Otherwise it is its own result. */
export const hasMarkup = (text: string): boolean => /\{[{%]/.test(text)

/**
 * Renders a template with `data`. An undefined variable is empty.
 *
 * @throws TemplateError if it cannot be parsed, exceeds a limit, or renders to more than `limits.characters`.
 */
export function render({ text, escape }: Template, data: JsonObject, limits = generalLimits): string {
  if (!hasMarkup(text)) return text
  const { engine, parsed } = engines[escape]
  return guarded(() => {
    // A copy, because `increment` writes to the data.
    const context = new Context(
      { ...data },
      engine.options,
      { sync: true, memoryLimit: limits.units },
      { liquid: engine },
    )
    const result = new Written(context, limits.characters)
    const templates = parsed.memo(text)
    toValueSync(engine.renderer.renderTemplates(templates, context, result))
    return storable(result.buffer)
  })
}

/** Why a text is not a valid template. The position is also in the message. */
export interface TemplateObjection {
  readonly message: string
  /** Line and column, from 1. Absent if the error has no position. */
  readonly line?: number
  readonly column?: number
}

/** Returns why a text is not a valid template, or undefined if it is. */
export function templateObjection(text: string): TemplateObjection | undefined {
  try {
    guarded(() => engines.none.engine.parse(text))
    return undefined
  } catch (error) {
    if (error instanceof TemplateError) {
      const { message, line, column } = error
      return line === undefined || column === undefined ? { message } : { message, line, column }
    }
    throw error
  }
}

/** A variable that a template reads from its data. */
export interface TemplateVariable {
  /** The names up to the first one that is itself computed. List positions are numbers as text. */
  readonly path: readonly string[]
  /** Where it is read first, from 1. */
  readonly line: number
  readonly column: number
}

/** Maximum number of variables that are reported for one template. */
const MAX_VARIABLES = 500

/** Returns the variables that a template reads, without its own. @throws TemplateError if it cannot be parsed. */
export function templateVariables(text: string): readonly TemplateVariable[] {
  const { engine } = engines.none
  const { globals } = guarded(() => engine.parseAndAnalyzeSync(text, undefined, { partials: false }))
  const found = new Map<string, TemplateVariable>()
  for (const { segments, location } of Object.values(globals).flat()) {
    const end = segments.findIndex((segment) => typeof segment === 'object')
    const path = (end === -1 ? segments : segments.slice(0, end)).map(String)
    const key = JSON.stringify(path)
    if (!found.has(key)) found.set(key, { path, line: location.row, column: location.col })
    if (found.size === MAX_VARIABLES) break
  }
  return [...found.values()]
}
