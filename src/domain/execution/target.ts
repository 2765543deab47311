// The target of a delivery as stored. It contains no secrets: they are looked up when the message is sent.
import { createHash } from 'node:crypto'
import type { Prisma } from '../../data/prisma/client.ts'
import type { EndpointType } from '../../data/prisma/enums.ts'
import type { ProviderId } from '../channel/provider-id.ts'
import { jsonColumn } from '../channel/stored-json.ts'

/** Identifies one of the subscriber's credentials. */
interface CredentialName {
  /** The row id. Null if the row no longer existed when ids were introduced. */
  readonly id: string | null
  readonly providerId: ProviderId
  readonly integrationIdentifier: string | null
}

/** The destination of a message: the subscriber's email address or phone number, a channel endpoint or a credential. */
export type Target =
  | { readonly kind: 'email'; readonly address: string }
  | { readonly kind: 'phone'; readonly phoneNumber: string }
  /** `id` is the row id. Null if the row no longer existed when ids were introduced. */
  | {
      readonly kind: 'endpoint'
      readonly id: string | null
      readonly identifier: string
      readonly type: EndpointType
    }
  | { readonly kind: 'webhook'; readonly credential: CredentialName }
  /** One device of a credential. `hint` contains the last characters of its token. */
  | { readonly kind: 'device'; readonly credential: CredentialName; readonly tokenHash: string; readonly hint: string }
  /** The devices of a credential whose tokens could not be decrypted. The message fails. */
  | { readonly kind: 'devices'; readonly credential: CredentialName }
  /** The target was erased because the subscriber was deleted. */
  | { readonly kind: 'deleted' }

/** Converts the target to a column's value. */
export const targetOf = jsonColumn<Target>()

/** True if the subscriber of a message was deleted, and its target and content were erased. */
export const isErased = ({ target }: { readonly target: Prisma.JsonValue }) => targetOf(target).kind === 'deleted'

/** The SHA-256 hash of a device token, hexadecimal. */
export const hashToken = (token: string) => createHash('sha256').update(token).digest('hex')

/** Returns a display name of the target, without secrets. */
export function describeTarget(target: Target): string {
  switch (target.kind) {
    case 'email':
      return target.address
    case 'phone':
      return target.phoneNumber
    case 'endpoint':
      return `endpoint "${target.identifier}"`
    case 'webhook':
      return `the subscriber's ${target.credential.providerId} webhook`
    case 'device':
      return `device …${target.hint}`
    case 'devices':
      return `the subscriber's ${target.credential.providerId} devices`
    case 'deleted':
      return 'a deleted subscriber'
  }
}
