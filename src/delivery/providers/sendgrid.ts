// SendGrid: email by the Mail Send API.
import { isCalendar } from '../../domain/channel/attachment-file.ts'
import type { EmailAddress } from '../../domain/channel/email-address.ts'
import { emailContent, emailEnvelope, headersByName, unlessEmpty } from '../provider-kit/content.ts'
import { base64Of, filesOf } from '../provider-kit/files.ts'
import { createProvider } from '../provider-kit/create-provider.ts'
import { baseUrl, secret, sender } from '../provider-kit/credentials.ts'
import { bearer, exchange } from '../provider-kit/exchange.ts'
import { emailTarget } from '../provider-kit/target.ts'

const settings = sender.extend({
  apiKey: secret('API key', 'The API key of the account.'),
  baseUrl: baseUrl('https://api.sendgrid.com'),
})

const utf8 = new TextDecoder()

const inJson = ({ name, address }: EmailAddress) => ({ email: address, name: name || undefined })

export const sendgrid = createProvider({
  settings,
  target: emailTarget,
  send({ settings: { apiKey, baseUrl, ...sender }, to: recipient, message, outbound }) {
    const { subject, html, text } = emailContent(message)
    const { from, to, cc, bcc, replyTo, headers } = emailEnvelope(message, sender, recipient)
    const files = filesOf(message)
    const plain = { type: 'text/plain', value: text }
    return exchange(message, outbound, {
      url: `${baseUrl}/v3/mail/send`,
      headers: bearer(apiKey),
      body: {
        from: inJson(from),
        personalizations: [{ to: unlessEmpty(to, inJson), cc: unlessEmpty(cc, inJson), bcc: unlessEmpty(bcc, inJson) }],
        reply_to_list: unlessEmpty(replyTo, inJson),
        headers: headersByName(headers),
        ...(message.content.email && { custom_args: { delivery_id: message.deliveryId } }),
        subject,
        // SendGrid requires plain text first.
        content: [
          plain,
          ...(html === undefined ? [] : [{ type: 'text/html', value: html }]),
          ...files
            .filter(isCalendar)
            .map(({ contentType, bytes }) => ({ type: contentType, value: utf8.decode(bytes) })),
        ],
        attachments: unlessEmpty(
          files.filter((file) => !isCalendar(file)),
          (file) => ({
            content: base64Of(file),
            // SendGrid allows no parameters.
            type: file.contentType.split(';')[0]?.trim(),
            filename: file.name,
            disposition: file.inline ? 'inline' : 'attachment',
            content_id: file.contentId,
          }),
        ),
      },
    })
  },
})
