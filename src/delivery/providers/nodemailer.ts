// SMTP by nodemailer: email through the mail server in the integration's credentials. Each integration keeps a pool of
// connections, so that not every message has to connect and to sign in.
import { LRUCache } from 'lru-cache'
import type Nodemailer from 'nodemailer'
import { z } from 'zod'
import { composable } from '../../domain/channel/mail.ts'
import type { LoadedFile, Message } from '../../engine/message.ts'
import { emailContent, emailEnvelope } from '../provider-kit/content.ts'
import { bufferOf, filesOf } from '../provider-kit/files.ts'
import { createProvider } from '../provider-kit/create-provider.ts'
import { optional, plain, secret, sender, setting } from '../provider-kit/credentials.ts'
import { failureClasses } from '../provider-kit/failure-class.ts'
import { redactedAnswer, unreachableFailure } from '../provider-kit/exchange.ts'
import { type Outbound, Unreachable } from '../network/outbound.ts'
import { timeToSend } from '../network/piecewise-body.ts'
import { DeliveryFailure } from '../provider-kit/provider.ts'
import { redact } from '../provider-kit/redact.ts'
import { emailTarget } from '../provider-kit/target.ts'
import { sesHeader, sesMessageId, sesReports, sesTopicSetting } from './ses-reports.ts'

/** The limit of an attempt, as a number of timeouts. A session has about a dozen round trips. */
const MAX_TIMEOUTS = 4

/** Maximum connections of an integration. Further messages wait for one of them. */
const MAX_CONNECTIONS = 10

/** Milliseconds after which an unused connection is closed. */
const IDLE = 10_000

/** Maximum integrations that have a pool. Over the limit, the pool that was used least recently is closed. */
const MAX_POOLS = 1_000

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
  ...sesTopicSetting,
})
type Settings = z.output<typeof settings>
type Connecting = Omit<Settings, keyof z.output<typeof sender> | 'sesTopicArn'>

/** The signals of attempts whose whole message was written to the connection. The server may have accepted it. */
const written = new WeakSet<AbortSignal>()

/**
 * The outbound opens each connection and checks its address. TLS certificates are verified against the host name.
 *
 * @param library nodemailer.
 */
function transportOf(
  { createTransport }: Pick<typeof Nodemailer, 'createTransport'>,
  { host, port, secure, requireTls, ignoreTls, user, password }: Connecting,
  outbound: Outbound,
  environmentId: string,
) {
  const { timeout } = outbound
  const transport = createTransport({
    pool: true,
    maxConnections: MAX_CONNECTIONS,
    maxMessages: Infinity,
    idleTimeout: IDLE,
    host,
    secure: secure ?? port === 465,
    requireTLS: requireTls ?? false,
    ignoreTLS: ignoreTls ?? false,
    ...(user === undefined ? {} : { auth: { user, pass: password ?? '' } }),
    connectionTimeout: timeout,
    greetingTimeout: timeout,
    // An unused connection is silent, too. It is closed for that reason first.
    socketTimeout: Math.max(timeout, 1.5 * IDLE),
    disableFileAccess: true,
    disableUrlAccess: true,
    getSocket(_options: unknown, callback: (error: Error | null, opened?: { connection: Connection }) => void) {
      outbound.connect(host, portOf({ port, secure }), environmentId).then(
        (connection) => callback(null, { connection }),
        (error: unknown) => callback(error instanceof Error ? error : new Error(String(error))),
      )
    },
  })
  return transport.use('stream', ({ data: { signal }, message }, done) => {
    message.processFunc((bytes) => bytes.once('end', () => signal && written.add(signal)))
    done()
  })
}

/** An open connection to a mail server. */
type Connection = Awaited<ReturnType<Outbound['connect']>>

/** The connections of an integration, with the settings with which they were opened. */
interface Pool {
  readonly transport: ReturnType<typeof transportOf>
  /** The settings that concern the connections. Contains secrets, and stays in memory. */
  readonly settings: string
  /** Messages that were given to the transport and have not ended. */
  pending: number
  /** True if no further message uses it. */
  isRetired: boolean
}

