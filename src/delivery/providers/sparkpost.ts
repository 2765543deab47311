// SparkPost: email by the Transmissions API.
import { z } from 'zod'
import { type EmailAddress, formatAddress } from '../../domain/channel/email-address.ts'
import { emailContent, emailEnvelope, headersByName, singleReplyTo, unlessEmpty } from '../provider-kit/content.ts'
import { createProvider } from '../provider-kit/create-provider.ts'
import { euRegion, regionalBaseUrl, secret, sender } from '../provider-kit/credentials.ts'
import { exchange } from '../provider-kit/exchange.ts'
import type { ProviderAnswer, Verdict } from '../provider-kit/failure-class.ts'
import { base64Of, filesOf } from '../provider-kit/files.ts'
import { emailTarget } from '../provider-kit/target.ts'

const settings = sender.extend({
  apiKey: secret('API key', 'The API key, with the permission Transmissions: Read/Write.'),
  region: euRegion(),
  baseUrl: regionalBaseUrl('the region'),
})

const hosts = { standard: 'https://api.sparkpost.com', eu: 'https://api.eu.sparkpost.com' } as const

/** A response with status 200 that may have accepted nobody. */
const answered = z.object({
  results: z.object({ total_accepted_recipients: z.number(), total_rejected_recipients: z.number() }),
})

const failed = z.object({ errors: z.array(z.object({ message: z.string() })).min(1) })

/** The status of a response over the limit of emails for an hour. */
const OVER_LIMIT = 420

function classify({ status, json }: ProviderAnswer): Verdict | undefined {
  if (status === OVER_LIMIT) {
    const [error] = failed.safeParse(json).data?.errors ?? []
    return { class: 'unavailable', reason: error?.message ?? 'the limit of emails' }
  }
  const { results } = answered.safeParse(json).data ?? {}
  if (results === undefined || results.total_accepted_recipients > 0 || results.total_rejected_recipients === 0) {
    return undefined
  }
  return { class: 'recipient', reason: 'the recipient was rejected' }
}

export const sparkpost = createProvider({
  settings,
  target: emailTarget,
  send({ settings: { apiKey, region, baseUrl, ...sender }, to: recipient, message, outbound }) {
    const { subject, html, text } = emailContent(message)
    const envelope = emailEnvelope(message, sender, recipient)
    const { from, to, cc, bcc, headers } = envelope
    const replyTo = singleReplyTo(envelope)
    const all = [...to, ...cc, ...bcc]
    // Each gets an email of its own. Its headers show to whom the others went, but for those in `bcc`.
    const shown = to.map(({ address }) => address).join(',')
    const recipientOf = ({ name, address }: EmailAddress) =>
      all.length > 1 && shown !== ''
        ? { address: { email: address, header_to: shown } }
        : { address: { email: address, name: name || undefined } }
    const copies = cc.length === 0 ? [] : [{ name: 'CC', value: cc.map(formatAddress).join(', ') }]
    const files = filesOf(message)
    const isImage = ({ inline, contentId }: (typeof files)[number]) => inline === true && contentId !== undefined
    const inJson = (file: (typeof files)[number]) => ({
      name: (isImage(file) && file.contentId) || file.name,
      type: file.contentType,
      data: base64Of(file),
    })
    return exchange(message, outbound, {
      url: `${baseUrl ?? hosts[region ?? 'standard']}/api/v1/transmissions`,
      headers: { authorization: apiKey },
      body: {
        recipients: all.map(recipientOf),
        content: {
          from: { email: from.address, name: from.name || undefined },
          reply_to: replyTo && formatAddress(replyTo),
          headers: headersByName([...headers, ...copies]),
          subject,
          html,
          text,
          attachments: unlessEmpty(
            files.filter((file) => !isImage(file)),
            inJson,
          ),
          inline_images: unlessEmpty(files.filter(isImage), inJson),
        },
        options: { transactional: true },
      },
      classify,
    })
  },
})
