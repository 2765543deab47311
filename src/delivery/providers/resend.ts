// Resend: email by the Emails API, which deduplicates by Idempotency-Key.
import { z } from 'zod'
import { formatAddress } from '../../domain/channel/email-address.ts'
import { emailContent, emailEnvelope, headersByName, unlessEmpty } from '../provider-kit/content.ts'
import { base64Of, filesOf } from '../provider-kit/files.ts'
import { createProvider } from '../provider-kit/create-provider.ts'
import { baseUrl, secret, sender } from '../provider-kit/credentials.ts'
import { bearer, exchange } from '../provider-kit/exchange.ts'
import type { ProviderAnswer, Verdict } from '../provider-kit/failure-class.ts'
import { emailTarget } from '../provider-kit/target.ts'

const settings = sender.extend({
  apiKey: secret('API key', 'The API key of the account.'),
  baseUrl: baseUrl('https://api.resend.com'),
})

const failed = z.object({ name: z.string() })

function classify({ status, json }: ProviderAnswer): Verdict | undefined {
  const reason = failed.safeParse(json).data?.name
  if (reason === undefined) return undefined
  // The request of an earlier attempt, which timed out, is still in progress.
  if (reason === 'concurrent_idempotent_requests') return { class: 'unavailable', reason }
  if (reason === 'invalid_api_key') return { class: 'credentials', reason }
  // The sender is not verified, or a quota of the account is used up.
  if (status === 403 || /^(daily|monthly)_quota_exceeded$/.test(reason)) return { class: 'account', reason }
  return undefined
}

export const resend = createProvider({
  settings,
  target: emailTarget,
  send({ settings: { apiKey, baseUrl, ...sender }, to: recipient, message, outbound }) {
    const { from, to, cc, bcc, replyTo, headers } = emailEnvelope(message, sender, recipient)
    return exchange(message, outbound, {
      url: `${baseUrl}/emails`,
      headers: bearer(apiKey),
      body: {
        from: formatAddress(from),
        to: unlessEmpty(to, formatAddress),
        cc: unlessEmpty(cc, formatAddress),
        bcc: unlessEmpty(bcc, formatAddress),
        reply_to: unlessEmpty(replyTo, formatAddress),
        ...emailContent(message),
        headers: headersByName(headers),
        attachments: unlessEmpty(filesOf(message), (file) => ({
          filename: file.name,
          content: base64Of(file),
          content_type: file.contentType,
          content_id: file.contentId,
        })),
        ...(message.content.email && { tags: [{ name: 'delivery_id', value: message.deliveryId }] }),
      },
      classify,
    })
  },
})
