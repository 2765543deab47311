// SMTP by nodemailer: email through the mail server in the integration's credentials.
import { z } from 'zod'
import type { Message } from '../../engine/message.ts'
import { emailContent } from '../provider-kit/content.ts'
import { createProvider } from '../provider-kit/create-provider.ts'
import { optional, plain, secret, sender, setting } from '../provider-kit/credentials.ts'
import { redactedAnswer, unreachableFailure } from '../provider-kit/exchange.ts'
import { type Outbound, Unreachable } from '../network/outbound.ts'
import { DeliveryFailure } from '../provider-kit/provider.ts'
import { redact } from '../provider-kit/redact.ts'
import { emailTarget } from '../provider-kit/target.ts'

/** The limit of a whole SMTP session, as a number of timeouts. A session has about a dozen round trips. */
const MAX_TIMEOUTS = 4

const settings = sender.extend({
  host: setting(
    z.string().regex(/^[^\s/@]{1,253}$/, 'must be a host name or an IP address'),
    'Host',
    'The host name or IP address of the mail server.',
  ),
  port: optional(
    setting(
      z.coerce.number().int().min(1).max(65_535),
      'Port',
      'The port of the mail server. By default 465 with TLS from the start, otherwise 587.',
    ),
  ),
  secure: optional(
    setting(
      z.boolean(),
      'TLS from the start',
      'True for TLS from the start, which is the default on port 465. Otherwise STARTTLS is used if the server offers it.',
    ),
  ),
  requireTls: optional(
    setting(z.boolean(), 'Require TLS', 'True to fail if the server does not offer STARTTLS. False by default.'),
  ),
  ignoreTls: optional(
    setting(
      z.boolean(),
      'Ignore TLS',
      'True to send without STARTTLS, even if the server offers it. False by default.',
    ),
  ),
  user: optional(plain('User', 'The name of the account. Absent for a server that requires none.')),
  password: optional(secret('Password', 'The password of the account.')),
})
type Settings = z.output<typeof settings>

/** The outbound opens the connection and checks the address. TLS certificates are verified against the host name. */
async function transportOf(
  { host, port, secure, requireTls, ignoreTls, user, password }: Settings,
  outbound: Outbound,
  environmentId: string,
) {
  const { timeout } = outbound
  // Loaded with the first email, because it takes memory and delays the start of the process.
  const { createTransport } = await import('nodemailer')
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
      outbound.connect(host, portOf({ port, secure }), environmentId).then(
        (connection) => callback(null, { connection }),
        (error: unknown) => callback(error instanceof Error ? error : new Error(String(error))),
      )
    },
  })
}

function portOf({ port, secure }: Pick<Settings, 'port' | 'secure'>): number {
  return port ?? (secure ? 465 : 587)
}

/** An error of nodemailer. */
const smtpError = z.object({
  message: z.string(),
  code: z.string().optional(),
  responseCode: z.number().optional(),
  response: z.string().optional(),
})

/** Errors in the message or the credentials, found before the server was contacted. */
const permanentCodes: ReadonlySet<string> = new Set(['ENOAUTH', 'EENVELOPE'])

function failureOf(error: unknown, message: Message, server: string): DeliveryFailure {
  if (error instanceof Unreachable) return unreachableFailure(error)
  const { message: cause, code = '', responseCode, response = '' } = smtpError.parse(error)
  const answer = redactedAnswer(response, message)
  if (responseCode !== undefined) {
    const permanent = responseCode >= 500
    return new DeliveryFailure(`${server} responded with ${responseCode}`, { permanent, status: responseCode, answer })
  }
  const reason = redact(cause, [message.credentials], message.secrets)
  return new DeliveryFailure(`${server} did not accept the message: ${reason}`, {
    permanent: permanentCodes.has(code),
    answer,
  })
}

export const nodemailer = createProvider({
  settings,
  target: emailTarget,
  async send({ settings: given, to: address, message, outbound }) {
    const { deliveryId } = message
    const { html, ...content } = emailContent(message)
    const transport = await transportOf(given, outbound, message.environmentId)
    try {
      const { response } = await transport.sendMail({
        from: { name: given.senderName ?? '', address: given.from },
        to: { name: '', address },
        ...content,
        ...(html === undefined ? {} : { html }),
        // The same for every attempt, so that mail servers can remove duplicates.
        messageId: `<${deliveryId}@${given.from.slice(given.from.lastIndexOf('@') + 1)}>`,
        headers: { 'Idempotency-Key': deliveryId },
        signal: AbortSignal.timeout(MAX_TIMEOUTS * outbound.timeout),
      })
      return { status: Number(response.slice(0, 3)) || null, answer: redactedAnswer(response, message) }
    } catch (error) {
      throw failureOf(error, message, `${given.host}:${portOf(given)}`)
    } finally {
      transport.close()
    }
  },
})
