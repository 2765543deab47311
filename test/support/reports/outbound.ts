// An outbound that answers in place of Amazon SNS.
import { createOutbound, type Outbound } from '../../../src/delivery/network/outbound.ts'
import { snsCertificate } from './signed.ts'

/** @returns the outbound, and the URLs that it was asked to fetch. */
export function outboundOf(): { readonly outbound: Outbound; readonly urls: readonly string[] } {
  const urls: string[] = []
  const outbound: Outbound = {
    ...createOutbound({ allowPrivateAddresses: false }),
    fetchBytes({ url }) {
      urls.push(url)
      const bytes = url.endsWith('.pem') ? snsCertificate : Buffer.from('<ConfirmSubscriptionResponse/>')
      return Promise.resolve({ status: 200, bytes, type: 'text/plain' })
    },
  }
  return { outbound, urls }
}
