// Liquid templates that callers write: which ones are taken in, and how one becomes text within bounds.
import {
  CaptureTag,
  Context,
  type Emitter,
  filters,
  Liquid,
  LiquidError,
  type Template,
  Tokenizer,
  toValue,
  toValueSync,
} from 'liquidjs'
import { LRUCache } from 'lru-cache'
import { TimeLimitExceeded, within } from './time-limit.ts'
import { type JsonObject, text as plainText } from './validation.ts'

/** Of what one template renders to, in characters. */
export const MAX_RENDERED = 256 * 1024
/** Of one template. The one that answers for it is liquid's own, because it says where; the other never fails. */
const RENDER_MILLISECONDS = 500
const LAST_RESORT_MILLISECONDS = 1000
/** Characters and list items that the filters of one rendering may make, together. */
const MEMORY_UNITS = 4_000_000
const MAX_TEMPLATE = 256 * 1024
/** Of the texts whose parsed templates are kept: these are some hundred times as large. */
const CACHED_CHARACTERS = 1_000_000

/** Whether what is put into a text is made safe for HTML first. `| raw` opts out for one value. */
export type Escape = 'html' | 'none'

/** A template that cannot be parsed, or cannot be rendered with the data that it was given. */
export class TemplateError extends Error {
  /** Both from 1. Undefined when the whole is at fault and no place in it. */
  readonly line: number | undefined
  readonly column: number | undefined

  constructor(reason: string, place?: readonly [line: number, column: number]) {
    super(place === undefined ? reason : `${reason} (line ${place[0]}, column ${place[1]})`)
    this.name = 'TemplateError'
    this.line = place?.[0]
    this.column = place?.[1]
  }
}

/** The text of a value: nothing for null, a list as its items one after the other, an object as JSON. */
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

/** What a rendering, or a part of it that is captured, has written so far: bounded while it grows. */
class Written implements Emitter {
  buffer = ''
  readonly #context: Context

  constructor(context: Context) {
    this.#context = context
  }

  write(value: unknown): void {
    const piece = written(value)
    this.#context.memoryLimit.use(piece.length)
    this.buffer += piece
    if (this.buffer.length > MAX_RENDERED) throw new Error(`the text is longer than ${MAX_RENDERED} characters`)
  }
}

/** Liquid's own captures without a bound, so that a text could be doubled by every line. */
class BoundedCapture extends CaptureTag {
  override *render(context: Context): Generator<unknown, void, string> {
    const text = new Written(context)
    yield this.liquid.renderer.renderTemplates(this.templates, context, text)
    Object.assign(context.bottom(), { [this.variable]: text.buffer })
  }
}

/** Marks the filter that a bound of a range goes through. */
const RANGE_BOUND = 'range_bound'

function rangeBound(value: unknown): number {
  const bound = Number(value)
  if (Number.isNaN(bound)) return 0
  if (!Number.isSafeInteger(Math.trunc(bound))) throw new Error('a range must begin and end at a safe whole number')
  return bound
}

// Liquid counts a range upwards by one. Beyond the safe integers one more is no more, and it would count until the
// memory is gone. The tokenizer is where every range comes by, those in the arguments of filters too.
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
    renderLimit: RENDER_MILLISECONDS,
    memoryLimit: MEMORY_UNITS,
    // Whatever the operator's machine is set to.
    timezoneOffset: 0,
    locale: 'en-US',
    templates: {},
  })
  for (const tag of fileTags) Reflect.deleteProperty(engine.tags, tag)
  // These take an expression as text, which nobody has read before it runs.
  for (const name of Object.keys(filters).filter((filter) => filter.endsWith('_exp'))) engine.unregisterFilter(name)
  engine.registerTag('capture', BoundedCapture)
  engine.registerFilter(RANGE_BOUND, rangeBound)
  return engine
}

function withCache(engine: Liquid) {
  const parsed = new LRUCache<string, Template[]>({
    maxSize: CACHED_CHARACTERS,
    sizeCalculation: (_templates, text) => text.length,
    memoMethod: (text) => engine.parse(text),
  })
  return { engine, parsed }
}

const engines: Readonly<Record<Escape, ReturnType<typeof withCache>>> = {
  html: withCache(engineOf('html')),
  none: withCache(engineOf('none')),
}

/** Returns the message without the position, which Liquid appends. */
const reasonIn = (message: string) => message.replaceAll(/, line:\d+, col:\d+/g, '').slice(0, 200)

/** A fault of liquid's as one of ours. Whatever else it is stays what it is. */
function asTemplateError(error: unknown): unknown {
  if (error instanceof TimeLimitExceeded) return new TemplateError(error.message)
  if (!LiquidError.is(error)) return error
  const [line = 1, column = 1] = error.token.getPosition()
  return new TemplateError(reasonIn(error.message), [line, column])
}

function guarded<Result>(work: () => Result): Result {
  try {
    return within(LAST_RESORT_MILLISECONDS, work)
  } catch (error) {
    throw asTemplateError(error)
  }
}

/** A database holds neither NUL nor half a character, and a filter can make both. */
const storable = (rendered: string) => rendered.replaceAll('\0', '').toWellFormed()

/** A text without these is its own result, and needs no watching. */
const markup = /\{[{%]/

/**
 * The text that a template makes of `data`. A variable that is not there is nothing.
 *
 * @throws TemplateError when it cannot be parsed, asks too much, or is longer than `MAX_RENDERED`
 */
export function render(text: string, data: JsonObject, { escape }: { readonly escape: Escape }): string {
  if (!markup.test(text)) return text
  const { engine, parsed } = engines[escape]
  return guarded(() => {
    // A copy, because `increment` counts in the data itself.
    const context = new Context({ ...data }, engine.options, { sync: true }, { liquid: engine })
    const result = new Written(context)
    const templates = parsed.memo(text)
    toValueSync(engine.renderer.renderTemplates(templates, context, result))
    return storable(result.buffer)
  })
}

/** Why a text is no template, or undefined when it is one. */
function objection(text: string): string | undefined {
  try {
    guarded(() => engines.none.engine.parse(text))
    return undefined
  } catch (error) {
    if (error instanceof TemplateError) return error.message
    throw error
  }
}

/** The input schema of a Liquid template of `min` to `max` characters: one that can be parsed. */
export function template(max: number, min = 1) {
  return plainText(max, min).check(({ value, issues }) => {
    if (issues.length > 0) return
    const reason = objection(value)
    if (reason === undefined) return
    issues.push({ code: 'custom', message: `has a template that cannot be read: ${reason}`, input: value })
  })
}
