// Merges the overrides of a trigger into the request to a provider, after the provider's own code.
import { PASSTHROUGH } from '../../domain/channel/override-rules.ts'
import type { Message } from '../../engine/message.ts'
import { isJsonObject, merged } from '../../domain/channel/json-merge.ts'
import type { Json, JsonObject } from '../../lib/validation.ts'
import { Multipart } from './files.ts'
import { DeliveryFailure } from './provider.ts'

/** A request that overrides may change. */
export interface Overridable {
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as a form if it is URLSearchParams or Multipart, otherwise as JSON. */
  readonly body: URLSearchParams | Multipart | object
  /**
   * The field of the body that is the message, into which overrides are merged. Default: the whole body. Null if the
   * request does not send the message.
   */
  readonly messageField?: string | null | undefined
}

const inForm = (value: Exclude<Json, null>) => (typeof value === 'object' ? JSON.stringify(value) : String(value))

/** Sets fields of a form. A list gives a field several values, and null removes it. */
function mergedForm(form: URLSearchParams, over: JsonObject): URLSearchParams {
  const result = new URLSearchParams(form)
  for (const [name, value] of Object.entries(over)) {
    result.delete(name)
    for (const one of Array.isArray(value) ? value : [value]) if (one !== null) result.append(name, inForm(one))
  }
  return result
}

function mergedBody(body: Overridable['body'], over: JsonObject): Overridable['body'] {
  if (body instanceof URLSearchParams) return mergedForm(body, over)
  return body instanceof Multipart ? body.withFields(mergedForm(body.fields, over)) : merged(body, over)
}

function mergedMessage(body: Overridable['body'], over: JsonObject, field: string | undefined): Overridable['body'] {
  if (Object.keys(over).length === 0) return body
  return mergedBody(body, field === undefined ? over : { [field]: over })
}

function mergedUrl(url: string, query: JsonObject): string {
  const result = new URL(url)
  result.search = mergedForm(result.searchParams, query).toString()
  return result.href
}

/** @throws DeliveryFailure for a header of the integration, which may authenticate it. */
function mergedHeaders(headers: Readonly<Record<string, string>>, over: JsonObject): Record<string, string> {
  const own = new Set(Object.keys(headers).map((name) => name.toLowerCase()))
  const added = Object.entries(over).map(([name, value]): [string, string] => {
    if (!own.has(name.toLowerCase())) return [name, typeof value === 'string' ? value : JSON.stringify(value)]
    const message = `The override of the header ${JSON.stringify(name)} cannot be sent: the integration sets it`
    throw new DeliveryFailure(message, { permanent: true })
  })
  return { ...headers, ...Object.fromEntries(added) }
}

const partOf = (override: JsonObject, part: 'body' | 'headers' | 'query'): JsonObject => {
  const { [PASSTHROUGH]: passthrough } = override
  const found = isJsonObject(passthrough) ? passthrough[part] : undefined
  return isJsonObject(found) ? found : {}
}

/** Returns a request with the overrides of its message. @throws DeliveryFailure if one cannot be applied. */
export function withOverrides<Request extends Overridable>(
  { overrides }: Pick<Message, 'overrides'>,
  call: Request,
): Request {
  const { messageField } = call
  if (overrides.length === 0 || messageField === null) return call
  let { url, headers = {}, body } = call
  for (const { [PASSTHROUGH]: _later, ...fields } of overrides) body = mergedMessage(body, fields, messageField)
  for (const override of overrides) {
    body = mergedMessage(body, partOf(override, 'body'), undefined)
    const [added, query] = [partOf(override, 'headers'), partOf(override, 'query')]
    if (Object.keys(query).length > 0) url = mergedUrl(url, query)
    headers = { ...headers, ...mergedHeaders(call.headers ?? {}, added) }
  }
  return { ...call, url, headers, body }
}
