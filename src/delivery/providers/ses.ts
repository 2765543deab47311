// Amazon SES: email by the SES API v2, and reports by Amazon SNS.
import { z } from 'zod'
import { type EmailAddress, formatAddress } from '../../domain/channel/email-address.ts'
import { awsAccount, awsSigner, classifyAws } from '../provider-kit/aws.ts'
import { emailContent, emailEnvelope, unlessEmpty } from '../provider-kit/content.ts'
import { createProvider } from '../provider-kit/create-provider.ts'
import { optional, plain, sender } from '../provider-kit/credentials.ts'
import { exchange } from '../provider-kit/exchange.ts'
import type { FailureClass, ProviderAnswer, Verdict } from '../provider-kit/failure-class.ts'
import { base64Of, filesOf } from '../provider-kit/files.ts'
import { emailTarget } from '../provider-kit/target.ts'
import { sesReports, sesTags, sesTopicSetting } from './ses-reports.ts'

const settings = sender.extend({
  ...awsAccount.shape,
  configurationSetName: optional(
    plain(
      'Configuration set',
      'The configuration set of the messages. Absent for the one of the sender, if it has any.',
    ),
  ),
  ...sesTopicSetting,
})

const classes: Readonly<Record<string, FailureClass | undefined>> = {
  // The rate or the daily quota is used up, or sending is paused for a time.
  LimitExceededException: 'unavailable',
  SendingPausedException: 'unavailable',
  AccountSuspendedException: 'account',
  MailFromDomainNotVerifiedException: 'account',
  MessageRejected: 'content',
  BadRequestException: 'content',
  // The configuration set does not exist.
  NotFoundException: 'account',
}

const failed = z.object({ message: z.string() })

function classify(answer: ProviderAnswer): Verdict | undefined {
  const verdict = classifyAws(answer, classes)
  const text = failed.safeParse(answer.json).data?.message ?? ''
  // The sender has to be verified first. In the sandbox of SES, the recipients too.
  return verdict?.reason === 'MessageRejected' && /not verified/i.test(text)
    ? { ...verdict, class: 'account' }
    : verdict
}

const utf8 = (Data: string) => ({ Data, Charset: 'UTF-8' })

/** Returns a function that encodes texts of headers (RFC 2047), which are ASCII only at SES. */
async function headerEncoder(): Promise<(text: string) => string> {
  // Loaded with the first email, because few gateways need it.
  const { encodeWord } = await import('nodemailer/lib/mime-funcs')
  return (text) => (/^[ -~]*$/.test(text) ? text : encodeWord(text, 'B', MAX_WORD))
}

/** Characters of an encoded word, without the name of the character set. */
const MAX_WORD = 52

const accepted = z.object({ MessageId: z.string() })

export const ses = createProvider({
  settings,
  target: emailTarget,
  receiver: sesReports,
  async send({ settings: { baseUrl, configurationSetName, ...given }, to: recipient, message, outbound }) {
    const { subject, html, text } = emailContent(message)
    const { from, to, cc, bcc, replyTo, headers } = emailEnvelope(message, given, recipient)
    const inAscii = await headerEncoder()
    const address = ({ name, address }: EmailAddress) => {
      const encoded = inAscii(name)
      return encoded === name ? formatAddress({ name, address }) : `${encoded} <${address}>`
    }
    return exchange(message, outbound, {
      url: `${baseUrl ?? `https://email.${given.region}.amazonaws.com`}/v2/email/outbound-emails`,
      body: {
        FromEmailAddress: address(from),
        Destination: {
          ToAddresses: unlessEmpty(to, address),
          CcAddresses: unlessEmpty(cc, address),
          BccAddresses: unlessEmpty(bcc, address),
        },
        ReplyToAddresses: unlessEmpty(replyTo, address),
        Content: {
          Simple: {
            Subject: utf8(subject),
            Body: { Text: utf8(text), Html: html === undefined ? undefined : utf8(html) },
            Headers: unlessEmpty(headers, ({ name, value }) => ({ Name: name, Value: inAscii(value) })),
            Attachments: unlessEmpty(filesOf(message), (file) => ({
              FileName: file.name,
              ContentType: file.contentType,
              ContentDisposition: file.inline ? 'INLINE' : 'ATTACHMENT',
              ContentId: file.contentId,
              ContentTransferEncoding: 'BASE64',
              RawContent: base64Of(file),
            })),
          },
        },
        ConfigurationSetName: configurationSetName,
        EmailTags: given.sesTopicArn === undefined ? undefined : sesTags(message.deliveryId),
      },
      sign: awsSigner(given, 'ses'),
      classify,
      findMessageId: ({ json }) => accepted.safeParse(json).data?.MessageId,
    })
  },
})
