// Grafana OnCall, alone or as a part of Grafana: an alert by a formatted webhook.
import { bearer, exchange } from '../exchange.ts'
import type { Provider } from '../provider.ts'
import { endpointOf } from '../target.ts'

/** `grafana` and `grafana-on-call`. The address holds the routing secret. */
export const grafana: Provider = (envelope, outbound) => {
  const { url, authToken } = endpointOf(envelope, 'oncall_integration')
  const { deliveryId, content, workflow } = envelope
  return exchange(envelope, outbound, {
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
