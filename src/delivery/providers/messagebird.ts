// MessageBird: text messages by the SMS API.
import { z } from 'zod'
import { textContent } from '../content.ts'
import { baseUrl, parseCredentials, secret } from '../credentials.ts'
import { exchange } from '../exchange.ts'
import type { Provider } from '../provider.ts'
import { phoneOf } from '../target.ts'

const settings = z.object({ accessKey: secret, from: secret, baseUrl: baseUrl('https://rest.messagebird.com') })

export const messagebird: Provider = (envelope, outbound) => {
  const { accessKey, from, baseUrl } = parseCredentials(envelope, settings)
  return exchange(envelope, outbound, {
    url: `${baseUrl}/messages`,
    headers: { authorization: `AccessKey ${accessKey}` },
    body: { originator: from, recipients: [phoneOf(envelope)], body: textContent(envelope), datacoding: 'auto' },
  })
}
