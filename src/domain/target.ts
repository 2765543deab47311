// The target of a delivery as stored. It has no secrets: those are looked up when the message is sent.
import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { Prisma } from '../data/prisma/client.ts'
import { EndpointType } from '../data/prisma/enums.ts'
import { providerId } from './provider-id.ts'

/** Identifies one of the subscriber's credentials. */
const credential = z.object({ providerId, integrationIdentifier: z.string().nullable() })

const target = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('email'), address: z.string() }),
  z.object({ kind: z.literal('phone'), phoneNumber: z.string() }),
  z.object({ kind: z.literal('endpoint'), identifier: z.string(), type: z.enum(EndpointType) }),
  z.object({ kind: z.literal('webhook'), credential }),
  /** One device of a credential. `hint` has the last characters of its token. */
  z.object({ kind: z.literal('device'), credential, tokenHash: z.string(), hint: z.string() }),
])

/** Where a message goes: the subscriber's e-mail address or phone number, a channel endpoint or a credential. */
export type Target = z.output<typeof target>

/** The target in a column. */
export function targetOf(stored: Prisma.JsonValue): Target {
  return target.parse(stored)
}

/** The SHA-256 hash of a device token, hexadecimal. */
export const hashToken = (token: string) => createHash('sha256').update(token).digest('hex')

/** A display name of the target, without secrets. */
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
  }
}
