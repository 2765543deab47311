// Grafana OnCall, standalone or as a part of Grafana: alerts by the formatted webhook.
import { z } from 'zod'
import { createProvider } from '../provider-kit/create-provider.ts'
import { bearer, exchange } from '../provider-kit/exchange.ts'
import { DeliveryFailure } from '../provider-kit/provider.ts'
import { endpointTarget } from '../provider-kit/target.ts'

/** Serves `grafana` and `grafana-on-call`. The endpoint's URL is the secret. */
export const grafana = createProvider({
  settings: z.object({}),
  target: endpointTarget('oncall_integration'),
  send({ to: { url, authToken }, message, outbound }) {
    const { deliveryId, content, workflow } = message
    const { key, action } = content.incident ?? { key: deliveryId, action: 'trigger' }
    if (action === 'acknowledge') {
      throw new DeliveryFailure('Grafana OnCall cannot acknowledge an alert by its webhook.', { permanent: true })
    }
    return exchange(message, outbound, {
      url,
      headers: authToken === undefined ? {} : bearer(authToken),
      body: {
        alert_uid: key,
        title: content.subject ?? workflow.name,
        message: content.body,
        state: action === 'resolve' ? 'ok' : 'alerting',
      },
    })
  },
})
