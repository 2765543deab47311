// PagerDuty: alerts by the Events API v2.
import { z } from 'zod'
import type { Severity } from '../../data/prisma/enums.ts'
import { baseUrl, parseCredentials } from '../credentials.ts'
import { exchange } from '../exchange.ts'
import type { Provider } from '../provider.ts'
import { endpointTarget } from '../target.ts'

const regions = { us: 'https://events.pagerduty.com', eu: 'https://events.eu.pagerduty.com' }

const severities = { high: 'critical', medium: 'error', low: 'warning', none: 'info' } satisfies Record<
  Severity,
  string
>

/** PagerDuty's limit, in characters. */
const MAX_SUMMARY = 1024

export const pagerduty: Provider = (message, outbound) => {
  const { routingKey, region } = endpointTarget(message, 'incident_service')
  const api = parseCredentials(message, z.object({ baseUrl: baseUrl(regions[region]) }))
  const { deliveryId, content, workflow, subscriber, payload } = message
  return exchange(message, outbound, {
    url: `${api.baseUrl}/v2/enqueue`,
    body: {
      routing_key: routingKey,
      event_action: 'trigger',
      dedup_key: deliveryId,
      payload: {
        summary: (content.subject ?? content.body).slice(0, MAX_SUMMARY),
        source: workflow.identifier,
        severity: severities[workflow.severity],
        custom_details: { message: content.body, subscriberId: subscriber.subscriberId, payload },
      },
    },
  })
}