function closeIfUnused({ transport, pending, isRetired }: Pool): void {
  if (isRetired && pending === 0) transport.close()
}

type Pools = LRUCache<string, Pool>

/** Pools by environment and integration, kept as long as the outbound. */
const poolsOf = new WeakMap<Outbound, Pools>()

function openPools(outbound: Outbound): Pools {
  const pools: Pools = new LRUCache({
    max: MAX_POOLS,
    // Messages in progress still need their connections.
    dispose(pool) {
      pool.isRetired = true
      closeIfUnused(pool)
    },
  })
  poolsOf.set(outbound, pools)
  outbound.beforeClose(() => pools.clear())
  return pools
}

/**
 * Returns the pool of the integration of a message, which counts as pending. If the settings have changed, a new pool
 * takes its place.
 */
async function enterPool(
  { environmentId, integration }: Message,
  { from: _from, senderName: _senderName, unsubscribeMailto: _mailto, sesTopicArn: _topic, ...connecting }: Settings,
  outbound: Outbound,
): Promise<Pool> {
  // Loaded with the first email, because it takes memory and delays the start of the process.
  const library = await import('nodemailer')
  const pools = poolsOf.get(outbound) ?? openPools(outbound)
  const key = `${environmentId}/${integration.id}`
  const settings = JSON.stringify(Object.entries(connecting).toSorted())
  const found = pools.get(key)
  if (found?.settings === settings) {
    found.pending += 1
    return found
  }
  const transport = transportOf(library, connecting, outbound, environmentId)
  const pool: Pool = { transport, settings, pending: 1, isRetired: false }
  pools.set(key, pool)
  return pool
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

/** @param isWritten true if the whole message was written, so that without a response its outcome is unknown. */
function failureOf(error: unknown, message: Message, server: string, isWritten: boolean): DeliveryFailure {
  if (error instanceof Unreachable) return unreachableFailure(error)
  const { message: cause, code = '', responseCode, response = '' } = smtpError.parse(error)
  const answer = redactedAnswer(response, message)
  if (responseCode !== undefined) {
    const permanent = responseCode >= 500
    return new DeliveryFailure(`${server} responded with ${responseCode}`, { permanent, status: responseCode, answer })
  }
  const reason = redact(cause, [message.credentials], message.secrets)
  if (isWritten) {
    const { permanent, cause: failureCause } = failureClasses.unknown
    return new DeliveryFailure(`${server} did not confirm the message: ${reason}`, { permanent, answer, failureCause })
  }
  return new DeliveryFailure(`${server} did not accept the message: ${reason}`, {
    permanent: permanentCodes.has(code),
    answer,
  })
}

const sizeOf = (files: readonly LoadedFile[]) => files.reduce((sum, { bytes }) => sum + bytes.byteLength, 0)

export const nodemailer = createProvider({
  settings,
  target: emailTarget,
  receiver: sesReports,
  async send({ settings: given, to: recipient, message, outbound }) {
    const { deliveryId } = message
    const content = emailContent(message)
    const envelope = emailEnvelope(message, given, recipient)
    const files = filesOf(message)
    const pool = await enterPool(message, given, outbound)
    const signal = AbortSignal.timeout(MAX_TIMEOUTS * outbound.timeout + timeToSend(sizeOf(files)))
    try {
      const { headers, ...composed } = composable({
        ...{ deliveryId, envelope, ...content },
        files: files.map(({ bytes, ...file }) => ({ ...file, content: bufferOf(bytes) })),
      })
      const { response, messageId } = await pool.transport.sendMail({
        ...composed,
        headers: given.sesTopicArn === undefined ? headers : { ...headers, ...sesHeader(deliveryId) },
        signal,
      })
      return {
        status: Number(response.slice(0, 3)) || null,
        answer: redactedAnswer(response, message),
        // SES replaces the id of the message.
        providerMessageId: sesMessageId(response) ?? messageId.replaceAll(/^<|>$/g, ''),
      }
    } catch (error) {
      throw failureOf(error, message, `${given.host}:${portOf(given)}`, written.has(signal))
    } finally {
      pool.pending -= 1
      closeIfUnused(pool)
    }
  },
})
