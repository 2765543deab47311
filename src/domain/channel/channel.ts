// The channels: each has one entry in `channels`, `channelSteps` and `channelProviders`. Nothing else in the domain or
// the engine lists channels.
import { z } from 'zod'
import { Channel } from '../../data/prisma/enums.ts'
import { type JsonObject, trimmedText } from '../../lib/validation.ts'
import { emailFields } from './email-step.ts'
import type { StepReading } from './step-reading.ts'

/** A channel with providers. In-app notifications are stored instead of sent. */
export type ProviderChannel = Exclude<Channel, 'in_app'>

interface ChannelRules {
  /** An adjective, as in "the SMS provider". */
  readonly label: string
  /** A sentence. */
  readonly description: string
}

interface ProviderChannelRules extends ChannelRules {
  /**
   * The profile field that contains the subscriber's address. Used if there is neither an endpoint nor a credential.
   */
  readonly profileAddress?: 'email' | 'phone'
  /** True if a subscriber can have credentials for the channel's providers. */
  readonly hasCredentials?: boolean
  /** The end of a sentence about a missing destination: Subscriber "ada" has … */
  readonly lacking: string
}

export const channels: { readonly in_app: ChannelRules } & Readonly<Record<ProviderChannel, ProviderChannelRules>> = {
  in_app: { label: 'in-app', description: 'The feed inside the application.' },
  email: {
    label: 'email',
    description: 'Email.',
    profileAddress: 'email',
    lacking: 'no email address and no endpoint under these contexts',
  },
  sms: {
    label: 'SMS',
    description: 'Text message.',
    profileAddress: 'phone',
    lacking: 'no phone number and no endpoint under these contexts',
  },
  chat: {
    label: 'chat',
    description: 'A chat application.',
    hasCredentials: true,
    lacking: 'no endpoint under these contexts and no credentials',
  },
  push: {
    label: 'push',
    description: 'Push notification on a device.',
    hasCredentials: true,
    lacking: 'no device tokens and no endpoint under these contexts',
  },
  tool: {
    label: 'tool',
    description: 'An incident, alerting or other tool.',
    lacking: 'no endpoint under these contexts',
  },
}

export const providerChannels: readonly ProviderChannel[] = Object.values(Channel).filter(
  (channel) => channel !== 'in_app',
)

/** The channels that can use this profile field as the address. */
export function channelsAddressedBy(field: 'email' | 'phone'): readonly ProviderChannel[] {
  return providerChannels.filter((channel) => channels[channel].profileAddress === field)
}

/** The limits of step templates, in characters. */
export const MAX_SUBJECT = 1000
export const MAX_TEXT = 20_000
export const MAX_HTML = 100_000
export const MAX_URL = 2048
export const MAX_ACTIONS = 2

/** Where a browser opens a link of a notification, in the words of HTML. */
export const linkTargets = ['_self', '_blank', '_parent', '_top', '_unfencedTop'] as const
export type LinkTargetWord = (typeof linkTargets)[number]

/** What a message does with an incident at an incident management service. */
export const incidentActions = ['trigger', 'acknowledge', 'resolve'] as const
export type IncidentAction = (typeof incidentActions)[number]
/** Maximum length of the rendered key of an incident, in characters. */
export const MAX_INCIDENT_KEY = 255

/** Maximum number of payload fields in a feed entry. */
export const MAX_PAYLOAD_FIELDS = 20
/** Maximum size of the rendered data of a feed entry, and of its payload, in bytes of JSON. */
export const MAX_FEED_DATA = 64 * 1024

/** The fields of every step. */
interface CommonStepFields<Id extends z.ZodType> {
  readonly stepId: Id
  readonly name: z.ZodType<string | null>
  readonly active: z.ZodType<boolean>
  readonly condition: z.ZodType<JsonObject | null>
}

/** The fields of steps that send, which limit the time of their messages and select an integration. */
interface TimeFields<Time extends z.ZodType> {
  readonly expiresAfter: Time
  readonly timeLimit: Time
  readonly integrationIdentifier: z.ZodType<string | null | undefined>
}

