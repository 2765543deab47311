// Brevo, formerly Sendinblue: email by the API for transactional email.
import { z } from 'zod'
import type { EmailAddress } from '../../domain/channel/email-address.ts'
import { brevoAccount, brevoKey, classifyBrevo } from '../provider-kit/brevo.ts'
import { emailContent, emailEnvelope, headersByName, singleReplyTo, unlessEmpty } from '../provider-kit/content.ts'
import { createProvider } from '../provider-kit/create-provider.ts'
import { sender } from '../provider-kit/credentials.ts'
import { exchange } from '../provider-kit/exchange.ts'
import { base64Of, filesOf } from '../provider-kit/files.ts'
import { emailTarget } from '../provider-kit/target.ts'

const settings = z.object({ ...sender.shape, ...brevoAccount })

const inJson = ({ name, address }: EmailAddress) => ({ email: address, name: name || undefined })

export const sendinblue = createProvider({
  settings,
  target: emailTarget,
  send({ settings: { apiKey, baseUrl, ...sender }, to: recipient, message, outbound }) {
    const { subject, html, text } = emailContent(message)
    const envelope = emailEnvelope(message, sender, recipient)
    const replyTo = singleReplyTo(envelope)
    return exchange(message, outbound, {
      url: `${baseUrl}/v3/smtp/email`,
      headers: brevoKey(apiKey),
      body: {
        sender: inJson(envelope.from),
        to: unlessEmpty(envelope.to, inJson),
        cc: unlessEmpty(envelope.cc, inJson),
        bcc: unlessEmpty(envelope.bcc, inJson),
        replyTo: replyTo && inJson(replyTo),
        headers: headersByName(envelope.headers),
        subject,
        htmlContent: html,
        textContent: text,
        attachment: unlessEmpty(filesOf(message), (file) => ({ name: file.name, content: base64Of(file) })),
      },
      classify: classifyBrevo,
    })
  },
})
