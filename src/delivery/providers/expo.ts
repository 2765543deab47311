// Expo: push notifications by the Push API, and the receipts that come later.
import { z } from 'zod'
import { createProvider } from '../provider-kit/create-provider.ts'
import { baseUrl, optional, parseCredentials, secret } from '../provider-kit/credentials.ts'
import { bearer, exchangeJson, jsonOf } from '../provider-kit/exchange.ts'
import type { FailureClass, ProviderAnswer, Verdict } from '../provider-kit/failure-class.ts'
import { DeliveryFailure, type ReadReports } from '../provider-kit/provider.ts'
import { deviceTarget } from '../provider-kit/target.ts'

const settings = z.object({
  apiKey: optional(secret('Access token', 'Required if the account enforces access tokens.')),
  baseUrl: baseUrl('https://exp.host'),
})

/** The errors of tickets. All others are permanent. */
const classes: Readonly<Partial<Record<string, FailureClass>>> = {
  DeviceNotRegistered: 'unregistered',
  MessageRateExceeded: 'unavailable',
  MessageTooBig: 'content',
  InvalidCredentials: 'account',
  MismatchSenderId: 'account',
}

/** A ticket that reports an error. The HTTP status is 200. */
const failed = z.object({
  data: z.object({
    status: z.literal('error'),
    message: z.string().optional(),
    details: z.object({ error: z.string().optional() }).optional(),
  }),
})

function classify({ json }: ProviderAnswer): Verdict | undefined {
  const { data } = failed.safeParse(json)
  if (data === undefined) return undefined
  const { message, details: { error } = {} } = data.data
  return { class: classes[error ?? ''] ?? 'recipient', reason: error ?? message ?? 'an error' }
}

const accepted = z.object({ data: z.object({ status: z.literal('ok'), id: z.string().max(255) }) })

const receipts = z.object({
  data: z.record(
    z.string(),
    z.object({
      status: z.string(),
      details: z.object({ error: z.string().max(255).optional() }).optional(),
    }),
  ),
})

const authorization = (apiKey: string | undefined) => (apiKey === undefined ? {} : bearer(apiKey))

/** Reads receipts, which exist about 15 minutes after the message for a day. */
const readReceipts: ReadReports = async (integration, ids, outbound) => {
  const { apiKey, baseUrl } = parseCredentials(integration, settings)
  const url = `${baseUrl}/--/api/v2/push/getReceipts`
  const { status, text } = await outbound.request({
    method: 'POST',
    url,
    headers: { 'content-type': 'application/json', 'user-agent': 'notification-gateway', ...authorization(apiKey) },
    body: JSON.stringify({ ids }),
    environmentId: integration.environmentId,
  })
  const { data } = receipts.safeParse(jsonOf(text))
  if (status !== 200 || data === undefined) {
    throw new DeliveryFailure(`${new URL(url).host} responded with ${status}`, { permanent: false, status })
  }
  return new Map(
    Object.entries(data.data).map(([id, receipt]) => {
      const error = receipt.status === 'ok' ? null : (receipt.details?.error ?? 'an unknown error')
      return [id, { error, isUnregistered: classes[error ?? ''] === 'unregistered' }]
    }),
  )
}

export const expo = createProvider({
  settings,
  target: deviceTarget,
  readReports: readReceipts,
  async send({ settings: { apiKey, baseUrl }, to, message, outbound }) {
    const { content, payload } = message
    const { receipt, json } = await exchangeJson(message, outbound, {
      url: `${baseUrl}/--/api/v2/push/send`,
      headers: authorization(apiKey),
      body: { to: to, title: content.subject ?? undefined, body: content.body, data: payload },
      classify,
    })
    return { ...receipt, ticket: accepted.safeParse(json).data?.data.id }
  },
})
