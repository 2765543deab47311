// PagerDuty: an alert by the Events API v2.
import { z } from 'zod'
import type { Severity } from '../../data/prisma/enums.ts'
import { baseUrl, parseCredentials } from '../credentials.ts'
import { exchange } from '../exchange.ts'
import type { Provider } from '../provider.ts'
import { endpointOf } from '../target.ts'

const regions = { us: 'https://events.pagerduty.com', eu: 'https://events.eu.pagerduty.com' }

const severities = { high: 'critical', medium: 'error', low: 'warning', none: 'info' } satisfies Record<
  Severity,
  string
>

/** In characters, as PagerDuty has it. */
const MAX_SUMMARY = 1024

export const pagerduty: Provider = (envelope, outbound) => {
  const { routingKey, region } = endpointOf(envelope, 'incident_service')
  const api = parseCredentials(envelope, z.object({ baseUrl: baseUrl(regions[region]) }))
  const { deliveryId, content, workflow, subscriber, payload } = envelope
  return exchange(envelope, outbound, {
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
