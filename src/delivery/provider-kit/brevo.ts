// What the APIs of Brevo share: their address, the key, and their limit.
import { baseUrl, secret } from './credentials.ts'
import type { ProviderAnswer, Verdict } from './failure-class.ts'

/** The settings of an account. */
export const brevoAccount = {
  apiKey: secret('API key', 'The API key of the account.'),
  baseUrl: baseUrl('https://api.brevo.com'),
}

export const brevoKey = (apiKey: string) => ({ 'api-key': apiKey })

/** The response over the limit of requests names the seconds until it ends. The status decides about all others. */
export function classifyBrevo({ status, headers }: ProviderAnswer): Verdict | undefined {
  if (status !== 429) return undefined
  const seconds = Number(headers['x-sib-ratelimit-reset'])
  const retryAfter = Number.isSafeInteger(seconds) && seconds > 0 ? seconds : undefined
  return { class: 'unavailable', reason: 'the limit of requests', retryAfter }
}
