// Looks at the beginning of a stream before it is read.
import type { CommandStreams } from '../command.ts'

/** Reads chunks until they are enough. @returns what was read, and the whole stream. */
export async function peek(input: CommandStreams['input'], isEnough: (begun: Buffer) => boolean) {
  const chunks = input[Symbol.asyncIterator]()
  let head = Buffer.alloc(0)
  while (!isEnough(head)) {
    const next: IteratorResult<Uint8Array, unknown> = await chunks.next()
    if (next.done === true) break
    head = Buffer.concat([head, next.value])
  }
  async function* whole(): AsyncGenerator<Uint8Array> {
    if (head.length > 0) yield head
    yield* { [Symbol.asyncIterator]: () => chunks }
  }
  return { head, input: whole() }
}
