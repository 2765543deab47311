// MessageBird: text messages by the SMS API.
import { z } from 'zod'
import { textContent } from '../content.ts'
import { baseUrl, parseCredentials, secret } from '../credentials.ts'
import { exchange } from '../exchange.ts'
import type { Provider } from '../provider.ts'
import { phoneTarget } from '../target.ts'

const settings = z.object({ accessKey: secret, from: secret, baseUrl: baseUrl('https://rest.messagebird.com') })

export const messagebird: Provider = (message, outbound) => {
  const { accessKey, from, baseUrl } = parseCredentials(message, settings)
  return exchange(message, outbound, {
    url: `${baseUrl}/messages`,
    headers: { authorization: `AccessKey ${accessKey}` },
    body: { originator: from, recipients: [phoneTarget(message)], body: textContent(message), datacoding: 'auto' },
  })
}
