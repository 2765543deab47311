// MessageBird: text messages by the SMS API.
import { z } from 'zod'
import { textContent } from '../provider-kit/content.ts'
import { createProvider } from '../provider-kit/create-provider.ts'
import { baseUrl, plain, secret } from '../provider-kit/credentials.ts'
import { exchange } from '../provider-kit/exchange.ts'
import { phoneTarget } from '../provider-kit/target.ts'

const settings = z.object({
  accessKey: secret('Access key', 'The access key of the account.'),
  from: plain('From', 'The phone number or the name of the sender.'),
  baseUrl: baseUrl('https://rest.messagebird.com'),
})

export const messagebird = createProvider({
  settings,
  target: phoneTarget,
  send({ settings: { accessKey, from, baseUrl }, to, message, outbound }) {
    return exchange(message, outbound, {
      url: `${baseUrl}/messages`,
      headers: { authorization: `AccessKey ${accessKey}` },
      body: { originator: from, recipients: [to], body: textContent(message), datacoding: 'auto' },
    })
  },
})
