// The entry of the thread that parses large bodies of triggers and decodes their files.
import { move, transferableSymbol, valueSymbol } from 'piscina'
import { ValueCount } from '../http/value-count.ts'
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

function read(bytes: Buffer): LargeBody | Unreadable {
  try {
    const shortened = new ShortenedBody(bytes)
    const body: unknown = JSON.parse(shortened.text)
    const files = takeFiles(body, (value) => {
      const taken = typeof value === 'string' ? shortened.takeBase64(value) : 'absent'
      return taken === 'absent' ? bytesIn(value) : taken
    })
    const text = shortened.restore(JSON.stringify(body))
    new ValueCount().add(encoder.encode(text))
    return { text, files }
  } catch (error) {
    if (error instanceof SyntaxError) return { unreadable: `The body is not valid JSON: ${error.message}` }
    if (error instanceof TypeError) return { unreadable: 'The body is not valid UTF-8' }
    return { unreadable: error instanceof Error ? error.message : String(error) }
  }
}

/** Parses a body, and takes the files out of it. Their bytes are in the memory of the body, which goes back with them. */
export default function readLargeBody(body: Uint8Array<ArrayBuffer>): unknown {
  const result = read(Buffer.from(body.buffer, body.byteOffset, body.byteLength))
  return move({ [transferableSymbol]: body.buffer, [valueSymbol]: result })
}
