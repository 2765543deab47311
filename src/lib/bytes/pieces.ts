// Pieces of a stream of bytes, all of one size except the last one.

/** Yields the bytes in pieces of `size`. Only one piece is in memory at a time. */
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
      yield Buffer.concat([...held, rest.subarray(0, wanted)])
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
