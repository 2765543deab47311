// Suppressions: addresses to which nothing is sent, since when and why.
import { z } from 'zod'
import type { Suppression as Row } from '../../data/prisma/client.ts'
import { SuppressionReason } from '../../data/prisma/enums.ts'
import {
  type AddedSuppression,
  suppressionPages,
  suppressionsById,
  suppressionsOfAddress,
} from '../../data/suppression/suppression.ts'
import { Refusal, refuse, refuseTaken } from '../../lib/errors.ts'
import { createdConditions, order, pageRequest, time } from '../../lib/page.ts'
import { severalOf, valuesOf } from '../../lib/several.ts'
import { filterOf, parse, storableText, text } from '../../lib/validation.ts'
import { type Address, addressChannels, addressKeyOf, hashAddress, isAddress } from '../address/address.ts'
import { type AddressToSuppress, MAX_SUPPRESSION_DETAIL, suppressAddresses } from '../address/suppress.ts'
import { isInForce, suppressionInWords } from '../address/suppressed.ts'
import { contextInput, contextKeysFilter, contextKeysOf } from '../context.ts'
import { audit } from '../resolver/audit.ts'
import { decryptOf, ifDecryptable } from '../resolver/decrypt.ts'
import { mutation, query } from '../resolver/resolver.ts'
import type { Scope } from '../resolver/scope.ts'
import { requireUsedIntegration, usedIntegration } from '../used-integration.ts'

/** A suppression, as callers see it. */
export interface Suppression extends Omit<Row, 'addressHash' | 'addressCipher' | 'scope'> {
  /** Null if only the hash was kept, or if it cannot be decrypted. */
  readonly address: string | null
  /** Since when and why nothing is sent to the address, in a sentence. */
  readonly explanation: string
}

/** Maximum suppressions in one bulk write. */
export const MAX_SUPPRESSIONS = 100

const channel = z.enum(addressChannels)

/** Decrypts the address of a suppression. */
function shown<Found extends Row>(scope: Scope, row: Found): Found & Suppression {
  const { id, addressCipher } = row
  const open = () => (addressCipher === null ? null : decryptOf(`suppression "${id}"`, scope, addressCipher))
  const address = ifDecryptable(open) ?? null
  return { ...row, address, explanation: suppressionInWords(address ?? 'An address', row) }
}

export const suppression = query({
  name: 'suppression.get',
  permission: 'suppression:read',
  input: z.object({ id: z.uuid() }),
  async run(scope, { id }): Promise<Suppression | null> {
    const found = await scope.load(suppressionsById, id)
    return found && shown(scope, found)
  },
})

const filter = filterOf({
  channel,
  channels: severalOf(channel),
  reason: z.enum(SuppressionReason),
  reasons: severalOf(z.enum(SuppressionReason)),
  address: text(320, 1),
  contextKeys: contextKeysFilter,
  ...createdConditions,
})

/** The hashes of an address as an email address and as a phone number. Empty if nothing was ever suppressed. */
async function hashesOf(scope: Scope, address: string): Promise<readonly string[]> {
  const addressKey = await addressKeyOf(scope)
  if (addressKey === null) return []
  return addressChannels.map((one) => hashAddress(scope, addressKey, { channel: one, address }))
}

export const suppressions = query({
  name: 'suppression.list',
  permission: 'suppression:read',
  input: z.object({ page: pageRequest, orderBy: order, filter }),
  async run(scope, { page, orderBy, filter: { channel, channels, reason, reasons, address, ...rest } }) {
    const addressHash = address === undefined ? undefined : await hashesOf(scope, address)
    const found = await scope.load(suppressionPages, {
      parent: scope.environmentId,
      page,
      orderBy,
      filter: {
        ...rest,
        channel: valuesOf(channel, channels),
        reason: valuesOf(reason, reasons),
        ...(addressHash !== undefined && { addressHash }),
      },
    })
    return { ...found, rows: found.rows.map((row) => shown(scope, row)) }
  },
})

/** The suppressions in force of the addresses in a profile, oldest first. Batched. */
export const suppressionsOfProfile = query({
  name: 'suppression.listOfProfile',
  permission: 'suppression:read',
  input: z.object({ email: z.string().nullable(), phone: z.string().nullable() }),
  async run(scope, { email, phone }): Promise<readonly Suppression[]> {
    const addressKey = await addressKeyOf(scope)
    if (addressKey === null) return []
    const addresses: readonly Address[] = [
      ...(email ? [{ channel: 'email' as const, address: email }] : []),
      ...(phone ? [{ channel: 'sms' as const, address: phone }] : []),
    ]
    const found = await Promise.all(
      addresses.map((one) =>
        scope.load(suppressionsOfAddress, {
          channel: one.channel,
          addressHash: hashAddress(scope, addressKey, one),
        }),
      ),
    )
    const now = scope.now()
    return found
      .flat()
      .filter((one) => isInForce(one, now))
      .toSorted((one, other) => one.createdAt.getTime() - other.createdAt.getTime())
      .map((row) => shown(scope, row))
  },
})

/** A time, also as text in ISO 8601, as imports have it. */
const anyTime = z.preprocess(
  (value) => (typeof value === 'string' ? new Date(value) : value),
  time.refine((value) => !Number.isNaN(value.getTime())),
)

