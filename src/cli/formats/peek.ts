// Reads the beginning of a stream, which can then be read from the start.
import type { CommandStreams } from '../command/command.ts'

/** Reads chunks until there are enough. @returns the chunks read, and the whole stream. */
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
