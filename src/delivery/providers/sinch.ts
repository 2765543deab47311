// Sinch: text messages by the SMS API.
import { z } from 'zod'
import { textContent } from '../provider-kit/content.ts'
import { createProvider } from '../provider-kit/create-provider.ts'
import { optional, plain, regionalBaseUrl, secret, setting } from '../provider-kit/credentials.ts'
import { bearer, exchange } from '../provider-kit/exchange.ts'
import { phoneTarget } from '../provider-kit/target.ts'

const settings = z.object({
  servicePlanId: plain('Service plan ID', 'The ID of the service plan.'),
  apiToken: secret('API token', 'The API token of the service plan.'),
  region: optional(
    setting(
      z.enum(['eu', 'us', 'au', 'br', 'ca']),
      'Region',
      'The region that hosts the service plan. `eu` by default.',
    ),
  ),
  from: plain('From', 'The phone number or the name of the sender.'),
  baseUrl: regionalBaseUrl('the region'),
})

export const sinch = createProvider({
  settings,
  target: phoneTarget,
  send({ settings: { servicePlanId, apiToken, region = 'eu', from, baseUrl }, to, message, outbound }) {
    return exchange(message, outbound, {
      url: `${baseUrl ?? `https://${region}.sms.api.sinch.com`}/xms/v1/${encodeURIComponent(servicePlanId)}/batches`,
      headers: bearer(apiToken),
      body: { from, to: [to], body: textContent(message) },
    })
  },
})
