// The entry of the thread that parses large bodies of triggers and decodes their files.
import { ValueCount } from '../http/value-count.ts'
import { takeFiles, type TakenFile } from './body-files.ts'

/** A body without its files, as JSON. */
export interface LargeBody {
  readonly text: string
  readonly files: readonly TakenFile[]
}

/** Why a body cannot be read, as a sentence. */
export interface Unreadable {
  readonly unreadable: string
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

const encoder = new TextEncoder()

/** Parses a body, and takes the files out of it. */
export default function readLargeBody(bytes: Uint8Array): LargeBody | Unreadable {
  try {
    const body: unknown = JSON.parse(utf8.decode(bytes))
    const files = takeFiles(body)
    const text = JSON.stringify(body)
    new ValueCount().add(encoder.encode(text))
    return { text, files }
  } catch (error) {
    if (error instanceof SyntaxError) return { unreadable: `The body is not valid JSON: ${error.message}` }
    if (error instanceof TypeError) return { unreadable: 'The body is not valid UTF-8' }
    return { unreadable: error instanceof Error ? error.message : String(error) }
  }
}
