// PagerDuty: alerts by the Events API v2.
import { z } from 'zod'
import type { Severity } from '../../data/prisma/enums.ts'
import { createProvider } from '../provider-kit/create-provider.ts'
import { regionalBaseUrl } from '../provider-kit/credentials.ts'
import { exchange } from '../provider-kit/exchange.ts'
import { endpointTarget } from '../provider-kit/target.ts'

const regions = { us: 'https://events.pagerduty.com', eu: 'https://events.eu.pagerduty.com' }

const severities = { high: 'critical', medium: 'error', low: 'warning', none: 'info' } satisfies Record<
  Severity,
  string
>

/** PagerDuty's limit, in characters. */
const MAX_SUMMARY = 1024

export const pagerduty = createProvider({
  settings: z.object({ baseUrl: regionalBaseUrl("the endpoint's region") }),
  target: endpointTarget('incident_service'),
  send({ to: { routingKey, region }, settings: { baseUrl = regions[region] }, message, outbound }) {
    const { deliveryId, content, workflow, subscriber, payload } = message
    const { key, action } = content.incident ?? { key: deliveryId, action: 'trigger' }
    return exchange(message, outbound, {
      url: `${baseUrl}/v2/enqueue`,
      body: {
        routing_key: routingKey,
        event_action: action,
        dedup_key: key,
        payload: {
          summary: (content.subject ?? content.body).slice(0, MAX_SUMMARY),
          source: workflow.identifier,
          severity: severities[workflow.severity],
          custom_details: { message: content.body, subscriberId: subscriber.subscriberId, payload },
        },
      },
    })
  },
})
