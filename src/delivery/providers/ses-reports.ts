// Reports of Amazon SES, which arrive by Amazon SNS. Integrations receive them that send by its API, or by SMTP through it.
import { z } from 'zod'
import type { MessageReport, ReportedKind } from '../../domain/channel/delivery-report.ts'
import { optional, setting } from '../provider-kit/credentials.ts'
import { keySetting, malformed, type ReportReceiver, sentence, timeOf } from '../provider-kit/report.ts'
import { confirmSns, type SnsMessage, verifySns } from '../provider-kit/sns.ts'

/** The setting with the topic to which SES publishes. */
const TOPIC = 'sesTopicArn'

/** The setting of that topic, for the settings of a provider. */
export const sesTopicSetting = {
  [TOPIC]: optional(
    setting(
      z.string().regex(/^arn:aws[a-z-]*:sns:[a-z0-9-]+:\d{12}:[\w-]{1,256}$/, 'must be the ARN of an SNS topic'),
      'SES topic',
      'The ARN of the SNS topic to which Amazon SES publishes its reports, if it sends the messages. Absent without reports.',
    ),
  ),
}

/** The tag with which SES returns the id of the delivery. */
const TAG = 'delivery_id'

/** The header that sets the tags of a message. SES removes it. */
export const sesHeader = (deliveryId: string) => ({ 'X-SES-MESSAGE-TAGS': `${TAG}=${deliveryId}` })

/** The tags of a message that is sent by the API. */
export const sesTags = (deliveryId: string) => [{ Name: TAG, Value: deliveryId }]

/** The id with which SES answers to a message, after `250 Ok`. */
export const sesMessageId = (response: string): string | undefined => /^250 Ok ([\w-]{20,})\s*$/i.exec(response)?.[1]

const recipient = z.object({
  emailAddress: z.string(),
  status: z.string().optional(),
  diagnosticCode: z.string().optional(),
})
const recipients = z.array(recipient)

/** The event of a topic of a configuration set, or the notification of an identity. */
const event = z.object({
  eventType: z.string().optional(),
  notificationType: z.string().optional(),
  mail: z.object({
    timestamp: z.string().optional(),
    messageId: z.string(),
    destination: z.array(z.string()).optional(),
    tags: z.object({ [TAG]: z.array(z.string()).optional() }).optional(),
  }),
  bounce: z
    .object({
      bounceType: z.string(),
      bounceSubType: z.string().optional(),
      bouncedRecipients: recipients,
      timestamp: z.string().optional(),
    })
    .optional(),
  complaint: z
    .object({
      complainedRecipients: recipients,
      complaintFeedbackType: z.string().nullish(),
      complaintSubType: z.string().nullish(),
      timestamp: z.string().optional(),
    })
    .optional(),
  delivery: z
    .object({ recipients: z.array(z.string()), smtpResponse: z.string().optional(), timestamp: z.string().optional() })
    .optional(),
  deliveryDelay: z
    .object({ delayedRecipients: recipients, delayType: z.string().optional(), timestamp: z.string().optional() })
    .optional(),
  reject: z.object({ reason: z.string().optional() }).optional(),
})

type SesEvent = z.output<typeof event>

/** What an event says, and about whom. */
interface Said extends Pick<MessageReport, 'cause'> {
  readonly kind: ReportedKind
  readonly about: readonly (Pick<z.output<typeof recipient>, 'status' | 'diagnosticCode'> & {
    readonly emailAddress?: string
  })[]
  readonly timestamp?: string | undefined
  readonly detail?: string | undefined
}

/** Subtypes of bounces and complaints to addresses on a list of suppressions, to which SES did not send. */
const listed = /^(Suppressed|OnAccountSuppressionList|OnTenantSuppressionList)$/

function bounced({
  bounceType,
  bounceSubType = '',
  bouncedRecipients,
  timestamp,
}: NonNullable<SesEvent['bounce']>): Said {
  const shared = { about: bouncedRecipients, timestamp, detail: `${bounceType} ${bounceSubType}`.trim() }
  if (listed.test(bounceSubType)) return { ...shared, kind: 'dropped', cause: 'suppressed_by_provider' }
  return { ...shared, kind: bounceType === 'Permanent' ? 'bounced_hard' : 'bounced_soft' }
}

function complained({
  complainedRecipients,
  complaintFeedbackType,
  complaintSubType,
  timestamp,
}: NonNullable<SesEvent['complaint']>): Said | undefined {
  const shared = {
    about: complainedRecipients,
    timestamp,
    detail: complaintFeedbackType ?? complaintSubType ?? undefined,
  }
  // The recipient says that the message is no spam.
  if (complaintFeedbackType === 'not-spam') return undefined
  if (listed.test(complaintSubType ?? '')) return { ...shared, kind: 'dropped', cause: 'suppressed_by_provider' }
  return { ...shared, kind: 'complained' }
}

const nobody = [{}]
const addresses = (all: readonly string[]) => all.map((emailAddress) => ({ emailAddress }))

function read(given: SesEvent): Said | undefined {
  const { bounce, complaint, delivery, deliveryDelay, reject } = given
  if (bounce) return bounced(bounce)
  if (complaint) return complained(complaint)
  if (delivery) {
    const { recipients, smtpResponse: detail, timestamp } = delivery
    return { kind: 'delivered', about: addresses(recipients), detail, timestamp }
  }
  if (deliveryDelay) {
    const { delayedRecipients: about, delayType: detail, timestamp } = deliveryDelay
    return { kind: 'deferred', about, detail, timestamp }
  }
  if (reject) return { kind: 'dropped', about: nobody, detail: reject.reason }
  const plain: Readonly<Record<string, ReportedKind | undefined>> = {
    Send: 'accepted',
    Open: 'opened',
    Click: 'clicked',
  }
  const kind = plain[given.eventType ?? given.notificationType ?? '']
  return kind && { kind, about: nobody, timestamp: given.mail.timestamp }
}

function parsed({ Message }: SnsMessage): SesEvent | undefined {
  try {
    // A topic may have other messages, such as the one that SES publishes when it is set up.
    return event.safeParse(JSON.parse(Message)).data
  } catch {
    throw malformed('must have JSON in the field Message')
  }
}

function reportsIn(message: SnsMessage, now: Date): readonly MessageReport[] {
  const given = parsed(message)
  const said = given && read(given)
  if (given === undefined || said === undefined) return []
  const { kind, about, timestamp, detail, cause } = said
  return about.map(({ emailAddress, diagnosticCode, status }, index) => ({
    deliveryId: given.mail.tags?.[TAG]?.[0],
    providerMessageId: given.mail.messageId,
    address: emailAddress,
    kind,
    at: timeOf(timestamp ?? message.Timestamp, now),
    key: `${message.MessageId}/${index}`,
    detail: sentence(diagnosticCode ?? detail),
    code: status,
    cause,
  }))
}

export const sesReports: ReportReceiver = {
  proof: 'account',
  setting: TOPIC,
  async receive(reporting) {
    const message = await verifySns(reporting, keySetting(reporting, TOPIC))
    if (message.Type === 'SubscriptionConfirmation') await confirmSns(reporting, message)
    if (message.Type !== 'Notification') return { reports: [] }
    return { reports: reportsIn(message, reporting.request.now) }
  },
}
