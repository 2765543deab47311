// Mailjet: email by the Send API, version 3.1.
import { z } from 'zod'
import type { EmailAddress } from '../../domain/channel/email-address.ts'
import { emailContent, emailEnvelope, headersByName, singleReplyTo, unlessEmpty } from '../provider-kit/content.ts'
import { createProvider } from '../provider-kit/create-provider.ts'
import { baseUrl, secret, sender } from '../provider-kit/credentials.ts'
import { basic, exchange } from '../provider-kit/exchange.ts'
import type { FailureClass, ProviderAnswer, Verdict } from '../provider-kit/failure-class.ts'
import { base64Of, filesOf } from '../provider-kit/files.ts'
import { namesDelivery } from '../provider-kit/named-delivery.ts'
import { emailTarget } from '../provider-kit/target.ts'

const settings = sender.extend({
  apiKey: secret('API key', 'The API key of the account.'),
  secretKey: secret('Secret key', 'The secret key of the API key.'),
  baseUrl: baseUrl('https://api.mailjet.com'),
})

/** The result of each message of a request, which always has one. */
const answered = z.object({
  Messages: z.array(
    z.object({
      Status: z.string(),
      Errors: z
        .array(z.object({ ErrorCode: z.string(), ErrorMessage: z.string().optional(), StatusCode: z.number() }))
        .optional(),
    }),
  ),
})

/** @param status of the error, which may differ from the one of the response. */
function classOf(status: number): FailureClass {
  if (status === 429 || status >= 500) return 'unavailable'
  if (status === 401) return 'credentials'
  return status === 403 ? 'account' : 'recipient'
}

function classify({ json }: ProviderAnswer): Verdict | undefined {
  const failed = answered.safeParse(json).data?.Messages.find(({ Status }) => Status === 'error')
  if (failed === undefined) return undefined
  const [error] = failed.Errors ?? []
  if (error === undefined) return { class: 'recipient', reason: 'an error' }
  return { class: classOf(error.StatusCode), reason: `${error.ErrorCode}: ${error.ErrorMessage ?? ''}` }
}

const inJson = ({ name, address }: EmailAddress) => ({ Email: address, Name: name || undefined })

export const mailjet = createProvider({
  settings,
  target: emailTarget,
  send({ settings: { apiKey, secretKey, baseUrl, ...sender }, to: recipient, message, outbound }) {
    const { subject, html, text } = emailContent(message)
    const envelope = emailEnvelope(message, sender, recipient)
    const replyTo = singleReplyTo(envelope)
    const files = filesOf(message).map((file) => ({
      isInline: file.inline && file.contentId !== undefined,
      inJson: {
        ContentType: file.contentType,
        Filename: file.name,
        Base64Content: base64Of(file),
        ContentID: file.contentId,
      },
    }))
    return exchange(message, outbound, {
      url: `${baseUrl}/v3.1/send`,
      headers: basic(apiKey, secretKey),
      body: {
        Messages: [
          {
            From: inJson(envelope.from),
            To: unlessEmpty(envelope.to, inJson),
            Cc: unlessEmpty(envelope.cc, inJson),
            Bcc: unlessEmpty(envelope.bcc, inJson),
            ReplyTo: replyTo && inJson(replyTo),
            Headers: headersByName(envelope.headers),
            Subject: subject,
            TextPart: text,
            HTMLPart: html,
            Attachments: unlessEmpty(
              files.filter(({ isInline }) => !isInline),
              // Only inline files have an id.
              ({ inJson: { ContentID: _id, ...file } }) => file,
            ),
            InlinedAttachments: unlessEmpty(
              files.filter(({ isInline }) => isInline),
              (file) => file.inJson,
            ),
            ...(namesDelivery(message) && { CustomID: message.deliveryId }),
          },
        ],
      },
      classify,
    })
  },
})