/** The step schema of each channel. */
export const channelSteps = <Id extends z.ZodType, Time extends z.ZodType>(
  common: CommonStepFields<Id>,
  times: TimeFields<Time>,
  reading: StepReading,
) => {
  const { template, optional, or, added, data } = reading
  return {
    in_app: z.object({
      type: z.literal('in_app'),
      ...common,
      expiresAfter: times.expiresAfter,
      subject: optional(template(MAX_SUBJECT)),
      body: template(MAX_TEXT),
      avatar: optional(template(MAX_URL)),
      url: optional(template(MAX_URL)),
      target: added(z.enum(linkTargets).nullable(), null).meta({
        description: 'Where the link opens. Absent from steps of earlier versions.',
      }),
      actions: or(
        z
          .array(
            z.object({
              label: template(MAX_SUBJECT),
              url: template(MAX_URL),
              target: added(z.enum(linkTargets).nullable(), null),
            }),
          )
          .max(MAX_ACTIONS),
        [],
      ),
      data: or(data, {}).meta({ description: 'Custom data. Its strings are Liquid templates.' }),
      payloadFields: added(z.array(trimmedText(255)).max(MAX_PAYLOAD_FIELDS), []).meta({
        description: 'Names of payload fields that the notification carries. Absent from steps of earlier versions.',
      }),
    }),
    email: z.object({
      type: z.literal('email'),
      ...common,
      ...times,
      subject: template(MAX_SUBJECT),
      body: template(MAX_HTML),
      ...emailFields(reading),
    }),
    sms: z.object({ type: z.literal('sms'), ...common, ...times, body: template(MAX_TEXT) }),
    chat: z.object({ type: z.literal('chat'), ...common, ...times, body: template(MAX_TEXT) }),
    push: z.object({
      type: z.literal('push'),
      ...common,
      ...times,
      subject: template(MAX_SUBJECT),
      body: template(MAX_TEXT),
    }),
    tool: z.object({
      type: z.literal('tool'),
      ...common,
      ...times,
      subject: optional(template(MAX_SUBJECT)),
      body: template(MAX_TEXT),
      incidentKey: added(template(MAX_SUBJECT).nullable(), null).meta({
        description: 'The key of the incident, by which later messages find it: a Liquid template.',
      }),
      incidentAction: added(z.enum(incidentActions), 'trigger').meta({
        description: 'What the message does with the incident.',
      }),
    }),
  } satisfies { [Type in Channel]: z.ZodType<{ type: Type }> }
}

/** Every provider that callers can name (SPEC: Integration), by channel, with its display name. */
export const channelProviders = {
  in_app: { service: 'Service' },
  email: {
    anypost: 'Anypost',
    emailjs: 'EmailJS',
    mailgun: 'Mailgun',
    mailjet: 'Mailjet',
    mandrill: 'Mandrill',
    nodemailer: 'SMTP',
    postmark: 'Postmark',
    sendgrid: 'SendGrid',
    sendinblue: 'Brevo',
    ses: 'Amazon SES',
    netcore: 'Netcore',
    'infobip-email': 'Infobip',
    resend: 'Resend',
    plunk: 'Plunk',
    mailersend: 'MailerSend',
    mailtrap: 'Mailtrap',
    clickatell: 'Clickatell',
    outlook365: 'Outlook 365',
    'service-email': 'Service Email',
    sparkpost: 'SparkPost',
    'email-webhook': 'Email webhook',
    braze: 'Braze',
    'service-email-agent': 'Service Email Agent',
  },
  sms: {
    nexmo: 'Vonage',
    plivo: 'Plivo',
    sms77: 'sms77',
    'sms-central': 'SMS Central',
    sns: 'Amazon SNS',
    telnyx: 'Telnyx',
    twilio: 'Twilio',
    gupshup: 'Gupshup',
    firetext: 'FireText',
    'infobip-sms': 'Infobip',
    'burst-sms': 'Burst SMS',
    'bulk-sms': 'BulkSMS',
    'isend-sms': 'iSend SMS',
    'forty-six-elks': '46elks',
    kannel: 'Kannel',
    maqsam: 'Maqsam',
    termii: 'Termii',
    'africas-talking': "Africa's Talking",
    'service-sms': 'Service SMS',
    sendchamp: 'Sendchamp',
    'generic-sms': 'SMS webhook',
    clicksend: 'ClickSend',
    bandwidth: 'Bandwidth',
    messagebird: 'MessageBird',
    simpletexting: 'SimpleTexting',
    'azure-sms': 'Azure SMS',
    'ring-central': 'RingCentral',
    'brevo-sms': 'Brevo SMS',
    'eazy-sms': 'Eazy SMS',
    mobishastra: 'Mobishastra',
    'afro-message': 'AfroMessage',
    unifonic: 'Unifonic',
    smsmode: 'smsmode',
    imedia: 'iMedia',
    sinch: 'Sinch',
    'isendpro-sms': 'iSendPro SMS',
    'cm-telecom': 'CM.com',
    'ruach-sms': 'Ruach SMS',
  },
  chat: {
    slack: 'Slack',
    discord: 'Discord',
    msteams: 'Microsoft Teams',
    'webex-messaging': 'Webex',
    mattermost: 'Mattermost',
    ryver: 'Ryver',
    zulip: 'Zulip',
    'grafana-on-call': 'Grafana OnCall',
    getstream: 'Stream',
    'rocket-chat': 'Rocket.Chat',
    'whatsapp-business': 'WhatsApp Business',
    line: 'LINE',
    'chat-webhook': 'Chat webhook',
    'service-slack': 'Service Slack',
    telegram: 'Telegram',
    sendblue: 'Sendblue',
    'service-web-chat': 'Service Web Chat',
  },
  push: {
    fcm: 'Firebase Cloud Messaging',
    apns: 'Apple Push Notification service',
    expo: 'Expo',
    'one-signal': 'OneSignal',
    pushpad: 'Pushpad',
    'push-webhook': 'Push webhook',
    'pusher-beams': 'Pusher Beams',
    appio: 'Appio',
  },
  tool: {
    pagerduty: 'PagerDuty',
    opsgenie: 'Opsgenie',
    grafana: 'Grafana',
    'tool-webhook': 'Tool webhook',
  },
} as const satisfies Record<Channel, Readonly<Record<string, string>>>
