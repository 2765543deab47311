// A message to Ada as the engine passes it to providers, and helpers to deliver it.
import { expect, onTestFinished } from 'vitest'
import { createOutbound, type OutboundOptions } from '../../../src/delivery/network/outbound.ts'
import { providerFor } from '../../../src/delivery/sending/provider-registry.ts'
import { withPlainText } from '../../../src/delivery/provider-kit/content.ts'
import { DeliveryFailure, type OutgoingMessage, type Receipt } from '../../../src/delivery/provider-kit/provider.ts'
import type { Endpoint } from '../../../src/domain/channel/endpoint-type.ts'
import type { ProviderId } from '../../../src/domain/channel/provider-id.ts'
import type { ResolvedTarget } from '../../../src/domain/channel/provider-directory.ts'
import type { Message } from '../../../src/engine/message.ts'
import { evaluatorOf } from '../evaluation.ts'

export const deliveryId = '0199a2c4-7f10-7c3e-9a51-3f6f2f1d0b11'

export const ada: OutgoingMessage = {
  deliveryId,
  environmentId: '0199a2c4-7f10-7c3e-9a51-3f6f2f1d0b10',
  channel: 'tool',
  providerId: 'tool-webhook',
  integration: { id: '0199a2c4-7f10-7c3e-9a51-3f6f2f1d0b12', identifier: 'tools' },
  content: { subject: 'Shipped', body: 'Your order is on its way.' },
  eventId: '0199a2c4-7f10-7c3e-9a51-3f6f2f1d0b13',
  transactionId: 'order-1',
  traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  workflow: { identifier: 'order-shipped', name: 'Order shipped', severity: 'high', tags: ['orders'] },
  subscriber: {
    subscriberId: 'ada',
    firstName: 'Ada',
    lastName: 'Lovelace',
    email: 'ada@example.com',
    phone: '+4915123456789',
    avatar: null,
    locale: 'en_GB',
    timezone: 'Europe/London',
    data: { plan: 'pro' },
  },
  contextKeys: ['tenant:acme'],
  payload: { total: 120 },
  secrets: [],
  linkToken: null,
  overrides: [],
  target: { kind: 'email', address: 'ada@example.com' },
  credentials: {},
  plainText: null,
  isCritical: false,
  dueSince: new Date(0),
}

export const toEmail: ResolvedTarget = { kind: 'email', address: 'ada@example.com' }
export const toPhone: ResolvedTarget = { kind: 'phone', phoneNumber: '+4915123456789' }
export const toDevice: ResolvedTarget = { kind: 'device', token: 'ExponentPushToken[0123456789]' }

export function toEndpoint(endpoint: Endpoint): ResolvedTarget {
  return { kind: 'endpoint', endpoint }
}

/** Allows private addresses unless overridden, because test receivers listen on loopback. */
export async function deliver(
  providerId: ProviderId,
  message: Partial<Message>,
  options: Partial<OutboundOptions> = {},
): Promise<Receipt> {
  const provider = providerFor(providerId)
  if (provider === undefined) throw new Error(`there is no provider ${providerId}`)
  const outbound = createOutbound({ allowPrivateAddresses: true, ...options })
  onTestFinished(() => outbound.close())
  const outgoing = { ...ada, ...message }
  const channel = outgoing.target.kind === 'email' ? 'email' : outgoing.channel
  return provider.send(await withPlainText(evaluatorOf('messages'), { ...outgoing, channel }), outbound)
}

/** Returns the error of a delivery that must fail. */
export async function failureOf(attempt: Promise<Receipt>): Promise<DeliveryFailure> {
  const error = await attempt.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(DeliveryFailure)
  return error as DeliveryFailure
}
