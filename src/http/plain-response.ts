// Responses as plain data. The HTTP server writes them without web `Response` objects, which cost more than most
// requests.

/** The response headers that every layer can read and set. */
type ResponseHeaders = Pick<Headers, 'append' | 'get' | 'has' | 'set'>

/** A response to which headers are added. */
export interface Headed {
  readonly headers: ResponseHeaders
}

/** Headers by lower-case name. Their values must already be valid. */
class PlainHeaders implements ResponseHeaders {
  readonly fields: Record<string, string> = {}

  get(name: string): string | null {
    return this.fields[name.toLowerCase()] ?? null
  }

  has(name: string): boolean {
    return this.get(name) !== null
  }

  set(name: string, value: string): void {
    this.fields[name.toLowerCase()] = value
  }

  append(name: string, value: string): void {
    const before = this.get(name)
    this.set(name, before === null ? value : `${before}, ${value}`)
  }

  [Symbol.iterator](): Iterator<[string, string]> {
    return Object.entries(this.fields)[Symbol.iterator]()
  }
}

/** A text response. */
export class PlainResponse implements Headed {
  readonly headers = new PlainHeaders()
  readonly status: number
  readonly #body: string

  constructor(body: string, status: number, headers: Readonly<Record<string, string>>) {
    this.#body = body
    this.status = status
    for (const [name, value] of Object.entries(headers)) this.headers.set(name, value)
  }

  text(): Promise<string> {
    return Promise.resolve(this.#body)
  }

  /** Converts to a web response. Call it last, because changing the headers afterwards is slow. */
  toResponse(): Response {
    return new Response(this.#body, { status: this.status, headers: this.headers.fields })
  }
}

/** Either a plain or a web response. */
export type AnyResponse = PlainResponse | Response

/** A JSON response. The value must not be undefined. */
export const jsonResponse = (
  value: unknown,
  status: number,
  headers: Readonly<Record<string, string>> = {},
): PlainResponse => new PlainResponse(JSON.stringify(value), status, { ...headers, 'Content-Type': 'application/json' })

/** Returns the web response. */
export const toWebResponse = (response: AnyResponse): Response =>
  response instanceof PlainResponse ? response.toResponse() : response
