// Reading where a message goes: each provider says which targets it serves.
import type { Endpoint } from '../domain/endpoint-type.ts'
import type { Target } from '../engine/attempt.ts'
import { DeliveryFailure, type Envelope } from './provider.ts'

const namesOfKinds = {
  email: 'an e-mail address',
  phone: 'a phone number',
  webhook: 'a webhook',
  device: 'a device',
} satisfies Record<Exclude<Target['kind'], 'endpoint'>, string>

/** The failure of a message that was addressed to what its provider does not serve. */
export function misdirected(target: Target, served: string): DeliveryFailure {
  const given = target.kind === 'endpoint' ? `an endpoint of type ${target.endpoint.type}` : namesOfKinds[target.kind]
  return new DeliveryFailure(`The provider delivers to ${served}, and not to ${given}`, { permanent: true })
}

/** @throws DeliveryFailure when it is none, as all below. */
export function emailOf({ target }: Envelope): string {
  if (target.kind === 'email') return target.address
  throw misdirected(target, namesOfKinds.email)
}

/** In E.164 form. */
export function phoneOf({ target }: Envelope): string {
  if (target.kind === 'phone') return target.phoneNumber
  if (target.kind === 'endpoint' && target.endpoint.type === 'phone') return target.endpoint.phoneNumber
  throw misdirected(target, namesOfKinds.phone)
}

export function deviceOf({ target }: Envelope): string {
  if (target.kind === 'device') return target.token
  throw misdirected(target, namesOfKinds.device)
}

/** A webhook, and the room behind it where an endpoint names one. */
export function webhookOf({ target }: Envelope): { readonly url: string; readonly channel: string | undefined } {
  if (target.kind === 'webhook') return { url: target.url, channel: undefined }
  if (target.kind === 'endpoint' && target.endpoint.type === 'webhook') {
    return { url: target.endpoint.url, channel: target.endpoint.channel }
  }
  throw misdirected(target, namesOfKinds.webhook)
}

/** An endpoint of one of these types. */
export function endpointOf<Type extends Endpoint['type']>(
  { target }: Envelope,
  ...types: readonly Type[]
): Extract<Endpoint, { readonly type: Type }> {
  const isServed = (endpoint: Endpoint): endpoint is Extract<Endpoint, { readonly type: Type }> =>
    types.some((type) => type === endpoint.type)
  if (target.kind === 'endpoint' && isServed(target.endpoint)) return target.endpoint
  throw misdirected(target, `an endpoint of type ${types.join(' or ')}`)
}
