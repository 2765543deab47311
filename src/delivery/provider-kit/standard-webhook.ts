// Verifies requests that are signed as Standard Webhooks 1.0.0 describes it.
import type { ReportRequest } from '../../domain/channel/delivery-report.ts'
import { assertRecent, hmac, isSame, unverified } from './report.ts'

/** Seconds after which a signature is too old. */
const TOLERANCE = 5 * 60

/**
 * @param secret base64, with or without `whsec_`. @param prefix of the names of the headers.
 * @throws Refusal `UNAUTHENTICATED`
 */
export function verifyStandardWebhook({ header, body, now }: ReportRequest, secret: string, prefix: string): void {
  const [id = '', timestamp = '', signatures = ''] = ['id', 'timestamp', 'signature'].map((name) =>
    header(`${prefix}-${name}`),
  )
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  const expected = `v1,${hmac('sha256', key, `${id}.${timestamp}.`, body).digest('base64')}`
  // During a rotation there are several.
  const isSigned = signatures.split(' ').some((signature) => isSame(signature, expected))
  if (id === '' || !isSigned) throw unverified('its signature is wrong')
  assertRecent(timestamp, now, TOLERANCE)
}
