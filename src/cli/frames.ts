// The messages between a command line and the process that holds the embedded database, over a Unix socket.
import type { Socket } from 'node:net'
import { z } from 'zod'

/**
 * A frame is a letter, the length of its payload in four bytes, and the payload: bytes of a file, or JSON.
 *
 * The command line sends `start`, `input` and `inputEnd`. The process answers with `output`, `say` and `progress`, and
 * ends with `outcome` or `failure`. Before that, it may ask with `finish` to put the output in its place, which the command
 * line does and answers with `finished`. Either end that closes the socket earlier has left.
 */
const letters = {
  start: 's',
  input: 'i',
  inputEnd: 'e',
  output: 'o',
  say: 'm',
  progress: 'p',
  finish: 'w',
  finished: 'd',
  outcome: 'r',
  failure: 'f',
} as const

export type FrameKind = keyof typeof letters

export interface Frame {
  readonly kind: FrameKind
  readonly payload: Buffer
}

export const startFrame = z.object({
  version: z.string(),
  name: z.string(),
  given: z.unknown(),
  fileName: z.string(),
  inputSize: z.number().optional(),
})

export const progressFrame = z.object({
  done: z.number(),
  unit: z.string(),
  part: z.number().optional(),
  line: z.number().optional(),
})
export const outcomeFrame = z.object({ text: z.string(), result: z.unknown(), failed: z.boolean().optional() })
export const sayFrame = z.string()
export const failureFrame = z.object({ message: z.string() })

const HEADER = 5

/** Bytes of a payload. Only a process that is not a gateway sends more. */
const MAX_PAYLOAD = 64 * 1024 * 1024

/** Sends a frame. Bytes are sent as they are, everything else as JSON. Resolves when there is room for more. */
export function sendFrame(socket: Socket, kind: FrameKind, content: unknown = null): Promise<void> {
  const payload = content instanceof Uint8Array ? content : Buffer.from(JSON.stringify(content))
  const header = Buffer.alloc(HEADER, letters[kind])
  header.writeUInt32BE(payload.length, 1)
  return new Promise((resolve, reject) => {
    socket.write(Buffer.concat([header, payload]), (error) => (error ? reject(error) : resolve()))
  })
}

const kindOf = (letter: string): FrameKind | undefined =>
  (Object.keys(letters) as FrameKind[]).find((kind) => letters[kind] === letter)

/** Reads frames until the other end leaves. No more is read than is asked for. @throws Error if it sends something else. */
export async function* readFrames(socket: Socket): AsyncGenerator<Frame> {
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    while (rest.length >= HEADER) {
      const kind = kindOf(String.fromCharCode(rest.readUInt8(0)))
      const length = rest.readUInt32BE(1)
      if (kind === undefined || length > MAX_PAYLOAD)
        throw new Error('the socket of commands received an unknown message')
      if (rest.length < HEADER + length) break
      yield { kind, payload: rest.subarray(HEADER, HEADER + length) }
      rest = rest.subarray(HEADER + length)
    }
  }
}

/** Reads the JSON of a frame. @throws Error if it has another form. */
export function readFrame<Schema extends z.ZodType>(schema: Schema, { payload }: Frame): z.output<Schema> {
  return schema.parse(JSON.parse(payload.toString()))
}
