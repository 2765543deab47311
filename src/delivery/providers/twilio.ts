// Twilio: text messages by the Messages API, and reports by status callbacks.
import { z } from 'zod'
import type { MessageReport, ReportedKind, ReportRequest } from '../../domain/channel/delivery-report.ts'
import type { InboundText, TextKeyword } from '../../domain/channel/inbound-text.ts'
import { textContent } from '../provider-kit/content.ts'
import { createProvider } from '../provider-kit/create-provider.ts'
import { baseUrl, optional, plain, secret, setting } from '../provider-kit/credentials.ts'
import { basic, exchange } from '../provider-kit/exchange.ts'
import type { ProviderAnswer, Verdict } from '../provider-kit/failure-class.ts'
import { createReceiver, hmac, isSame, keySetting, type Reporting, unverified } from '../provider-kit/report.ts'
import { phoneTarget } from '../provider-kit/target.ts'

const settings = z.object({
  accountSid: plain('Account SID', 'The SID of the account.'),
  token: secret('Auth token', 'The Auth token of the account.'),
  from: plain('From', 'A phone number, a sender id or the SID of a messaging service.'),
  statusReports: optional(
    setting(
      z.boolean(),
      'Status reports',
      'True to ask for a report of each message, which requires `BASE_URL`. False by default.',
    ),
  ),
  baseUrl: baseUrl('https://api.twilio.com'),
})

const failed = z.object({ code: z.number() })

/** The sender is not a number of the account, or the account is a trial that may not write to this recipient. */
const ofAccount: ReadonlySet<number> = new Set([21606, 21607, 21608])

/** The recipient has replied with STOP to the sender. */
const OPTED_OUT = 21610

function classify({ json }: ProviderAnswer): Verdict | undefined {
  const { data } = failed.safeParse(json)
  if (data === undefined) return undefined
  const reason = `error ${data.code}`
  if (data.code === OPTED_OUT) return { class: 'suppressed', reason }
  return ofAccount.has(data.code) ? { class: 'account', reason } : undefined
}

/** The parameter of the URL of a report with the id of the delivery. */
const DELIVERY = 'delivery'

/** A URL with the port that its scheme implies, or without it: Twilio signs either. */
function otherForm(url: string): string {
  const [, beginning = '', host = '', port, rest = ''] =
    /^(https?:\/\/)([^/?#:]+|\[[^\]]+\])(:\d+)?(.*)$/s.exec(url) ?? []
  if (port !== undefined) return `${beginning}${host}${rest}`
  return `${beginning}${host}:${beginning === 'https://' ? 443 : 80}${rest}`
}

const utf8 = new TextDecoder()
const formOf = ({ body }: ReportRequest) => new URLSearchParams(utf8.decode(body))

function verify(reporting: Reporting): void {
  const { request } = reporting
  const key = keySetting(reporting, 'token')
  const signature = request.header('x-twilio-signature') ?? ''
  const byName = [...formOf(request)].toSorted(([one], [other]) => (one < other ? -1 : Number(one > other)))
  const parameters = byName.flat().join('')
  // Each is computed, so that the time does not tell which one is right.
  const matches = request.urls
    .flatMap((url) => [url, otherForm(url)])
    .map((url) => isSame(signature, hmac('sha1', key, url, parameters).digest('base64')))
  if (!matches.includes(true)) throw unverified('its signature is wrong')
}

const kinds: Readonly<Record<string, ReportedKind | undefined>> = {
  accepted: 'accepted',
  sent: 'accepted',
  delivered: 'delivered',
  // Only WhatsApp: what was read was delivered.
  read: 'delivered',
}

/** Error codes of numbers that do not exist or cannot receive text messages. */
const invalidNumbers: ReadonlySet<string> = new Set(['21211', '21614', '30005', '30006'])

/** The recipient has replied STOP. */
const STOPPED = '21610'

function kindOf(status: string, code: string | null): ReportedKind | undefined {
  if (status !== 'undelivered' && status !== 'failed') return kinds[status]
  if (code === STOPPED) return 'dropped'
  return code !== null && invalidNumbers.has(code) ? 'bounced_hard' : 'bounced_soft'
}

const causes: Readonly<Partial<Record<ReportedKind, MessageReport['cause']>>> = {
  dropped: 'suppressed_by_provider',
  bounced_hard: 'invalid_address',
}

function parse(request: ReportRequest): readonly MessageReport[] {
  const form = formOf(request)
  const [sid, status, code] = ['MessageSid', 'MessageStatus', 'ErrorCode'].map((name) => form.get(name))
  const kind = kindOf(status ?? '', code ?? null)
  if (!sid || !status || kind === undefined) return []
  const [url = ''] = request.urls
  return [
    {
      deliveryId: new URL(url).searchParams.get(DELIVERY) ?? undefined,
      providerMessageId: sid,
      address: form.get('To') ?? undefined,
      kind,
      at: request.now,
      key: `${sid}/${status}`,
      detail: form.get('ErrorMessage') ?? (code ? `error ${code}` : undefined),
      code: code ?? undefined,
      cause: causes[kind],
    },
  ]
}

const optOutTypes: Readonly<Record<string, TextKeyword | undefined>> = { STOP: 'stop', START: 'start', HELP: 'help' }

/** A text message of a person, for which the URL is entered at the number or the messaging service. */
function parseTexts(request: ReportRequest): readonly InboundText[] {
  const form = formOf(request)
  const [key, from, to, text] = ['MessageSid', 'From', 'To', 'Body'].map((name) => form.get(name))
  if (form.get('SmsStatus') !== 'received' || !key || !from || !to || text == null) return []
  return [{ key, from, to, text, optOutType: optOutTypes[form.get('OptOutType') ?? ''] }]
}

const receiver = createReceiver({ proof: 'account', setting: 'statusReports', verify, parse, parseTexts })

const accepted = z.object({ sid: z.string() })

export const twilio = createProvider({
  settings,
  target: phoneTarget,
  receiver,
  send({ settings: { accountSid, token, from, statusReports, baseUrl }, to, message, outbound }) {
    const { reportUrl, deliveryId } = message
    const isService = /^MG[\da-f]{32}$/.test(from)
    return exchange(message, outbound, {
      url: `${baseUrl}/2010-04-01/Accounts/${encodeURIComponent(accountSid)}/Messages.json`,
      headers: basic(accountSid, token),
      body: new URLSearchParams({
        To: to,
        [isService ? 'MessagingServiceSid' : 'From']: from,
        Body: textContent(message),
        ...(statusReports && reportUrl && { StatusCallback: `${reportUrl}?${DELIVERY}=${deliveryId}` }),
      }),
      classify,
      findMessageId: ({ json }) => accepted.safeParse(json).data?.sid,
    })
  },
})
