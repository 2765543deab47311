// The OpenAPI document as a contract: responses of the REST API are checked against it, and requests are built from it.
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { App } from '../../src/app.ts'
import type { RestBody } from './rest-body.ts'

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

/** The parameters of an operation by name: path, query and header together. */
type Parameters = Readonly<Record<string, string | number | boolean | readonly string[]>>

interface OpenapiDocument {
  readonly paths: Readonly<Record<string, PathItem>>
  readonly components: object
}

/** Headers that a response may only have where the document declares them. */
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

/** The name under which schemas refer to the document. */
const DOCUMENT = 'openapi'

/** A copy of the document in which every object is closed, so that an undocumented field is an error. */
function closed(document: OpenapiDocument): OpenapiDocument {
  return JSON.parse(JSON.stringify(document), (key, value: unknown) => {
    if (key === '$ref' && typeof value === 'string') return value.replace('#/components/schemas', `${DOCUMENT}$&`)
    const open =
      typeof value === 'object' && value !== null && 'properties' in value && !('additionalProperties' in value)
    return open ? { ...value, additionalProperties: false } : value
  })
}

/** Checks for headers that are optional in the document but required in this response (CALLERS: Errors). */
function alwaysMissing(request: Request, { headers }: Response): string | undefined {
  const limits = promised.filter((name) => name.startsWith('RateLimit-'))
  const expected = request.headers.has('idempotency-key') ? [...limits, 'Idempotency-Key'] : limits
  const missing = expected.find((name) => !headers.has(name))
  return missing === undefined ? undefined : `the header ${missing} is missing`
}

/** A pattern for the paths built from `template`. */
export function patternOf(template: string): RegExp {
  return new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}/?$`)
}

/** A schema for the parameters of an operation, by name. */
const objectOf = (parameters: readonly ParameterObject[]) => ({
  type: 'object',
  properties: Object.fromEntries(parameters.map(({ name, schema }) => [name, schema])),
  required: parameters.filter(({ required }) => required).map(({ name }) => name),
  additionalProperties: false,
})

/** The URL of an operation below `base`. Values are percent-encoded, and arrays become repeated keys. */
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

/** Checks responses against `document`, and builds requests from it. */
class Contract {
  readonly #document: OpenapiDocument
  readonly #paths: readonly { readonly pattern: RegExp; readonly item: PathItem }[]
  readonly #ajv: Ajv2020

  constructor(document: OpenapiDocument) {
    this.#document = closed(document)
    this.#paths = Object.entries(this.#document.paths)
      // `/trigger/bulk` takes precedence over `/trigger/{id}`.
      .sort(([one], [other]) => one.split('{').length - other.split('{').length)
      .map(([template, item]) => ({ pattern: patternOf(template), item }))
    // Not strict, because the document has keywords of its own around its schemas.
    this.#ajv = new Ajv2020({ strict: false, allErrors: true })
    addFormats.default(this.#ajv)
    this.#ajv.addSchema({ components: this.#document.components }, DOCUMENT)
  }

  /**
   * Checks a response; paths outside the document are ignored.
   *
   * @param text the raw body of the response.
   * @throws Error that says how the response breaks the contract.
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
   * Builds the request that a client generated from the document would send.
   *
   * @param base URL without a trailing slash.
   * @throws Error that names the parameter or body that the document does not allow.
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
    // The rejection of an unsupported method is documented the same way for every operation of the path.
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
    // A file, of any type.
    if ('*/*' in content) return undefined
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

/** Contracts by the text of their document. Most gateways publish the same one, so its schemas compile only once. */
const known = new Map<string, Contract>()

/** The contract of a gateway, from the document that it publishes. */
async function readContract(published: Response | Promise<Response>): Promise<Contract> {
  const text = await (await published).text()
  const contract = known.get(text) ?? new Contract(JSON.parse(text) as OpenapiDocument)
  known.set(text, contract)
  return contract
}

const contracts = new WeakMap<App, Promise<Contract>>()

/** The contract of `app`. */
export function contractOf(app: App): Promise<Contract> {
  const read = contracts.get(app)
  if (read !== undefined) return read
  const contract = readContract(app.fetch(new Request('http://gateway.test/openapi.json')))
  contracts.set(app, contract)
  return contract
}

/** A client like one generated from the OpenAPI document: strict about its requests and the responses. */
export interface StrictClient {
  /**
   * Calls an operation that must succeed, and returns the body of its response.
   *
   * @throws Error when the request or the response breaks the contract, or the status is not 2xx.
   */
  call(operationId: string, parameters?: Parameters, body?: object): Promise<RestBody>
}

/** @param base URL of the gateway without a trailing slash. */
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
      return (text === '' ? undefined : JSON.parse(text)) as RestBody
    },
  }
}
