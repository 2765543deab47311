// A real SMTP server on loopback that records what it receives, and a reader of its messages.
import { text } from 'node:stream/consumers'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { onTestFinished } from 'vitest'
import { listening } from './receiver.ts'

export interface Mail {
  readonly from: string | undefined
  readonly to: readonly string[]
  readonly user: unknown
  readonly message: string
}

/** An SMTP server for one test, and the credentials to connect to it. */
export async function smtp(options: SMTPServerOptions = {}) {
  const received: Mail[] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    // The server would log errors about its certificate, which is untrusted on purpose.
    logger: false,
    // Idle connections of a pool stay open for ten seconds: the server ends them when the test ends.
    closeTimeout: 1,
    allowInsecureAuth: true,
    onAuth({ username, password }, _session, callback) {
      if (password === 'right') callback(null, { user: username })
      else callback(Object.assign(new Error(`5.7.8 wrong: ${String(password)}`), { responseCode: 535 }))
    },
    onData(stream, { envelope, user }, callback) {
      void text(stream).then((message) => {
        const from = envelope.mailFrom ? envelope.mailFrom.address : undefined
        received.push({ from, to: envelope.rcptTo.map(({ address }) => address), user, message })
        callback(null, 'queued as 42')
      })
    },
    ...options,
  })
  // Ignores connections that close during the TLS upgrade.
  server.on('error', () => {})
  const port = await listening(server.server)
  onTestFinished(() => new Promise<void>((resolve) => server.close(resolve)))
  return { received, credentials: { host: '127.0.0.1', port, from: 'shop@example.com', senderName: 'The Shop' } }
}

type Headers = ReadonlyMap<string, string>

/** The headers of a message or of one of its parts by lower-case name, unfolded, and the text after them. */
function split(message: string): { readonly headers: Headers; readonly body: string } {
  const end = message.indexOf('\r\n\r\n')
  const lines = message
    .slice(0, end)
    .replaceAll(/\r\n[ \t]+/g, ' ')
    .split('\r\n')
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(':')
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
  })
  return { headers: new Map(headers), body: message.slice(end + 4) }
}

/** Decodes the body of a part with the encodings that nodemailer chooses. */
function decoded(headers: Headers, body: string): string {
  const encoding = headers.get('content-transfer-encoding')
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString()
  if (encoding !== 'quoted-printable') return body
  const bytes = body
    .replaceAll(/=\r\n/g, '')
    .replaceAll(/=([0-9A-F]{2})/g, (_match, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1').toString()
}

interface ReadMail {
  readonly headers: Headers
  /** The bodies of its parts by content type, with line feeds only and without the last one. */
  readonly parts: Readonly<Record<string, string>>
}

/** Reads a message with one part, or with alternative parts. */
export function readMail({ message }: Mail): ReadMail {
  const { headers, body } = split(message)
  const boundary = /boundary="([^"]+)"/.exec(headers.get('content-type') ?? '')?.[1]
  const pieces =
    boundary === undefined
      ? [{ headers, body }]
      : body
          .split(`--${boundary}`)
          .slice(1, -1)
          .map((piece) => split(piece.replace(/^\r\n/, '')))
  const parts = pieces.map((piece) => {
    const type = piece.headers.get('content-type')?.split(';')[0] ?? ''
    return [type, decoded(piece.headers, piece.body).replaceAll('\r\n', '\n').trimEnd()]
  })
  return { headers, parts: Object.fromEntries(parts) }
}

/** Returns the files of a message, in order. */
export function attachmentsIn({ message }: Mail) {
  const boundaries = [...message.matchAll(/boundary="([^"]+)"/g)].map(([, boundary]) => `--${boundary}`)
  const pieces = boundaries.reduce((texts, boundary) => texts.flatMap((text) => text.split(boundary)), [message])
  return pieces.flatMap((piece) => {
    const { headers, body } = split(piece.replace(/^\r\n/, ''))
    const disposition = headers.get('content-disposition')
    if (disposition === undefined) return []
    const name = /filename="?([^";]+)"?/.exec(disposition)?.[1]
    return { name, contentType: headers.get('content-type')?.split(';')[0], bytes: Buffer.from(body, 'base64') }
  })
}
