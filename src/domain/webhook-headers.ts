// The custom headers of a `tool_webhook` endpoint: which are allowed.
import { z } from 'zod'

/** The maximum number of headers of a `tool_webhook`. */
export const MAX_HEADERS = 50
/** The maximum total size of their names and values, in bytes. */
export const MAX_HEADERS_SIZE = 16 * 1024

/** RFC 7230, section 3.2.6. */
const headerName = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/
const headerValue = /^[\x20-\x7e]*$/

/** Headers that the HTTP client sets for the connection. */
const ownHeaders: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** The first invalid header as an error message, or undefined. Values are secret, so the message never shows one. */
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
    if (ownHeaders.has(key)) return `must not have the header "${name}", which is the connection's own`
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
