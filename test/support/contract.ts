// What the OpenAPI document promises: it is held against the answers of the REST door, and requests are made from it.
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { App } from '../../src/app.ts'
import type { Data } from './world.ts'

interface ResponseObject {
  readonly $ref?: string
  readonly headers?: Readonly<Record<string, { readonly $ref?: string; readonly required?: boolean }>>
  readonly content?: Readonly<Record<string, { readonly schema: object }>>
}

interface ParameterObject {
  readonly $ref?: string
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required: boolean
  readonly schema: object
}

interface Operation {
  readonly operationId: string
  readonly parameters: readonly ParameterObject[]
  readonly requestBody?: {
    readonly required: boolean
    readonly content: { readonly 'application/json': { readonly schema: object } }
  }
  readonly responses: Readonly<Record<string, ResponseObject>>
}

type PathItem = Readonly<Record<string, Operation>>

/** Of an operation, by name and wherever they go. */
type Parameters = Readonly<Record<string, string | number | boolean | readonly string[]>>

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

/** The same document with every object closed, because no message should have a field that nobody documented. */
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

/** What the parameters of an operation must be, by their names. */
const objectOf = (parameters: readonly ParameterObject[]) => ({
  type: 'object',
  properties: Object.fromEntries(parameters.map(({ name, schema }) => [name, schema])),
  required: parameters.filter(({ required }) => required).map(({ name }) => name),
  additionalProperties: false,
})

/** The address of an operation below `base`: paths are percent-encoded, and arrays are repeated keys. */
function addressOf(base: string, template: string, documented: readonly ParameterObject[], given: Parameters): string {
  const path = template.replaceAll(/\{(\w+)\}/g, (_braces, name: string) => encodeURIComponent(String(given[name])))
  const query = documented.flatMap(({ name, in: place }) => {
    const value = given[name]
    if (place !== 'query' || value === undefined) return []
    const values = typeof value === 'object' ? value : [value]
    return (values.length === 0 ? [''] : values).map((item) => `${name}=${encodeURIComponent(item)}`)
  })
  return `${base}${path}${query.length > 0 ? `?${query.join('&')}` : ''}`
}

/** Holds answers against `document`, and makes requests from it. */
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

  /**
   * A request as a client makes it that was generated from the document: of an operation, with its parameters and body.
   *
   * @param base address without a slash at its end.
   * @throws Error that says what the document does not allow.
   */
  requestOf(base: string, operationId: string, given: Parameters = {}, body?: object): Request {
    const found = Object.entries(this.#document.paths)
      .flatMap(([template, item]) =>
        Object.entries(item).map(([method, operation]) => ({ template, method, operation })),
      )
      .find(({ operation }) => operation.operationId === operationId)
    if (found === undefined) throw new Error(`the document has no operation "${operationId}"`)
    const { template, method, operation } = found
    const documented = operation.parameters.map((parameter) => this.#resolved(parameter) ?? parameter)
    this.#assertFits(objectOf(documented), given, `the parameters of ${operationId}`)
    if (body !== undefined || operation.requestBody?.required === true) {
      const schema = operation.requestBody?.content['application/json'].schema ?? { not: {} }
      this.#assertFits(schema, body, `the body of ${operationId}`)
    }
    const key = given['idempotency-key']
    return new Request(addressOf(base, template, documented, given), {
      method: method.toUpperCase(),
      headers: {
        ...(key === undefined ? {} : { 'idempotency-key': String(key) }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  }

  #assertFits(schema: object, value: unknown, what: string): void {
    const broken = this.#mismatch(schema, value, what)
    if (broken !== undefined) throw new Error(broken)
  }

  #mismatch(schema: object, value: unknown, dataVar: string): string | undefined {
    const validate = this.#ajv.compile(schema)
    return validate(value) ? undefined : this.#ajv.errorsText(validate.errors, { dataVar })
  }

  #broken(items: readonly PathItem[], request: Request, response: Response, text: string): string | undefined {
    const method = request.method === 'HEAD' ? 'get' : request.method.toLowerCase()
    const operation = items.find((item) => method in item)?.[method]
    // Another method than those of the path is refused alike, whichever operation is looked at.
    const documentation = operation ?? Object.values(items[0] ?? {})[0]
    if (operation === undefined && response.ok) return 'the document has no such operation'
    const documented = this.#resolved(documentation?.responses[response.status])
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
    return this.#mismatch(documented.schema, mediaType === 'application/json' ? JSON.parse(text) : text, 'body')
  }

  #resolved<Value extends { readonly $ref?: string }>(value: Value | undefined): Value | undefined {
    if (value?.$ref === undefined) return value
    const steps = value.$ref.replace('#/', '').split('/')
    return steps.reduce<unknown>((node, step) => Reflect.get(node as object, step), this.#document) as Value
  }
}

/** By the text of their document: schemas are compiled when they are first needed, and most gateways publish the same. */
const known = new Map<string, Contract>()

/** What a gateway promises, as it publishes it. */
async function readContract(published: Response | Promise<Response>): Promise<Contract> {
  const text = await (await published).text()
  const contract = known.get(text) ?? new Contract(JSON.parse(text) as OpenapiDocument)
  known.set(text, contract)
  return contract
}

const contracts = new WeakMap<App, Promise<Contract>>()

/** What `app` promises. */
export function contractOf(app: App): Promise<Contract> {
  const read = contracts.get(app)
  if (read !== undefined) return read
  const contract = readContract(app.fetch(new Request('http://gateway.test/openapi.json')))
  contracts.set(app, contract)
  return contract
}

/** A client as it is generated from the description of a gateway: strict with what it sends, and with what it takes. */
export interface StrictClient {
  /**
   * Calls an operation that must work, and gives the body of its answer.
   *
   * @throws Error where either side breaks the description, or the answer is a refusal.
   */
  call(operationId: string, parameters?: Parameters, body?: object): Promise<Data>
}

/** @param base address without a slash at its end, below which the gateway publishes its description. */
export async function strictClient(base: string, key: string): Promise<StrictClient> {
  const contract = await readContract(fetch(`${base}/openapi.json`))
  return {
    async call(operationId, parameters, body) {
      const request = contract.requestOf(base, operationId, parameters, body)
      request.headers.set('authorization', `ApiKey ${key}`)
      const response = await fetch(request)
      const text = await response.text()
      contract.assert(request, response, text)
      if (!response.ok) throw new Error(`${operationId} answered ${response.status}: ${text}`)
      return text === '' ? undefined : JSON.parse(text)
    },
  }
}
