// What the providers of Amazon Web Services share: their settings, Signature Version 4, and the codes of their errors.
import { createHash } from 'node:crypto'
import { z } from 'zod'
import { regionalBaseUrl, secret, setting } from './credentials.ts'
import type { Call } from './exchange.ts'
import type { FailureClass, ProviderAnswer, Verdict } from './failure-class.ts'

/** The settings of an account, and the region of the service. */
export const awsAccount = z.object({
  apiKey: secret('Access key ID', 'The ID of an access key of an IAM user.'),
  secretKey: secret('Secret access key', 'The secret of the access key.'),
  region: setting(
    z.string().regex(/^[a-z0-9-]{1,40}$/, 'must be the code of a region, such as us-east-1'),
    'Region',
    'The code of the AWS region, such as `us-east-1`.',
  ),
  baseUrl: regionalBaseUrl('the region'),
})
type AwsAccount = z.output<typeof awsAccount>

/** The SHA-256 of a body, in hexadecimal. */
function hashOf(pieces: Iterable<Uint8Array>): string {
  const hash = createHash('sha256')
  for (const piece of pieces) hash.update(piece)
  return hash.digest('hex')
}

/** Signs the body, the address and the type of a request. The other headers are not covered by the signature. */
export const awsSigner =
  ({ apiKey, secretKey, region }: Pick<AwsAccount, 'apiKey' | 'secretKey' | 'region'>, service: string) =>
  async ({ method, url, headers, body }: Parameters<NonNullable<Call['sign']>>[0]) => {
    // Loaded with the first request, because few gateways need it.
    const { default: aws4 } = await import('aws4')
    const { host, pathname, search } = new URL(url)
    const type = headers['content-type']
    const date = new Date().toISOString().replaceAll(/[:-]|\.\d{3}/g, '')
    const covered = {
      ...(type !== undefined && { 'content-type': type }),
      // A body in pieces is not in memory as a whole.
      ...(typeof body !== 'string' && { 'x-amz-content-sha256': hashOf(body.pieces()) }),
      'x-amz-date': date,
    }
    const signer = new aws4.RequestSigner(
      {
        ...{ method, path: pathname + search, service, region },
        headers: { host, ...covered },
        ...(typeof body === 'string' && { body }),
        doNotModifyHeaders: true,
      },
      { accessKeyId: apiKey, secretAccessKey: secretKey },
    )
    signer.datetime = date
    return { ...headers, ...covered, authorization: signer.authHeader() }
  }

/** The code of an error: services name it in a header, in JSON or in XML, some with a namespace or a URL. */
function codeOf({ headers, json, text }: ProviderAnswer): string | undefined {
  const inJson = z.object({ __type: z.string() }).safeParse(json).data?.__type
  const code = headers['x-amzn-errortype'] ?? inJson ?? /<Code>([\w.]{1,100})<\/Code>/.exec(text)?.[1]
  return code?.replace(/:.*$/s, '').replace(/^.*#/s, '')
}

/** The codes of all services. The status is 400 for some, and 403 for others. */
const common: Readonly<Record<string, FailureClass | undefined>> = {
  Throttling: 'unavailable',
  ThrottlingException: 'unavailable',
  RequestExpired: 'unavailable',
  AccessDenied: 'account',
  AccessDeniedException: 'account',
  NotAuthorized: 'account',
  OptInRequired: 'account',
  ExpiredTokenException: 'credentials',
  IncompleteSignature: 'credentials',
  InvalidClientTokenId: 'credentials',
  InvalidSignatureException: 'credentials',
  MissingAuthenticationToken: 'credentials',
  SignatureDoesNotMatch: 'credentials',
  UnrecognizedClientException: 'credentials',
}

/**
 * Classifies the errors of a service by their codes. The status decides about codes that are not known.
 *
 * @param own the codes of the service.
 */
export function classifyAws(answer: ProviderAnswer, own: typeof common): Verdict | undefined {
  if (answer.status < 300) return undefined
  const reason = codeOf(answer)
  const found = reason === undefined ? undefined : (own[reason] ?? common[reason])
  return reason === undefined || found === undefined ? undefined : { class: found, reason }
}
