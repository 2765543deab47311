// Reads a large request body as it arrives, for routes that store it piece by piece.
import { ClientLeft } from './client-left.ts'
import { BodyProgress, tooLarge } from './request-body.ts'

/**
 * Yields the bytes of a body.
 *
 * @param max bytes.
 * @param begin counts the body, once it is read. It returns a function to call at its end.
 * @throws Refusal `PAYLOAD_TOO_LARGE` once more than `max` bytes arrive, `REQUEST_TIMEOUT` if it stalls, or what `begin`
 *   throws.
 * @throws ClientLeft if the client closes the connection before.
 */
export async function* streamBody(
  { body, headers, signal }: Request,
  max: number,
  begin: () => () => void,
): AsyncGenerator<Uint8Array> {
  if (Number(headers.get('content-length') ?? 0) > max) throw tooLarge(max)
  if (body === null) return
  const end = begin()
  const reader = body.getReader()
  let stall: (error: Error) => void = () => {}
  const stalled = new Promise<never>((_resolve, reject) => (stall = reject))
  // The body may stall while no one awaits this promise.
  stalled.catch(() => {})
  const progress = new BodyProgress(stall)
  let size = 0
  try {
    for (;;) {
      const read = reader.read().catch((cause: unknown) => {
        throw new ClientLeft(cause)
      })
      const { done, value } = await Promise.race([read, stalled])
      // A body that was cut off may look complete.
      if (signal.aborted) throw new ClientLeft(signal.reason)
      if (done) return
      size += value.byteLength
      if (size > max) throw tooLarge(max)
      progress.arrived(value.byteLength)
      yield value
    }
  } finally {
    progress.end()
    end()
    reader.cancel().catch(() => {
      // The client may already have left.
    })
  }
}
