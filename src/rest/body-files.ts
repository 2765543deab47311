// The files in the body of a trigger: where they are, and the documented form in the payload.
import { z } from 'zod'
import { fileName, mediaType } from '../domain/channel/attachment-file.ts'
import { decodedBase64, fileBytes } from '../domain/trigger/attachment-input.ts'
import type { Path } from '../lib/errors.ts'
import { valueAt } from '../lib/paths.ts'
import { parse } from '../lib/validation.ts'

type Fields = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const listAt = (value: unknown, path: Path): readonly unknown[] => {
  const found: unknown = valueAt(value, path)
  return Array.isArray(found) ? found : []
}

/** Returns the paths of the files in a trigger. */
function placesIn(trigger: unknown): readonly Path[] {
  const own = listAt(trigger, ['attachments']).map((_one, index): Path => ['attachments', index, 'content', 'data'])
  const documented = listAt(trigger, ['payload', 'attachments']).map((_one, index): Path => [
    'payload',
    'attachments',
    index,
    'file',
  ])
  return [...own, ...documented].filter((path) => valueAt(trigger, path) != null)
}

/** The bytes of a file in JSON: base64, or a Buffer of Node.js. Undefined if it is neither. */
export function bytesIn(value: unknown): Uint8Array | undefined {
  if (value instanceof Uint8Array) return value
  if (typeof value === 'string') return decodedBase64(value)
  if (!isObject(value) || value['type'] !== 'Buffer' || !Array.isArray(value['data'])) return undefined
  const numbers: readonly unknown[] = value['data']
  const isByte = (one: unknown) => typeof one === 'number' && Number.isInteger(one) && one >= 0 && one <= 255
  return numbers.every(isByte) ? Uint8Array.from(numbers as readonly number[]) : undefined
}

/** The bytes of a file, and its path in the body. */
export interface TakenFile {
  readonly path: Path
  readonly bytes: Uint8Array
}

/** Puts a value in the place of another one. */
export function replaceAt(body: unknown, path: Path, value: unknown): void {
  const parent: unknown = valueAt(body, path.slice(0, -1))
  const name = path.at(-1)
  if (typeof parent === 'object' && parent !== null && name !== undefined) Reflect.set(parent, name, value)
}

/** What stands in the place of a file that cannot be decoded. */
const NO_FILE = '*'

/**
 * Takes the files out of a parsed body. Some clients wrap the trigger in `data`.
 *
 * @param read returns the bytes of a file. Undefined if it has none.
 */
export function takeFiles(body: unknown, read: (value: unknown) => Uint8Array | undefined): readonly TakenFile[] {
  const places = ['data' as const, undefined].flatMap((wrapper) => {
    const at: Path = wrapper === undefined ? [] : [wrapper]
    return placesIn(valueAt(body, at)).map((path): Path => [...at, ...path])
  })
  return places.flatMap((path) => {
    const bytes = read(valueAt(body, path))
    replaceAt(body, path, bytes === undefined ? NO_FILE : null)
    return bytes === undefined ? [] : [{ path, bytes }]
  })
}

/** A file in the payload, in the documented form. */
const payloadFile = z.object({
  file: z.preprocess((given) => bytesIn(given) ?? given, fileBytes),
  name: fileName,
  mime: mediaType.nullish(),
  channels: z.array(z.string()).nullish(),
})

const withFiles = z.object({ payload: z.object({ attachments: z.array(payloadFile) }) })

const isFile = (one: unknown) => isObject(one) && 'file' in one

/**
 * Moves the files in the payload of a trigger to its attachments. The payload keeps their name, type and size.
 *
 * @throws Refusal `INVALID` with the path in the payload.
 */
export function withoutPayloadFiles(body: unknown): unknown {
  const given = listAt(body, ['payload', 'attachments'])
  if (!isObject(body) || !given.some(isFile)) return body
  const { payload } = parse(withFiles, { payload: { attachments: given } })
  // Only emails have files.
  const sent = payload.attachments.filter(({ channels }) => !channels || channels.includes('email'))
  return {
    ...body,
    attachments: [
      ...listAt(body, ['attachments']),
      ...sent.map(({ file, name, mime }) => ({ content: { data: file, name, contentType: mime } })),
    ],
    payload: {
      ...(isObject(body['payload']) ? body['payload'] : {}),
      attachments: payload.attachments.map(({ file, name, mime = null }) => ({ name, mime, size: file.byteLength })),
    },
  }
}
