// Large bodies of triggers: parsed in a thread, because parsing them would block the event loop.
import { Piscina } from 'piscina'
import { MAX_BODY } from '../http/request-body.ts'
import { Refusal } from '../lib/errors.ts'
import { threadEntry } from '../lib/thread-entry.ts'
import type { LargeBody, Unreadable } from './large-body-thread.ts'
import { replaceAt, type TakenFile } from './body-files.ts'

/** The maximum size of the body of a trigger with files, in bytes. Fits 20 MiB in base64. */
export const MAX_TRIGGER_BODY = 28 * 1024 * 1024

/** Bytes of a body above which parsing takes long. */
const SLOW_TO_PARSE = 256 * 1024

/** Maximum memory of the thread, in megabytes. */
const THREAD_MEGABYTES = 512

/** Memory for new values, in megabytes. What the thread decodes is garbage at once, and by default 48 MB may pile up. */
const YOUNG_MEGABYTES = 4

/** True if a body must be parsed in the thread. */
export const isSlowToParse = ({ byteLength }: Uint8Array): boolean => byteLength > SLOW_TO_PARSE

/** Milliseconds after which the idle thread ends, which frees its memory. */
const IDLE = 2_000

let pool: Piscina | undefined

const openPool = () =>
  new Piscina({
    ...threadEntry(import.meta.url, 'large-body-thread'),
    minThreads: 0,
    maxThreads: 1,
    idleTimeout: IDLE,
    // The thread must not see the process's configuration, which contains secrets.
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: THREAD_MEGABYTES, maxYoungGenerationSizeMb: YOUNG_MEGABYTES },
    recordTiming: false,
  })

/** A parsed body, and the files that were in it. */
export interface ParsedBody {
  readonly body: unknown
  readonly files: readonly TakenFile[]
}

/**
 * Parses a large body in a thread, so that other requests do not wait for it. The thread takes the memory of the body,
 * which is empty afterwards.
 *
 * @throws Refusal `MALFORMED` or `PAYLOAD_TOO_LARGE`.
 */
export async function parseLargeBody(bytes: Uint8Array<ArrayBuffer>): Promise<ParsedBody> {
  pool ??= openPool()
  const read = (await pool.run(bytes, { transferList: [bytes.buffer] })) as LargeBody | Unreadable
  if ('unreadable' in read) throw new Refusal('MALFORMED', read.unreadable)
  if (Buffer.byteLength(read.text) > MAX_BODY) {
    throw new Refusal('PAYLOAD_TOO_LARGE', `The body without attachments must be at most ${MAX_BODY} bytes`)
  }
  return { body: JSON.parse(read.text) as unknown, files: read.files }
}

/** Puts the files back in their places. */
export function restoreFiles(body: unknown, files: readonly TakenFile[]): void {
  for (const { path, bytes } of files) replaceAt(body, path, bytes)
}
