// Grafana OnCall, standalone or as a part of Grafana: alerts by the formatted webhook.
import { bearer, exchange } from '../exchange.ts'
import type { Provider } from '../provider.ts'
import { endpointTarget } from '../target.ts'

/** Serves `grafana` and `grafana-on-call`. The endpoint's URL is the secret. */
export const grafana: Provider = (message, outbound) => {
  const { url, authToken } = endpointTarget(message, 'oncall_integration')
  const { deliveryId, content, workflow } = message
  return exchange(message, outbound, {
    url,
    headers: authToken === undefined ? {} : bearer(authToken),
    body: {
      alert_uid: deliveryId,
      title: content.subject ?? workflow.name,
      message: content.body,
      state: 'alerting',
    },
  })
}
