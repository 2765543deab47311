// The files of an email in the forms that providers need.
import { MAX_ATTACHMENT_BYTES } from '../../domain/channel/attachment-file.ts'
import type { LoadedFile, Message } from '../../engine/message.ts'
import { DeliveryFailure } from './provider.ts'

export const base64Of = ({ bytes }: LoadedFile): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')

/** True for an invitation or a reply to one, which mail clients show as an alternative of the text. */
export const isCalendar = ({ contentType }: LoadedFile): boolean =>
  /^text\/calendar\s*;(?:.*;)?\s*method=/i.test(contentType)

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

  /** Encodes the form. */
  encode(): Uint8Array {
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
    return Buffer.concat([...parts, ...fileParts, Buffer.from(`--${boundary}--\r\n`)])
  }
}
