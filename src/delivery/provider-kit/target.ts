// Reads a message's target. Each provider names the reader of the targets it supports.
import type { EndpointType } from '../../data/prisma/enums.ts'
import type { Endpoint } from '../../domain/channel/endpoint-type.ts'
import type { OwnTargetKind, ResolvedConnection, ResolvedTarget } from '../../domain/channel/provider-directory.ts'
import { DeliveryFailure } from './provider.ts'

const namesOfKinds = {
  email: 'an email address',
  phone: 'a phone number',
  webhook: 'a webhook',
  device: 'a device',
} satisfies Record<OwnTargetKind, string>

/** Reads the targets that a provider supports. */
export interface TargetReader<To> {
  /** The kinds of targets besides endpoints. */
  readonly kinds: readonly OwnTargetKind[]
  readonly endpointTypes: readonly EndpointType[]
  /** A description of the supported targets. */
  readonly served: string
  /** Undefined if the target is of another kind. */
  readonly find: (target: ResolvedTarget) => To | undefined
}

/** The failure of a message whose provider does not support its target. */
export function misdirected(target: ResolvedTarget, served: string): DeliveryFailure {
  const given = target.kind === 'endpoint' ? `an endpoint of type ${target.endpoint.type}` : namesOfKinds[target.kind]
  return new DeliveryFailure(`The provider delivers to ${served}, not to ${given}`, {
    permanent: true,
    failureCause: 'destination_not_supported',
  })
}

export const emailTarget: TargetReader<string> = {
  kinds: ['email'],
  endpointTypes: [],
  served: namesOfKinds.email,
  find: (target) => (target.kind === 'email' ? target.address : undefined),
}

/** A phone number in E.164 format. */
export const phoneTarget: TargetReader<string> = {
  kinds: ['phone'],
  endpointTypes: ['phone'],
  served: namesOfKinds.phone,
  find(target) {
    if (target.kind === 'phone') return target.phoneNumber
    return target.kind === 'endpoint' && target.endpoint.type === 'phone' ? target.endpoint.phoneNumber : undefined
  },
}

/** A device token. */
export const deviceTarget: TargetReader<string> = {
  kinds: ['device'],
  endpointTypes: [],
  served: namesOfKinds.device,
  find: (target) => (target.kind === 'device' ? target.token : undefined),
}

export interface Webhook {
  readonly url: string
  /** The channel that the endpoint names. */
  readonly channel: string | undefined
}

export const webhookTarget: TargetReader<Webhook> = {
  kinds: ['webhook'],
  endpointTypes: ['webhook'],
  served: namesOfKinds.webhook,
  find(target) {
    if (target.kind === 'webhook') return { url: target.url, channel: undefined }
    if (target.kind !== 'endpoint' || target.endpoint.type !== 'webhook') return undefined
    return { url: target.endpoint.url, channel: target.endpoint.channel }
  },
}

/** A channel endpoint of one of these types. */
export function endpointTarget<Type extends Endpoint['type']>(
  ...types: readonly Type[]
): TargetReader<Extract<Endpoint, { readonly type: Type }>> {
  const isServed = (endpoint: Endpoint): endpoint is Extract<Endpoint, { readonly type: Type }> =>
    types.some((type) => type === endpoint.type)
  return {
    kinds: [],
    endpointTypes: types,
    served: `an endpoint of type ${types.join(' or ')}`,
    find: (target) => (target.kind === 'endpoint' && isServed(target.endpoint) ? target.endpoint : undefined),
  }
}

/** Tries two readers in turn. */
export function eitherTarget<One, Other>(
  one: TargetReader<One>,
  other: TargetReader<Other>,
): TargetReader<One | Other> {
  return {
    kinds: [...one.kinds, ...other.kinds],
    endpointTypes: [...one.endpointTypes, ...other.endpointTypes],
    served: `${one.served} or ${other.served}`,
    find: (target) => one.find(target) ?? other.find(target),
  }
}

/**
 * Returns the channel connection of a message. Undefined if its endpoint names none.
 *
 * @throws DeliveryFailure that names the connection if it cannot be used.
 */
export function connectionOfTarget(
  target: ResolvedTarget,
): Exclude<ResolvedConnection, { objection: string }> | undefined {
  const connection = target.kind === 'endpoint' ? target.connection : undefined
  if (connection === undefined || !('objection' in connection)) return connection
  throw new DeliveryFailure(connection.objection, { permanent: true, failureCause: 'connection_unusable' })
}
