// The registry of providers: the function that delivers for each provider id.
import type { ProviderId } from '../../domain/channel/provider-id.ts'
import type { Provider } from '../provider-kit/provider.ts'
import { apns } from '../providers/apns.ts'
import { brevoSms } from '../providers/brevo-sms.ts'
import { expo } from '../providers/expo.ts'
import { fcm } from '../providers/fcm.ts'
import { grafana } from '../providers/grafana.ts'
import { discord, mattermost } from '../providers/incoming-webhooks.ts'
import { infobipSms } from '../providers/infobip-sms.ts'
import { line } from '../providers/line.ts'
import { mailgun } from '../providers/mailgun.ts'
import { mailjet } from '../providers/mailjet.ts'
import { mandrill } from '../providers/mandrill.ts'
import { messagebird } from '../providers/messagebird.ts'
import { msteams } from '../providers/msteams.ts'
import { nexmo } from '../providers/nexmo.ts'
import { nodemailer } from '../providers/nodemailer.ts'
import { oneSignal } from '../providers/one-signal.ts'
import { opsgenie } from '../providers/opsgenie.ts'
import { pagerduty } from '../providers/pagerduty.ts'
import { plivo } from '../providers/plivo.ts'
import { postmark } from '../providers/postmark.ts'
import { resend } from '../providers/resend.ts'
import { sendgrid } from '../providers/sendgrid.ts'
import { sendinblue } from '../providers/sendinblue.ts'
import { ses } from '../providers/ses.ts'
import { sinch } from '../providers/sinch.ts'
import { slack } from '../providers/slack.ts'
import { sns } from '../providers/sns.ts'
import { sparkpost } from '../providers/sparkpost.ts'
import { telegram } from '../providers/telegram.ts'
import { telnyx } from '../providers/telnyx.ts'
import { twilio } from '../providers/twilio.ts'
import { webexMessaging } from '../providers/webex-messaging.ts'
import { webhook } from '../providers/webhooks.ts'
import { whatsappBusiness } from '../providers/whatsapp-business.ts'

/** The implemented providers. Callers may name others too. The in-app channel needs none. */
export const providers: Partial<Record<ProviderId, Provider>> = {
  nodemailer,
  'email-webhook': webhook,
  mailgun,
  mailjet,
  mandrill,
  postmark,
  resend,
  sendgrid,
  sendinblue,
  ses,
  sparkpost,

  'generic-sms': webhook,
  'brevo-sms': brevoSms,
  'infobip-sms': infobipSms,
  messagebird,
  nexmo,
  plivo,
  sinch,
  sns,
  telnyx,
  twilio,

  'push-webhook': webhook,
  apns,
  expo,
  fcm,
  'one-signal': oneSignal,

  'chat-webhook': webhook,
  discord,
  'grafana-on-call': grafana,
  line,
  mattermost,
  msteams,
  'rocket-chat': mattermost,
  slack,
  telegram,
  'webex-messaging': webexMessaging,
  'whatsapp-business': whatsappBusiness,

  'tool-webhook': webhook,
  grafana,
  opsgenie,
  pagerduty,
}

/** @returns undefined if this version does not implement the provider. */
export function providerFor(providerId: ProviderId): Provider | undefined {
  return providers[providerId]
}
