// Postmark: email by the Email API.
import { z } from 'zod'
import { formatAddress } from '../../domain/channel/email-address.ts'
import { emailContent, emailEnvelope, unlessEmpty } from '../provider-kit/content.ts'
import { base64Of, filesOf } from '../provider-kit/files.ts'
import { createProvider } from '../provider-kit/create-provider.ts'
import { baseUrl, secret, sender } from '../provider-kit/credentials.ts'
import { exchange } from '../provider-kit/exchange.ts'
import type { ProviderAnswer, Verdict } from '../provider-kit/failure-class.ts'
import { emailTarget } from '../provider-kit/target.ts'

const settings = sender.extend({
  apiKey: secret('Server token', 'The token of the server, not of the account.'),
  baseUrl: baseUrl('https://api.postmarkapp.com'),
})

/** The maximum size of all attachments of an email. */
const MAX_BYTES = 10 * 1024 * 1024

const failed = z.object({ ErrorCode: z.number(), Message: z.string() })

/** The sender is not confirmed, the credit is used up, or the account may not send yet or any more. */
const ofAccount: ReadonlySet<number> = new Set([400, 401, 405, 412, 413])

function classify({ json }: ProviderAnswer): Verdict | undefined {
  const { data } = failed.safeParse(json)
  return data !== undefined && ofAccount.has(data.ErrorCode) ? { class: 'account', reason: data.Message } : undefined
}

export const postmark = createProvider({
  settings,
  target: emailTarget,
  send({ settings: { apiKey, baseUrl, ...sender }, to: recipient, message, outbound }) {
    const { subject, html, text } = emailContent(message)
    const { from, to, cc, bcc, replyTo, headers } = emailEnvelope(message, sender, recipient)
    return exchange(message, outbound, {
      url: `${baseUrl}/email`,
      headers: { accept: 'application/json', 'x-postmark-server-token': apiKey },
      body: {
        From: formatAddress(from),
        To: unlessEmpty(to, formatAddress)?.join(', '),
        Cc: unlessEmpty(cc, formatAddress)?.join(', '),
        Bcc: unlessEmpty(bcc, formatAddress)?.join(', '),
        ReplyTo: unlessEmpty(replyTo, formatAddress)?.join(', '),
        Subject: subject,
        HtmlBody: html,
        TextBody: text,
        Headers: unlessEmpty(headers, ({ name, value }) => ({ Name: name, Value: value })),
        Attachments: unlessEmpty(filesOf(message, MAX_BYTES), (file) => ({
          Name: file.name,
          Content: base64Of(file),
          ContentType: file.contentType,
          ContentID: file.contentId && `cid:${file.contentId}`,
        })),
        ...(message.content.email && { Metadata: { delivery_id: message.deliveryId } }),
      },
      classify,
    })
  },
})
