// The body of a request that is made in pieces while it is sent, so that files need no memory for their encoded form.
import { Readable } from 'node:stream'

export interface PiecewiseBody {
  /** In bytes. */
  readonly size: number
  /** Each call begins with the first piece. */
  readonly pieces: () => Iterable<Uint8Array>
}

/** Milliseconds that bytes take on a slow connection. */
export const timeToSend = (bytes: number): number => Math.ceil(bytes / 1024)

/** The headers and the stream with which a body is sent. */
export const streamed = ({ size, pieces }: PiecewiseBody, headers: Readonly<Record<string, string>>) => ({
  body: Readable.from(pieces(), { objectMode: false }),
  headers: { ...headers, 'content-length': String(size) },
})
