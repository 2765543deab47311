// Pieces of a stream of bytes, all of one size except the last one.

/** Yields the bytes in pieces of `size`. Only one piece is in memory at a time, or none if it is a part of a chunk. */
export async function* piecesOf(
  bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  size: number,
): AsyncGenerator<Uint8Array> {
  let held: Uint8Array[] = []
  let length = 0
  for await (const chunk of bytes) {
    let rest = chunk
    while (length + rest.byteLength >= size) {
      const wanted = size - length
      const piece = rest.subarray(0, wanted)
      yield held.length === 0 ? piece : Buffer.concat([...held, piece])
      rest = rest.subarray(wanted)
      held = []
      length = 0
    }
    if (rest.byteLength > 0) {
      held.push(rest)
      length += rest.byteLength
    }
  }
  if (length > 0) yield Buffer.concat(held)
}
