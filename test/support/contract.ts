// What the OpenAPI document promises, held against the answers of the REST door.
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { App } from '../../src/app.ts'

interface ResponseObject {
  readonly $ref?: string
  readonly headers?: Readonly<Record<string, { readonly $ref?: string; readonly required?: boolean }>>
  readonly content?: Readonly<Record<string, { readonly schema: object }>>
}

type PathItem = Readonly<Record<string, { readonly responses: Readonly<Record<string, ResponseObject>> }>>

interface OpenapiDocument {
  readonly paths: Readonly<Record<string, PathItem>>
  readonly components: object
}

/** Headers that an answer has only where the document says so. */
const promised = [
  'Allow',
  'Idempotency-Key',
  'Idempotency-Replay',
  'RateLimit-Limit',
  'RateLimit-Policy',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'Retry-After',
]

/** The name by which schemas find the document. */
const DOCUMENT = 'openapi'

/** The same document with every object closed, because no answer should have a field that nobody documented. */
function closed(document: OpenapiDocument): OpenapiDocument {
  return JSON.parse(JSON.stringify(document), (key, value: unknown) => {
    if (key === '$ref' && typeof value === 'string') return value.replace('#/components/schemas', `${DOCUMENT}$&`)
    const open =
      typeof value === 'object' && value !== null && 'properties' in value && !('additionalProperties' in value)
    return open ? { ...value, additionalProperties: false } : value
  })
}

/** What the document cannot say of headers that are optional in it: when an answer has them (CALLERS: Errors). */
function alwaysMissing(request: Request, { headers }: Response): string | undefined {
  const limits = promised.filter((name) => name.startsWith('RateLimit-'))
  const expected = request.headers.has('idempotency-key') ? [...limits, 'Idempotency-Key'] : limits
  const missing = expected.find((name) => !headers.has(name))
  return missing === undefined ? undefined : `the header ${missing} is missing`
}

/** What a path looks like that is made of `template`. */
export function patternOf(template: string): RegExp {
  return new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}/?$`)
}

/** Holds answers against `document`. */
class Contract {
  readonly #document: OpenapiDocument
  readonly #paths: readonly { readonly pattern: RegExp; readonly item: PathItem }[]
  readonly #ajv: Ajv2020

  constructor(document: OpenapiDocument) {
    this.#document = closed(document)
    this.#paths = Object.entries(this.#document.paths)
      // `/trigger/bulk` is meant before `/trigger/{id}`.
      .sort(([one], [other]) => one.split('{').length - other.split('{').length)
      .map(([template, item]) => ({ pattern: patternOf(template), item }))
    // Not strict: the document has words of its own around its schemas.
    this.#ajv = new Ajv2020({ strict: false, allErrors: true })
    addFormats.default(this.#ajv)
    this.#ajv.addSchema({ components: this.#document.components }, DOCUMENT)
  }

  /**
   * @param text the body of the response, as it came.
   * @throws Error that says what the document does not promise. A path that it does not have is let be.
   */
  assert(request: Request, response: Response, text: string): void {
    const { pathname } = new URL(request.url)
    const items = this.#paths.filter(({ pattern }) => pattern.test(pathname)).map(({ item }) => item)
    if (items.length === 0 || request.method === 'OPTIONS') return
    const broken = this.#broken(items, request, response, text)
    if (broken === undefined) return
    throw new Error(`${request.method} ${pathname} answered ${response.status}: ${broken}\n${text}`)
  }

  #broken(items: readonly PathItem[], request: Request, response: Response, text: string): string | undefined {
    const method = request.method === 'HEAD' ? 'get' : request.method.toLowerCase()
    const operation = items.find((item) => method in item)?.[method]
    // Another method than those of the path is refused alike, whichever operation is looked at.
    const { responses } = operation ?? Object.values(items[0] ?? {})[0] ?? { responses: {} }
    if (operation === undefined && response.ok) return 'the document has no such operation'
    const documented = this.#resolved(responses[response.status])
    if (documented === undefined) return 'the document has no such status'
    return (
      this.#headersBroken(documented, response.headers) ??
      (response.status === 414 ? undefined : alwaysMissing(request, response)) ??
      (request.method === 'HEAD' ? undefined : this.#bodyBroken(documented, response.headers.get('content-type'), text))
    )
  }

  #headersBroken({ headers: documented = {} }: ResponseObject, headers: Headers): string | undefined {
    const undocumented = promised.find((name) => headers.has(name) && !(name in documented))
    if (undocumented !== undefined) return `the header ${undocumented} is not documented`
    const missing = Object.keys(documented).find(
      (name) => this.#resolved(documented[name])?.required === true && !headers.has(name),
    )
    return missing === undefined ? undefined : `the header ${missing} is missing`
  }

  #bodyBroken({ content }: ResponseObject, contentType: string | null, text: string): string | undefined {
    if (content === undefined) return text === '' ? undefined : 'it has a body, and none is documented'
    const [mediaType = ''] = (contentType ?? '').split(';')
    const documented = content[mediaType.trim()]
    if (documented === undefined) return `the content type "${contentType ?? ''}" is not documented`
    const validate = this.#ajv.compile(documented.schema)
    if (validate(mediaType === 'application/json' ? JSON.parse(text) : text)) return undefined
    return this.#ajv.errorsText(validate.errors, { dataVar: 'body' })
  }

  #resolved<Value extends { readonly $ref?: string }>(value: Value | undefined): Value | undefined {
    if (value?.$ref === undefined) return value
    const steps = value.$ref.replace('#/', '').split('/')
    return steps.reduce<unknown>((node, step) => Reflect.get(node as object, step), this.#document) as Value
  }
}

const contracts = new WeakMap<App, Promise<Contract>>()

/** What `app` promises, as it publishes it. */
export function contractOf(app: App): Promise<Contract> {
  const known = contracts.get(app)
  if (known !== undefined) return known
  const contract = app
    .fetch(new Request('http://gateway.test/openapi.json'))
    .then(async (response) => new Contract((await response.json()) as OpenapiDocument))
  contracts.set(app, contract)
  return contract
}