/** The input schema of a suppression. */
const newSuppression = z.object({
  channel,
  address: storableText.max(320),
  reason: z.enum(SuppressionReason).nullish(),
  detail: text(MAX_SUPPRESSION_DETAIL).nullish(),
  ...usedIntegration,
  context: contextInput,
  expiresAt: anyTime.nullish(),
})
type NewSuppression = z.output<typeof newSuppression>

const allowed = {
  email: 'address must be an email address',
  sms: 'address must be a phone number in E.164 format, such as +4915123456789',
} as const

/** @throws Refusal `INVALID` or `NOT_FOUND`, which names the field. */
async function read(scope: Scope, given: NewSuppression, standard: SuppressionReason): Promise<AddressToSuppress> {
  const { channel, address, reason, detail = null, context, expiresAt = null, ...integration } = given
  if (!isAddress({ channel, address })) throw refuse('INVALID', allowed[channel], 'address')
  if (expiresAt !== null && expiresAt <= scope.now()) {
    throw refuse('INVALID', 'expiresAt must be in the future', 'expiresAt')
  }
  const isLimited = integration.integrationId != null || integration.integrationIdentifier != null
  const used = isLimited ? await requireUsedIntegration(scope, integration) : undefined
  if (used !== undefined && used.channel !== channel) {
    const field = integration.integrationId == null ? 'integrationIdentifier' : 'integrationId'
    throw refuse('INVALID', `${field} must be an integration of the channel ${channel}`, field)
  }
  return {
    ...{ channel, address, detail, expiresAt, reason: reason ?? standard },
    integrationId: used?.id ?? null,
    contextKeys: contextKeysOf(context),
  }
}

/**
 * Suppresses an address. If it is suppressed for a shorter time or a weaker reason, that is replaced.
 *
 * @throws Refusal `CONFLICT` if it is suppressed already.
 */
export const createSuppression = mutation({
  name: 'suppression.create',
  permission: 'suppression:write',
  input: newSuppression,
  async run(scope, given): Promise<Suppression> {
    const [created] = await suppressAddresses(scope, [await read(scope, given, 'manual')])
    if (created === undefined) throw refuseTaken(`"${given.address}" is suppressed already`, 'address', given.address)
    const { id, channel, reason } = created
    audit(scope, 'suppression created', { environmentId: scope.environmentId, suppressionId: id, channel, reason })
    return shown(scope, created)
  },
})

/** An item of a bulk write that failed. */
export interface SuppressionFailure {
  /** The index in the input. */
  readonly index: number
  /** Null if the item has none. */
  readonly address: string | null
  readonly message: string
}

interface CreatedSuppressions {
  /** Those that were created, or that replaced another one of the address. */
  readonly suppressions: readonly (AddedSuppression & Suppression)[]
  /** The number of valid items whose address was suppressed already. */
  readonly existing: number
  readonly failed: readonly SuppressionFailure[]
}

const named = z.object({ address: z.string().max(320) })

async function readItem(scope: Scope, item: unknown): Promise<AddressToSuppress | Refusal> {
  if (item instanceof Refusal) return item
  try {
    return await read(scope, parse(newSuppression, item), 'import')
  } catch (error) {
    if (error instanceof Refusal && error.kind !== 'UNAVAILABLE') return error
    throw error
  }
}

/** Suppresses many addresses. Invalid items fail alone. Writing the same items again changes nothing. */
export const createSuppressions = mutation({
  name: 'suppression.bulk',
  permission: 'suppression:write',
  rate: { category: 'configuration', cost: 100 },
  input: z.object({ suppressions: z.array(z.unknown()).min(1).max(MAX_SUPPRESSIONS) }),
  async run(scope, { suppressions: given }): Promise<CreatedSuppressions> {
    const items = await Promise.all(given.map((item) => readItem(scope, item)))
    const valid = items.flatMap((item) => (item instanceof Refusal ? [] : item))
    const failed = items.flatMap((item, index) => {
      if (!(item instanceof Refusal)) return []
      return { index, address: named.safeParse(given[index]).data?.address ?? null, message: item.message }
    })
    const added = await suppressAddresses(scope, valid)
    if (added.length > 0) {
      audit(scope, 'suppressions created', { environmentId: scope.environmentId, created: added.length })
    }
    return { suppressions: added.map((row) => shown(scope, row)), existing: valid.length - added.length, failed }
  },
})

/** Deletes a suppression, so that messages are sent to the address again. */
export const deleteSuppression = mutation({
  name: 'suppression.delete',
  permission: 'suppression:write',
  input: z.object({ id: z.uuid() }),
  async run(scope, { id }): Promise<Suppression> {
    const { db, environmentId } = scope
    const found = await scope.load(suppressionsById, id)
    const { count } = await db.suppression.deleteMany({ where: { environmentId, id } })
    if (found === null || count === 0) throw refuse('NOT_FOUND', `Suppression "${id}" not found`, 'id', id)
    const { channel, reason } = found
    audit(scope, 'suppression deleted', { environmentId, suppressionId: id, channel, reason })
    return shown(scope, found)
  },
})
