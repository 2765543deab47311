// The custom headers of webhooks, and which of them are allowed.
import { z } from 'zod'
import { jsonObject } from '../../lib/validation.ts'

/** The maximum number of headers of a `tool_webhook`. */
export const MAX_HEADERS = 50
/** The maximum total size of their names and values, in bytes. */
export const MAX_HEADERS_SIZE = 16 * 1024

/** RFC 7230, section 3.2.6. */
const headerName = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/
const headerValue = /^[\x20-\x7e]*$/

/** Headers that the gateway sets itself: connection headers, and headers that receivers rely on. */
const reservedHeaders: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'idempotency-key',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'x-signature-256',
])

/** True for a header that the gateway sets itself. Case-insensitive. */
export function isReserved(name: string): boolean {
  const lower = name.toLowerCase()
  return reservedHeaders.has(lower) || lower.startsWith('proxy-')
}

/** Returns why a header cannot be sent, as a sentence without its subject. Undefined if it can. */
export function objectionToRequestHeader(name: string, value: string): string | undefined {
  if (!headerName.test(name)) return "must have a name of letters, digits and !#$%&'*+.^_`|~- only"
  return headerValue.test(value) ? undefined : 'must be visible ASCII characters and spaces'
}

/**
 * Returns an error message about the first invalid header, or undefined. Values are secret, so the message never
 * contains one.
 */
function headersObjection(headers: Readonly<Record<string, string>>): string | undefined {
  const entries = Object.entries(headers)
  if (entries.length > MAX_HEADERS) return `must be at most ${MAX_HEADERS} headers`
  const size = entries.reduce((sum, [name, value]) => sum + name.length + value.length, 0)
  if (size > MAX_HEADERS_SIZE) return `must be at most ${MAX_HEADERS_SIZE} bytes, names and values together`
  const seen = new Set<string>()
  for (const [name, value] of entries) {
    const key = name.toLowerCase()
    if (!headerName.test(name)) {
      return `must have names of letters, digits and !#$%&'*+.^_\`|~- only, unlike ${JSON.stringify(name)}`
    }
    if (isReserved(name)) return `must not have the header "${name}", which the gateway sets itself`
    if (seen.has(key)) return `must have each header once, case-insensitive, unlike "${name}"`
    if (!headerValue.test(value)) return `must have values of visible ASCII characters and spaces, unlike "${name}"`
    seen.add(key)
  }
  return undefined
}

/** Custom headers of a webhook. Names are unique, case-insensitive. */
export const webhookHeaders = z.record(z.string(), z.string()).check(({ value, issues }) => {
  const message = headersObjection(value)
  if (message !== undefined) issues.push({ code: 'custom', message, input: value })
})

/** The check below runs even if the value is not an object, which `jsonObject` reports. */
const isObject = (value: unknown) => typeof value === 'object' && value !== null

/** Names of credentials that contain the name of a request header. */
const headerNames = ['apiKeyRequestHeader', 'secretKeyRequestHeader'] as const

/** The credentials of an integration: any JSON object without reserved header names. */
export const integrationCredentials = jsonObject().check(({ value, issues }) => {
  if (!isObject(value)) return
  for (const field of headerNames) {
    const name = value[field]
    if (typeof name !== 'string' || !isReserved(name)) continue
    const message = `must not be the header "${name}", which the gateway sets itself`
    issues.push({ code: 'custom', path: [field], message, input: name })
  }
})
