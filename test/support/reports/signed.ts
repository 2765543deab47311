// Requests of providers with reports, signed as each provider does it.
import { createHmac, generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'

/** A request, as a provider sends it. */
export interface SignedRequest {
  readonly body: string
  readonly headers?: Readonly<Record<string, string>>
}

const seconds = (now: Date) => String(Math.floor(now.getTime() / 1000))

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })

/** The verification key of SendGrid's Event Webhook, as its settings show it. */
export const sendgridKey = publicKey.export({ format: 'der', type: 'spki' }).toString('base64')

export function bySendgrid(events: unknown, now: Date): SignedRequest {
  const body = JSON.stringify(events)
  const signature = sign('sha256', Buffer.from(seconds(now) + body), privateKey).toString('base64')
  return {
    body,
    headers: {
      'x-twilio-email-event-webhook-timestamp': seconds(now),
      'x-twilio-email-event-webhook-signature': signature,
    },
  }
}

export const mailgunKey = 'f00dfacef00dfacef00dfacef00dface'

export function byMailgun(event: object, now: Date, token = randomBytes(25).toString('hex')): SignedRequest {
  const timestamp = seconds(now)
  const signature = createHmac('sha256', mailgunKey)
    .update(timestamp + token)
    .digest('hex')
  return { body: JSON.stringify({ signature: { timestamp, token, signature }, 'event-data': event }) }
}

export const resendKey = `whsec_${Buffer.from('the secret of a webhook').toString('base64')}`

export function byResend(event: object, now: Date, id = `msg_${randomBytes(12).toString('hex')}`): SignedRequest {
  const body = JSON.stringify(event)
  const signed = `${id}.${seconds(now)}.${body}`
  const key = Buffer.from(resendKey.slice('whsec_'.length), 'base64')
  const signature = `v1,${createHmac('sha256', key).update(signed).digest('base64')}`
  return {
    body,
    headers: { 'svix-id': id, 'svix-timestamp': seconds(now), 'svix-signature': `v1,c2FtcGxl ${signature}` },
  }
}

export const twilioToken = '12345678901234567890123456789012'

/** @param url with its query, as the message named it. */
export function byTwilio(form: Readonly<Record<string, string>>, url: string): SignedRequest {
  const parameters = Object.keys(form)
    .toSorted()
    .flatMap((name) => [name, form[name]])
  const signature = createHmac('sha1', twilioToken)
    .update(url + parameters.join(''))
    .digest('base64')
  return {
    body: new URLSearchParams(form).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'x-twilio-signature': signature },
  }
}

const telnyxPair = generateKeyPairSync('ed25519')

/** The public key of a Telnyx account, as its portal shows it: the last 32 bytes of the DER form. */
export const telnyxKey = telnyxPair.publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('base64')

export function byTelnyx(event: object, now: Date): SignedRequest {
  const body = JSON.stringify(event)
  const signature = sign(null, Buffer.from(`${seconds(now)}|${body}`), telnyxPair.privateKey).toString('base64')
  return {
    body,
    headers: {
      'content-type': 'application/json',
      'telnyx-timestamp': seconds(now),
      'telnyx-signature-ed25519': signature,
    },
  }
}

export const topicArn = 'arn:aws:sns:eu-central-1:123456789012:ses-events'

const pem = (name: string) => readFileSync(path.join(import.meta.dirname, `${name}.pem`))

/** The certificate of SNS in tests, which is valid for a hundred years. */
export const snsCertificate = pem('sns-certificate')

/** A message of SNS. The fields that `more` gives replace those of the message before it is signed. */
export function bySns(message: object | string, more: Readonly<Record<string, string>> = {}): SignedRequest {
  const given: Record<string, string> = {
    Type: 'Notification',
    MessageId: '22b80b92-fdea-4c2c-8f9d-bdfb0c7bf324',
    TopicArn: topicArn,
    Message: typeof message === 'string' ? message : JSON.stringify(message),
    Timestamp: '2026-11-27T08:00:00.000Z',
    SignatureVersion: '2',
    SigningCertURL: 'https://sns.eu-central-1.amazonaws.com/SimpleNotificationService-0123.pem',
    ...more,
  }
  const names = ['Message', 'MessageId', 'SubscribeURL', 'Subject', 'Timestamp', 'Token', 'TopicArn', 'Type']
  const lines = names.flatMap((name) => (given[name] === undefined ? [] : [`${name}\n${given[name]}\n`]))
  const algorithm = given['SignatureVersion'] === '1' ? 'RSA-SHA1' : 'RSA-SHA256'
  const Signature = sign(algorithm, Buffer.from(lines.join('')), pem('sns-key')).toString('base64')
  return {
    body: JSON.stringify({ ...given, Signature }),
    headers: { 'content-type': 'text/plain; charset=UTF-8', 'x-amz-sns-message-type': given['Type'] ?? '' },
  }
}
