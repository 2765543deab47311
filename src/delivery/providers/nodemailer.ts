// SMTP, by nodemailer: e-mail through a server of the integration's owner.
import { createTransport } from 'nodemailer'
import { z } from 'zod'
import { emailContent } from '../content.ts'
import { optional, parseCredentials, secret, sender } from '../credentials.ts'
import { notReached, shownAnswer } from '../exchange.ts'
import { type Outbound, Unreachable } from '../outbound.ts'
import { DeliveryFailure, type Envelope, type Provider } from '../provider.ts'
import { redact } from '../redact.ts'
import { emailOf } from '../target.ts'

/** One conversation is a dozen round trips, each of which may take the timeout. All of them together may take this many. */
const PATIENCE = 4

const settings = sender.extend({
  host: z.string().regex(/^[^\s/@]{1,253}$/, 'must be a host name or an address'),
  port: optional(z.coerce.number().int().min(1).max(65_535)),
  /** TLS from the start, as on port 465. Otherwise the connection is upgraded when the server offers it. */
  secure: optional(z.boolean()),
  /** Sends nothing over a connection that could not be upgraded. */
  requireTls: optional(z.boolean()),
  ignoreTls: optional(z.boolean()),
  user: optional(secret),
  password: optional(secret),
})
type Settings = z.output<typeof settings>

/** The connection is made by the outbound, which checks where it leads; TLS is still checked against the name. */
function transportOf({ host, port, secure, requireTls, ignoreTls, user, password }: Settings, outbound: Outbound) {
  const { timeout } = outbound
  return createTransport({
    host,
    secure: secure ?? port === 465,
    requireTLS: requireTls ?? false,
    ignoreTLS: ignoreTls ?? false,
    ...(user === undefined ? {} : { auth: { user, pass: password ?? '' } }),
    connectionTimeout: timeout,
    greetingTimeout: timeout,
    socketTimeout: timeout,
    disableFileAccess: true,
    disableUrlAccess: true,
    getSocket(_options, callback) {
      outbound.connect(host, portOf({ port, secure })).then(
        (connection) => callback(null, { connection }),
        (error: unknown) => callback(error instanceof Error ? error : new Error(String(error))),
      )
    },
  })
}

function portOf({ port, secure }: Pick<Settings, 'port' | 'secure'>): number {
  return port ?? (secure ? 465 : 587)
}

/** What nodemailer says of a failure. */
const smtpError = z.object({
  message: z.string(),
  code: z.string().optional(),
  responseCode: z.number().optional(),
  response: z.string().optional(),
})

/** Failures before the server was asked, which it will not change. */
const own: ReadonlySet<string> = new Set(['ENOAUTH', 'EENVELOPE'])

function failureOf(error: unknown, envelope: Envelope, server: string): DeliveryFailure {
  if (error instanceof Unreachable) return notReached(error)
  const { message, code = '', responseCode, response = '' } = smtpError.parse(error)
  const answer = shownAnswer(response, envelope)
  if (responseCode !== undefined) {
    const permanent = responseCode >= 500
    return new DeliveryFailure(`${server} answered ${responseCode}`, { permanent, status: responseCode, answer })
  }
  const reason = redact(message, [envelope.credentials])
  return new DeliveryFailure(`${server} did not take it: ${reason}`, { permanent: own.has(code), answer })
}

export const nodemailer: Provider = async (envelope, outbound) => {
  const given = parseCredentials(envelope, settings)
  const address = emailOf(envelope)
  const { deliveryId } = envelope
  const { html, ...content } = emailContent(envelope)
  const transport = transportOf(given, outbound)
  try {
    const { response } = await transport.sendMail({
      from: { name: given.senderName ?? '', address: given.from },
      to: { name: '', address },
      ...content,
      ...(html === undefined ? {} : { html }),
      // The same over all tries, so that a mailbox that sorts out duplicates can.
      messageId: `<${deliveryId}@${given.from.slice(given.from.lastIndexOf('@') + 1)}>`,
      headers: { 'Idempotency-Key': deliveryId },
      signal: AbortSignal.timeout(PATIENCE * outbound.timeout),
    })
    return { status: Number(response.slice(0, 3)) || null, answer: shownAnswer(response, envelope) }
  } catch (error) {
    throw failureOf(error, envelope, `${given.host}:${portOf(given)}`)
  } finally {
    transport.close()
  }
}
