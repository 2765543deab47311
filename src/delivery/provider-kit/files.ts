// The files of an email in the forms that providers need. They are encoded while the request is sent, because base64 in
// memory would take more than the files.
import { randomUUID } from 'node:crypto'
import { MAX_ATTACHMENT_BYTES } from '../../domain/channel/attachment-file.ts'
import type { LoadedFile, Message } from '../../engine/message.ts'
import type { PiecewiseBody } from '../network/piecewise-body.ts'
import { DeliveryFailure } from './provider.ts'

/** Bytes that are encoded at a time. A multiple of three, because three bytes are four characters. */
const PIECE = 3 * 16 * 1024

/** The base64 of a file, as a value in a JSON body. */
class Base64File {
  readonly size: number
  readonly #bytes: Buffer

  constructor({ bytes }: LoadedFile) {
    this.#bytes = bufferOf(bytes)
    this.size = 4 * Math.ceil(bytes.byteLength / 3)
  }

  *pieces(): Generator<Buffer> {
    for (let start = 0; start < this.#bytes.byteLength; start += PIECE) {
      yield Buffer.from(this.#bytes.subarray(start, start + PIECE).toString('base64'), 'latin1')
    }
  }
}

/** The same bytes as a buffer. */
export const bufferOf = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)

/** The base64 of a file. Only for bodies that are sent as JSON. */
export const base64Of = (file: LoadedFile): object => new Base64File(file)

/** Encodes a body as JSON. @returns pieces if it has files. */
export function encodeJson(body: object, { files = [] }: Pick<Message, 'files'>): string | PiecewiseBody {
  if (files.length === 0) return JSON.stringify(body)
  const mark = randomUUID()
  const found: Base64File[] = []
  const text = JSON.stringify(body, (_name, value: unknown) => {
    if (!(value instanceof Base64File)) return value
    found.push(value)
    return mark
  })
  const texts = text.split(mark).map((part) => Buffer.from(part))
  const size = [...texts.map(({ byteLength }) => byteLength), ...found.map((file) => file.size)]
  return {
    size: size.reduce((sum, one) => sum + one, 0),
    *pieces() {
      for (const [index, part] of texts.entries()) {
        yield part
        const file = found[index]
        if (file) yield* file.pieces()
      }
    },
  }
}

/** Returns the files of a message. @throws DeliveryFailure if the provider does not accept as many bytes. */
export function filesOf({ files = [] }: Message, maxBytes = MAX_ATTACHMENT_BYTES): readonly LoadedFile[] {
  const total = files.reduce((sum, { bytes }) => sum + bytes.byteLength, 0)
  if (total <= maxBytes) return files
  throw new DeliveryFailure(
    `The attachments must be at most ${maxBytes} bytes together for this provider, and have ${total}.`,
    { permanent: true },
  )
}

/** A form with files (RFC 7578). */
export class Multipart {
  readonly fields: URLSearchParams
  readonly #boundary: string
  readonly #files: readonly LoadedFile[]

  /** @param boundary a text that occurs in no part. */
  constructor(boundary: string, fields: URLSearchParams, files: readonly LoadedFile[]) {
    this.fields = fields
    this.#boundary = boundary
    this.#files = files
  }

  get contentType(): string {
    return `multipart/form-data; boundary=${this.#boundary}`
  }

  /** The same form with other fields. */
  withFields(fields: URLSearchParams): Multipart {
    return new Multipart(this.#boundary, fields, this.#files)
  }

  encode(): PiecewiseBody {
    const boundary = this.#boundary
    // RFC 7578, section 4.2: as browsers do.
    const quoted = (name: string) => name.replaceAll(/[\r\n"]/g, (character) => encodeURIComponent(character))
    const parts = [...this.fields].flatMap(([name, value]) => [
      Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="${quoted(name)}"\r\n\r\n${value}\r\n`),
    ])
    const fileParts = this.#files.flatMap(({ name, contentType, bytes, contentId, inline }) => {
      // Mailgun takes the name of an inline file as its content id.
      const fileName = quoted((inline && contentId) || name)
      const head = `--${boundary}\r\nContent-Disposition: form-data; name="${inline ? 'inline' : 'attachment'}"; filename="${fileName}"\r\nContent-Type: ${contentType}\r\n\r\n`
      return [Buffer.from(head), bytes, Buffer.from('\r\n')]
    })
    const pieces = [...parts, ...fileParts, Buffer.from(`--${boundary}--\r\n`)]
    return { size: pieces.reduce((sum, { byteLength }) => sum + byteLength, 0), pieces: () => pieces }
  }
}
