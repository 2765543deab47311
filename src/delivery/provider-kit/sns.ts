// Verifies messages of Amazon SNS, and confirms subscriptions. Both fetch from the hosts of SNS only.
import { verify, X509Certificate } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { z } from 'zod'
import { Refusal } from '../../lib/errors.ts'
import { type Outbound, Unreachable } from '../network/outbound.ts'
import { jsonBody, type Reporting, unverified } from './report.ts'

const message = z.object({
  Type: z.enum(['Notification', 'SubscriptionConfirmation', 'UnsubscribeConfirmation']),
  MessageId: z.string(),
  TopicArn: z.string(),
  Message: z.string(),
  Timestamp: z.string(),
  SignatureVersion: z.string(),
  Signature: z.string(),
  SigningCertURL: z.string(),
  Subject: z.string().nullish(),
  SubscribeURL: z.string().optional(),
  Token: z.string().optional(),
})

/** A message of SNS. */
export type SnsMessage = z.output<typeof message>

/** The signed fields, in the order of their names. */
const signedFields = {
  Notification: ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type'],
  SubscriptionConfirmation: ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'],
  UnsubscribeConfirmation: ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'],
} as const satisfies Record<SnsMessage['Type'], readonly (keyof SnsMessage)[]>

const algorithms: Readonly<Record<string, string | undefined>> = { 1: 'RSA-SHA1', 2: 'RSA-SHA256' }

function canonical(given: SnsMessage): string {
  const lines = signedFields[given.Type].map((name) => ({ name, value: given[name] }))
  return lines.flatMap(({ name, value }) => (value == null ? [] : [`${name}\n${value}\n`])).join('')
}

/** The maximum size of a certificate and of the answer to a confirmation, in bytes. */
const MAX_BYTES = 64 * 1024

/** Certificates and confirmed subscriptions in memory. SNS uses few of both. */
const MAX_KEPT = 100

interface Kept {
  readonly certificates: LRUCache<string, X509Certificate>
  readonly confirmed: LRUCache<string, true>
}

const keptBy = new WeakMap<Outbound, Kept>()

function keptOf(outbound: Outbound): Kept {
  const known = keptBy.get(outbound)
  if (known !== undefined) return known
  const created: Kept = { certificates: new LRUCache({ max: MAX_KEPT }), confirmed: new LRUCache({ max: MAX_KEPT }) }
  keptBy.set(outbound, created)
  return created
}

const hosts = /^sns\.[a-z0-9-]{1,40}\.amazonaws\.com(\.cn)?$/

/** Parses a URL of SNS. @throws Refusal `UNAUTHENTICATED` if it is elsewhere. */
function urlOfSns(text: string, name: keyof SnsMessage): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isOwn = url?.protocol === 'https:' && url.port === '' && url.username === '' && hosts.test(url.hostname)
  if (url === undefined || !isOwn) throw unverified(`${name} is not a URL of SNS`)
  return url
}

async function fetchFrom({ outbound, environmentId }: Reporting, url: URL): Promise<Uint8Array> {
  try {
    const { status, bytes } = await outbound.fetchBytes({ environmentId, url: url.href, maxBytes: MAX_BYTES })
    if (bytes !== undefined) return bytes
    throw unanswered(`${url.host} responded with ${status}`)
  } catch (error) {
    throw error instanceof Unreachable ? unanswered(error.message) : error
  }
}

const unanswered = (reason: string) =>
  new Refusal('UNAVAILABLE', `The report cannot be verified now: ${reason}`, { retryAfter: 30 })

async function certificateAt(reporting: Reporting, address: string): Promise<X509Certificate> {
  const url = urlOfSns(address, 'SigningCertURL')
  if (!url.pathname.endsWith('.pem')) throw unverified('SigningCertURL is not a certificate')
  const { certificates } = keptOf(reporting.outbound)
  const known = certificates.get(url.href)
  if (known !== undefined) return known
  const certificate = readCertificate(await fetchFrom(reporting, url))
  certificates.set(url.href, certificate)
  return certificate
}

function readCertificate(bytes: Uint8Array): X509Certificate {
  try {
    return new X509Certificate(bytes)
  } catch {
    throw unverified('its certificate cannot be read')
  }
}

/**
 * Reads a message of a topic, and checks its signature.
 *
 * @throws Refusal `UNAUTHENTICATED` if it is not a message of this topic, without a request if the topic or the address of
 *   the certificate is wrong; `UNAVAILABLE` if the certificate cannot be fetched.
 */
export async function verifySns(reporting: Reporting, topicArn: string): Promise<SnsMessage> {
  const { request } = reporting
  const given = jsonBody(request, message)
  if (given.TopicArn !== topicArn) throw unverified('it is from another topic')
  if (request.header('x-amz-sns-message-type') !== given.Type) throw unverified('its type differs from its header')
  const algorithm = algorithms[given.SignatureVersion]
  if (algorithm === undefined) throw unverified('its SignatureVersion is unknown')
  const certificate = await certificateAt(reporting, given.SigningCertURL)
  if (new Date(certificate.validTo) < request.now) throw unverified('its certificate has expired')
  const signature = Buffer.from(given.Signature, 'base64')
  const isSigned = verify(algorithm, Buffer.from(canonical(given)), certificate.publicKey, signature)
  if (!isSigned) throw unverified('its signature is wrong')
  return given
}

/** Confirms the subscription of a verified message. Has no effect if this process has confirmed it. @throws Refusal */
export async function confirmSns(reporting: Reporting, { SubscribeURL = '' }: SnsMessage): Promise<void> {
  const url = urlOfSns(SubscribeURL, 'SubscribeURL')
  const { confirmed } = keptOf(reporting.outbound)
  if (confirmed.has(url.href)) return
  await fetchFrom(reporting, url)
  confirmed.set(url.href, true)
}
