// JSON Web Tokens (RFC 7519) by which the gateway identifies itself to providers.
import { sign } from 'node:crypto'

interface Header {
  readonly alg: 'RS256' | 'ES256'
  readonly typ?: 'JWT'
  /** The id of the key. */
  readonly kid?: string
}

/**
 * Signs claims with SHA-256.
 *
 * @param privateKey PEM. An RSA key for RS256, or a P-256 key for ES256.
 */
export function signedJwt(header: Header, claims: object, privateKey: string): string {
  const signed = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')
  // RSA keys ignore the encoding.
  const key = { key: privateKey, dsaEncoding: 'ieee-p1363' } as const
  return `${signed}.${sign('sha256', Buffer.from(signed), key).toString('base64url')}`
}
