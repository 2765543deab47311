// Brevo: text messages by the API for transactional SMS.
import { z } from 'zod'
import { brevoAccount, brevoKey, classifyBrevo } from '../provider-kit/brevo.ts'
import { needsUnicode, textContent } from '../provider-kit/content.ts'
import { createProvider } from '../provider-kit/create-provider.ts'
import { plain } from '../provider-kit/credentials.ts'
import { exchange } from '../provider-kit/exchange.ts'
import { phoneTarget } from '../provider-kit/target.ts'

const settings = z.object({
  ...brevoAccount,
  from: plain('From', 'The name of the sender, of up to 11 letters and digits, or a number of up to 15 digits.'),
})

export const brevoSms = createProvider({
  settings,
  target: phoneTarget,
  send({ settings: { apiKey, from, baseUrl }, to, message, outbound }) {
    const content = textContent(message)
    return exchange(message, outbound, {
      url: `${baseUrl}/v3/transactionalSMS/send`,
      headers: brevoKey(apiKey),
      body: {
        sender: from,
        recipient: to.replace(/^\+/, ''),
        content,
        type: 'transactional',
        ...(needsUnicode(content) && { unicodeEnabled: true }),
      },
      classify: classifyBrevo,
    })
  },
})
