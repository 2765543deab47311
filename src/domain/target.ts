// The target of a delivery, as stored: secrets are looked up again when the message is sent.
import { createHash } from 'node:crypto'
import type { Prisma } from '../data/prisma/client.ts'
import type { EndpointType } from '../data/prisma/enums.ts'
import type { ProviderId } from './provider-id.ts'

/** What leads to a destination, as a delivery keeps it: secrets are looked up again when it is sent. */
export type StoredTarget =
  | { readonly kind: 'email'; readonly address: string }
  | { readonly kind: 'phone'; readonly phoneNumber: string }
  | { readonly kind: 'endpoint'; readonly identifier: string; readonly type: EndpointType }
  /** The subscriber's own credential: the webhook of a chat, or one device of a push provider by its token's digest. */
  | { readonly kind: 'webhook'; readonly credential: CredentialName }
  | { readonly kind: 'device'; readonly credential: CredentialName; readonly tokenHash: string; readonly hint: string }
interface CredentialName {
  readonly providerId: ProviderId
  readonly integrationIdentifier: string | null
}

/** The target in a column: nothing else is written there. */
export const storedTarget = (stored: Prisma.JsonValue) => stored as unknown as StoredTarget

/** What recognises a device token without being one. */
export const hashToken = (token: string) => createHash('sha256').update(token).digest('hex')

/** What a destination is called in the story of an event: nothing that opens it. */
export function describeTarget(target: StoredTarget): string {
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
  }
}
