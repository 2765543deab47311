// Every provider that the service knows, and what it delivers by.
import { z } from 'zod'
import type { Channel } from '../data/prisma/enums.ts'

/** What a provider is for: one of the channels, or an agent, which delivers by none. */
export type ProviderKind = Channel | 'agent'

const providersByKind = {
  email: [
    'anypost',
    'emailjs',
    'mailgun',
    'mailjet',
    'mandrill',
    'nodemailer',
    'postmark',
    'sendgrid',
    'sendinblue',
    'ses',
    'netcore',
    'infobip-email',
    'resend',
    'plunk',
    'mailersend',
    'mailtrap',
    'clickatell',
    'outlook365',
    'service-email',
    'sparkpost',
    'email-webhook',
    'braze',
    'service-email-agent',
  ],
  sms: [
    'nexmo',
    'plivo',
    'sms77',
    'sms-central',
    'sns',
    'telnyx',
    'twilio',
    'gupshup',
    'firetext',
    'infobip-sms',
    'burst-sms',
    'bulk-sms',
    'isend-sms',
    'forty-six-elks',
    'kannel',
    'maqsam',
    'termii',
    'africas-talking',
    'service-sms',
    'sendchamp',
    'generic-sms',
    'clicksend',
    'bandwidth',
    'messagebird',
    'simpletexting',
    'azure-sms',
    'ring-central',
    'brevo-sms',
    'eazy-sms',
    'mobishastra',
    'afro-message',
    'unifonic',
    'smsmode',
    'imedia',
    'sinch',
    'isendpro-sms',
    'cm-telecom',
    'ruach-sms',
  ],
  push: ['fcm', 'apns', 'expo', 'one-signal', 'pushpad', 'push-webhook', 'pusher-beams', 'appio'],
  in_app: ['service'],
  chat: [
    'slack',
    'discord',
    'msteams',
    'webex-messaging',
    'mattermost',
    'ryver',
    'zulip',
    'grafana-on-call',
    'getstream',
    'rocket-chat',
    'whatsapp-business',
    'line',
    'chat-webhook',
    'service-slack',
    'telegram',
    'sendblue',
    'service-web-chat',
  ],
  agent: ['anthropic', 'service-anthropic', 'anthropic-aws'],
  tool: ['pagerduty', 'opsgenie', 'grafana', 'tool-webhook'],
} as const satisfies Record<ProviderKind, readonly string[]>

export type ProviderId = (typeof providersByKind)[ProviderKind][number]

const kinds = new Map<string, ProviderKind>()
for (const [kind, ids] of Object.entries(providersByKind) as [ProviderKind, readonly ProviderId[]][]) {
  for (const id of ids) kinds.set(id, kind)
}

export const providerIds: readonly ProviderId[] = Object.values(providersByKind).flat()

/** The input schema of a provider. Its message does not list a hundred values: the documentation does. */
export const providerId = z.enum(providerIds, { error: 'is not a known provider' })

/** The provider that a stored row names. */
export function providerOf(stored: string): ProviderId {
  return providerId.parse(stored)
}

export function kindOf(provider: ProviderId): ProviderKind {
  const kind = kinds.get(provider)
  if (kind === undefined) throw new Error(`provider ${provider} is in no kind`)
  return kind
}

/** The providers that a subscriber's own credentials can be kept for. */
export const credentialProviders: readonly ProviderId[] = [...providersByKind.chat, ...providersByKind.push]
