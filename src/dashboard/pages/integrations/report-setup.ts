// Where the providers take the URL for reports, and what to choose there.
import type { ProviderId } from '../../parts/providers.ts'

const setups: Readonly<Partial<Record<ProviderId, string>>> = {
  SENDGRID:
    'Settings, Mail Settings, Event Webhooks: enter the URL, choose all deliverability and engagement events except opens and clicks, and enable the signature.',
  MAILGUN:
    'Sending, Webhooks: enter the URL for accepted and delivered messages, temporary and permanent failures, spam complaints and unsubscribes.',
  POSTMARK:
    'Server, message stream, Webhooks: enter the URL with its token, and choose deliveries, bounces, spam complaints and subscription changes.',
  RESEND: 'Webhooks: enter the URL, and choose all events of emails except those about opens and clicks.',
  NODEMAILER:
    'For SES: subscribe the URL to the SNS topic with the protocol HTTPS, and choose the topic as event destination of SES.',
  TELNYX: 'Messaging, the messaging profile, Inbound: enter the URL, with API version 2.',
  TWILIO:
    'Reports need nothing at Twilio: each message names the URL. For replies, enter it at the number or the messaging service.',
}

/** Returns what to do at the provider, in sentences. */
export const reportSetupOf = (providerId: ProviderId): string =>
  setups[providerId] ?? 'Enter the URL where the provider sends its events.'
