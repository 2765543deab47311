// A file as the body of a response.
import { Readable } from 'node:stream'

const quoted = (name: string) => name.replaceAll(/[^\x20-\x7e]|["\\]/g, '_')
const encoded = (name: string) =>
  encodeURIComponent(name).replaceAll(/['()*]/g, (character) => `%${character.charCodeAt(0).toString(16)}`)

interface File {
  readonly name: string
  readonly contentType: string
  readonly size: number
  readonly pieces: AsyncIterable<Uint8Array>
}

/** The bytes of a file, which browsers save and never show: it comes from a caller. */
export class FileBody {
  readonly #file: File

  constructor(file: File) {
    this.#file = file
  }

  toResponse(status: number, headers: Readonly<Record<string, string>>): Response {
    const { name, contentType, size, pieces } = this.#file
    const body = Readable.toWeb(Readable.from(pieces, { objectMode: false })) as ReadableStream<Uint8Array<ArrayBuffer>>
    return new Response(body, {
      status,
      headers: {
        ...headers,
        'Content-Type': contentType,
        'Content-Length': String(size),
        'Content-Disposition': `attachment; filename="${quoted(name)}"; filename*=UTF-8''${encoded(name)}`,
        'Content-Security-Policy': "default-src 'none'; sandbox",
        'X-Content-Type-Options': 'nosniff',
      },
    })
  }
}
