// Mandrill, now Mailchimp Transactional: email by the Messages API.
import { z } from 'zod'
import { emailContent, emailEnvelope, headersByName, unlessEmpty } from '../provider-kit/content.ts'
import { formatAddress } from '../../domain/channel/email-address.ts'
import { createProvider } from '../provider-kit/create-provider.ts'
import { baseUrl, secret, sender } from '../provider-kit/credentials.ts'
import { exchange } from '../provider-kit/exchange.ts'
import type { FailureClass, ProviderAnswer, Verdict } from '../provider-kit/failure-class.ts'
import { base64Of, filesOf } from '../provider-kit/files.ts'
import { emailTarget } from '../provider-kit/target.ts'

const settings = sender.extend({
  apiKey: secret('API key', 'The API key of the account.'),
  baseUrl: baseUrl('https://mandrillapp.com'),
})

/** An error of the request. The status is 500 for most, whatever the error is. */
const failed = z.object({ status: z.literal('error'), name: z.string(), message: z.string().optional() })

/** The classes by the name of the error. The status decides about others, such as GeneralError and ServiceUnavailable. */
const classes: Readonly<Record<string, FailureClass | undefined>> = {
  Invalid_Key: 'credentials',
  PaymentRequired: 'account',
  Unknown_Subaccount: 'account',
  ValidationError: 'content',
}

/** The result for each recipient, with status 200. */
const results = z.array(z.object({ status: z.string(), reject_reason: z.string().nullish() }))

const accepted: ReadonlySet<string> = new Set(['sent', 'queued', 'scheduled'])

/** Reasons that concern the address, which is on a list of the account. After a soft bounce, it is only for a time. */
const listed: ReadonlySet<string> = new Set(['hard-bounce', 'spam', 'unsub', 'custom'])

/** Reasons that concern the sender or the account. */
const ofAccount: ReadonlySet<string> = new Set(['invalid-sender', 'unsigned', 'test-mode-limit'])

function classOf(reason: string): FailureClass {
  if (listed.has(reason)) return 'suppressed'
  return ofAccount.has(reason) ? 'account' : 'recipient'
}

function classify({ json }: ProviderAnswer): Verdict | undefined {
  const { data } = failed.safeParse(json)
  if (data !== undefined) {
    const found = classes[data.name]
    return found && { class: found, reason: `${data.name}: ${data.message ?? ''}`, isCertain: true }
  }
  const all = results.safeParse(json).data ?? []
  const [first] = all
  if (first === undefined || all.some(({ status }) => accepted.has(status))) return undefined
  const reason = first.reject_reason ?? first.status
  return { class: classOf(reason), reason }
}

export const mandrill = createProvider({
  settings,
  target: emailTarget,
  send({ settings: { apiKey, baseUrl, ...sender }, to: recipient, message, outbound }) {
    const { subject, html, text } = emailContent(message)
    const { from, to, cc, bcc, replyTo, headers } = emailEnvelope(message, sender, recipient)
    const all = Object.entries({ to, cc, bcc }).flatMap(([type, addresses]) =>
      addresses.map(({ name, address }) => ({ email: address, name: name || undefined, type })),
    )
    const replies = replyTo.map(formatAddress).join(', ')
    const files = filesOf(message).map((file) => ({
      isImage: file.inline && file.contentId !== undefined,
      inJson: {
        type: file.contentType,
        name: (file.inline && file.contentId) || file.name,
        content: base64Of(file),
      },
    }))
    const filesThat = (isImage: boolean) =>
      unlessEmpty(
        files.filter((file) => Boolean(file.isImage) === isImage),
        (file) => file.inJson,
      )
    return exchange(message, outbound, {
      url: `${baseUrl}/api/1.0/messages/send.json`,
      messageField: 'message',
      body: {
        key: apiKey,
        message: {
          from_email: from.address,
          from_name: from.name || undefined,
          to: all,
          // Otherwise each recipient gets an email of its own, without the others.
          ...(all.length > 1 && { preserve_recipients: true }),
          subject,
          html,
          text,
          headers: headersByName([...headers, ...(replies === '' ? [] : [{ name: 'Reply-To', value: replies }])]),
          attachments: filesThat(false),
          images: filesThat(true),
        },
      },
      classify,
    })
  },
})
