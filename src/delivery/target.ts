// Reads a message's target. Each provider asks for the kind of target that it delivers to.
import type { Endpoint } from '../domain/endpoint-type.ts'
import type { Message, ResolvedTarget } from '../engine/message.ts'
import { DeliveryFailure } from './provider.ts'

const namesOfKinds = {
  email: 'an email address',
  phone: 'a phone number',
  webhook: 'a webhook',
  device: 'a device',
} satisfies Record<Exclude<ResolvedTarget['kind'], 'endpoint'>, string>

/** The failure of a message whose target its provider does not deliver to. */
export function misdirected(target: ResolvedTarget, served: string): DeliveryFailure {
  const given = target.kind === 'endpoint' ? `an endpoint of type ${target.endpoint.type}` : namesOfKinds[target.kind]
  return new DeliveryFailure(`The provider delivers to ${served}, not to ${given}`, { permanent: true })
}

/** @throws DeliveryFailure if the target is of another kind, as do all functions below. */
export function emailTarget({ target }: Message): string {
  if (target.kind === 'email') return target.address
  throw misdirected(target, namesOfKinds.email)
}

/** A phone number in E.164 format. */
export function phoneTarget({ target }: Message): string {
  if (target.kind === 'phone') return target.phoneNumber
  if (target.kind === 'endpoint' && target.endpoint.type === 'phone') return target.endpoint.phoneNumber
  throw misdirected(target, namesOfKinds.phone)
}

/** A device token. */
export function deviceTarget({ target }: Message): string {
  if (target.kind === 'device') return target.token
  throw misdirected(target, namesOfKinds.device)
}

/** A webhook, and the channel that the endpoint names. */
export function webhookTarget({ target }: Message): { readonly url: string; readonly channel: string | undefined } {
  if (target.kind === 'webhook') return { url: target.url, channel: undefined }
  if (target.kind === 'endpoint' && target.endpoint.type === 'webhook') {
    return { url: target.endpoint.url, channel: target.endpoint.channel }
  }
  throw misdirected(target, namesOfKinds.webhook)
}

/** A channel endpoint of one of these types. */
export function endpointTarget<Type extends Endpoint['type']>(
  { target }: Message,
  ...types: readonly Type[]
): Extract<Endpoint, { readonly type: Type }> {
  const isServed = (endpoint: Endpoint): endpoint is Extract<Endpoint, { readonly type: Type }> =>
    types.some((type) => type === endpoint.type)
  if (target.kind === 'endpoint' && isServed(target.endpoint)) return target.endpoint
  throw misdirected(target, `an endpoint of type ${types.join(' or ')}`)
}
