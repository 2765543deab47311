// Opsgenie: alerts by the Alert API.
import { z } from 'zod'
import type { Severity } from '../../data/prisma/enums.ts'
import { createProvider } from '../provider-kit/create-provider.ts'
import { regionalBaseUrl } from '../provider-kit/credentials.ts'
import { exchange } from '../provider-kit/exchange.ts'
import { endpointTarget } from '../provider-kit/target.ts'

const regions = { us: 'https://api.opsgenie.com', eu: 'https://api.eu.opsgenie.com' }

const priorities = { high: 'P1', medium: 'P2', low: 'P4', none: 'P5' } satisfies Record<Severity, string>

const requests = { acknowledge: 'acknowledge', resolve: 'close' }

/** Opsgenie's limits, in characters except for the number of tags. */
const MAX_MESSAGE = 130
const MAX_DESCRIPTION = 15_000
const MAX_TAGS = 20
const MAX_TAG = 50

export const opsgenie = createProvider({
  settings: z.object({ baseUrl: regionalBaseUrl("the endpoint's region") }),
  target: endpointTarget('alerting_integration'),
  send({ to: { apiKey, region }, settings: { baseUrl = regions[region] }, message, outbound }) {
    const { deliveryId, content, workflow, subscriber } = message
    const { key, action } = content.incident ?? { key: deliveryId, action: 'trigger' }
    const headers = { authorization: `GenieKey ${apiKey}` }
    if (action !== 'trigger') {
      return exchange(message, outbound, {
        url: `${baseUrl}/v2/alerts/${encodeURIComponent(key)}/${requests[action]}?identifierType=alias`,
        headers,
        body: { source: workflow.identifier, note: content.body.slice(0, MAX_DESCRIPTION) },
      })
    }
    return exchange(message, outbound, {
      url: `${baseUrl}/v2/alerts`,
      headers,
      body: {
        message: (content.subject ?? content.body).slice(0, MAX_MESSAGE),
        alias: key,
        description: content.body.slice(0, MAX_DESCRIPTION),
        priority: priorities[workflow.severity],
        source: workflow.identifier,
        tags: workflow.tags.slice(0, MAX_TAGS).map((tag) => tag.slice(0, MAX_TAG)),
        details: { subscriberId: subscriber.subscriberId },
      },
    })
  },
})
