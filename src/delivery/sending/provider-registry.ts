// The registry of providers: the function that delivers for each provider id.
import type { ProviderId } from '../../domain/channel/provider-id.ts'
import type { Provider } from '../provider-kit/provider.ts'
import { expo } from '../providers/expo.ts'
import { fcm } from '../providers/fcm.ts'
import { grafana } from '../providers/grafana.ts'
import { discord, mattermost } from '../providers/incoming-webhooks.ts'
import { line } from '../providers/line.ts'
import { mailgun } from '../providers/mailgun.ts'
import { messagebird } from '../providers/messagebird.ts'
import { msteams } from '../providers/msteams.ts'
import { nexmo } from '../providers/nexmo.ts'
import { nodemailer } from '../providers/nodemailer.ts'
import { opsgenie } from '../providers/opsgenie.ts'
import { pagerduty } from '../providers/pagerduty.ts'
import { plivo } from '../providers/plivo.ts'
import { postmark } from '../providers/postmark.ts'
import { resend } from '../providers/resend.ts'
import { sendgrid } from '../providers/sendgrid.ts'
import { slack } from '../providers/slack.ts'
import { telegram } from '../providers/telegram.ts'
import { telnyx } from '../providers/telnyx.ts'
import { twilio } from '../providers/twilio.ts'
import { webexMessaging } from '../providers/webex-messaging.ts'
import { webhook } from '../providers/webhooks.ts'

/** The implemented providers. Callers may name others too. The in-app channel needs none. */
export const providers: Partial<Record<ProviderId, Provider>> = {
  nodemailer,
  'email-webhook': webhook,
  mailgun,
  postmark,
  resend,
  sendgrid,

  'generic-sms': webhook,
  messagebird,
  nexmo,
  plivo,
  telnyx,
  twilio,

  'push-webhook': webhook,
  expo,
  fcm,

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

  'tool-webhook': webhook,
  grafana,
  opsgenie,
  pagerduty,
}

/** @returns undefined if this version does not implement the provider. */
export function providerFor(providerId: ProviderId): Provider | undefined {
  return providers[providerId]
}
