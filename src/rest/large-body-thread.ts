// The entry of the thread that parses large bodies of triggers and decodes their files.
import { move, transferableSymbol, valueSymbol } from 'piscina'
import { ValueCount } from '../http/value-count.ts'
import { Refusal } from '../lib/errors.ts'
import { bytesIn, takeFiles, type TakenFile } from './body-files.ts'
import { ShortenedBody } from './long-strings.ts'

/** A body without its files, as JSON. */
export interface LargeBody {
  readonly text: string
  readonly files: readonly TakenFile[]
}

/** Why a body cannot be read, as a sentence. */
export interface Unreadable {
  readonly unreadable: string
}

const encoder = new TextEncoder()

/** Bytes of files as lists of numbers, which are fast to parse and do not count. */
const byteLists = /\d{1,3}(?:\s*,\s*\d{1,3})+/g

const assertCount = (text: string) => new ValueCount().add(encoder.encode(text))

/** Returns why a body cannot be read. Undefined for an error of the gateway. */
function objectionIn(error: unknown): string | undefined {
  if (error instanceof SyntaxError) return `The body is not valid JSON: ${error.message}`
  if (error instanceof Refusal) return error.message
  const isDecoding = error instanceof TypeError && 'code' in error && error.code === 'ERR_ENCODING_INVALID_ENCODED_DATA'
  return isDecoding ? 'The body is not valid UTF-8' : undefined
}

function read(bytes: Buffer): LargeBody | Unreadable {
  try {
    const shortened = new ShortenedBody(bytes)
    // First, because values take long to parse.
    assertCount(shortened.text.replaceAll(byteLists, '0'))
    const body: unknown = JSON.parse(shortened.text)
    const files = takeFiles(body, (value) => {
      const taken = typeof value === 'string' ? shortened.takeBase64(value) : 'absent'
      return taken === 'absent' ? bytesIn(value) : taken
    })
    const text = shortened.restore(JSON.stringify(body))
    assertCount(text)
    return { text, files }
  } catch (error) {
    const unreadable = objectionIn(error)
    if (unreadable === undefined) throw error
    return { unreadable }
  }
}

/** Parses a body, and takes the files out of it. Their bytes are in the memory of the body, which goes back with them. */
export default function readLargeBody(body: Uint8Array<ArrayBuffer>): unknown {
  const result = read(Buffer.from(body.buffer, body.byteOffset, body.byteLength))
  return move({ [transferableSymbol]: body.buffer, [valueSymbol]: result })
}
