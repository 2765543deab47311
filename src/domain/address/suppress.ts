// Suppresses addresses: the only function that writes suppressions, for reports of providers, replies, callers and imports.
import { SuppressionReason } from '../../data/prisma/enums.ts'
import {
  addBouncedDays,
  type AddedSuppression,
  addSuppressions,
  deleteBouncedDays,
  type NewSuppression,
} from '../../data/suppression/suppression.ts'
import { recordWebhookMessages } from '../outbox/webhook-message.ts'
import type { EnvironmentScope } from '../resolver/scope.ts'
import { type Address, ensureAddressKey, hashAddress, normalizeAddress } from './address.ts'

/** Maximum length of a detail, in characters. */
export const MAX_SUPPRESSION_DETAIL = 500

/** An address to suppress, and why. */
export interface AddressToSuppress extends Address {
  readonly reason: SuppressionReason
  /** What the provider or the caller said, without secrets. It is shortened. Default: null. */
  readonly detail?: string | null
  /** The message that led to it. Default: null. */
  readonly sourceDeliveryId?: string | null
  /** Row id of the integration whose sender may not write to the address. Default: null, for every sender. */
  readonly integrationId?: string | null
  /** The contexts under which nothing is sent. Default: all messages. */
  readonly contextKeys?: readonly string[]
  /** Default: null, for one that does not end. */
  readonly expiresAt?: Date | null
}

/** The integration and the contexts of a suppression in one text. Context keys do not contain commas. */
const scopeOf = (integrationId: string | null, contextKeys: readonly string[]) =>
  `${integrationId ?? ''} ${contextKeys.join(',')}`.trim()

/** The reasons, the weakest first, as the database compares them. */
const byStrength = Object.values(SuppressionReason)

/** True if a suppression replaces another one of the same address and scope. */
function replaces(one: NewSuppression, other: NewSuppression): boolean {
  const [end, otherEnd] = [one, other].map(({ expiresAt }) => expiresAt?.getTime() ?? Infinity)
  if (end !== otherEnd) return Number(end) > Number(otherEnd)
  return byStrength.indexOf(one.reason) > byStrength.indexOf(other.reason)
}

/** Keeps the one of two suppressions that the database would keep, so that a statement has each only once. */
function keepStronger(rows: Map<string, NewSuppression>, row: NewSuppression): void {
  const key = `${row.channel} ${row.addressHash} ${row.scope}`
  const other = rows.get(key)
  if (other === undefined || replaces(row, other)) rows.set(key, row)
}

/**
 * Suppresses addresses with one statement. Repeating it has no effect: of two suppressions of an address, the one that
 * ends later is kept, and of two that end at the same time the one with the stronger reason. From the commit on, every
 * process leaves the addresses out.
 *
 * @param given in any number. @returns those that were added, or that replaced a weaker reason.
 */
export async function suppressAddresses(
  scope: EnvironmentScope,
  given: readonly AddressToSuppress[],
): Promise<readonly AddedSuppression[]> {
  if (given.length === 0) return []
  const { cipher, environmentId, newId } = scope
  const addressKey = await ensureAddressKey(scope)
  const now = scope.now()
  const rows = new Map<string, NewSuppression>()
  for (const { reason, detail = null, sourceDeliveryId = null, integrationId = null, ...one } of given) {
    const { channel, contextKeys: contexts = [], expiresAt = null } = one
    const contextKeys = [...new Set(contexts)].sort()
    keepStronger(rows, {
      id: newId(),
      channel,
      addressHash: hashAddress(scope, addressKey, one),
      addressCipher: cipher.encrypt(normalizeAddress(one), environmentId),
      reason,
      detail: detail === null ? null : detail.slice(0, MAX_SUPPRESSION_DETAIL),
      sourceDeliveryId,
      integrationId,
      contextKeys,
      scope: scopeOf(integrationId, contextKeys),
      expiresAt,
      createdAt: now,
    })
  }
  const added = await addSuppressions(scope, [...rows.values()], now)
  await recordWebhookMessages(scope, 'suppression.created', () =>
    added.flatMap(({ id, channel, reason, sourceDeliveryId, contextKeys, isNew }) => {
      if (!isNew) return []
      const data = { suppressionId: id, channel, reason, messageId: sourceDeliveryId, contextKeys }
      return { data, contextKeys }
    }),
  )
  if (added.length > 0) {
    const reasons = [...new Set(added.map(({ reason }) => reason))]
    scope.afterCommit(() => scope.log.info({ environmentId, count: added.length, reasons }, 'addresses suppressed'))
  }
  return added
}

/** Days with soft bounces after which an address is suppressed, and the period in which they count. */
const SOFT_BOUNCE_DAYS = 3
export const SOFT_BOUNCE_PERIOD = 14

/** Days for which soft bounces suppress an address. */
const SOFT_BOUNCE_SUPPRESSION = 30

const DAY = 24 * 3600_000

/** A message that bounced for a while, for example because the storage of the recipient was full. */
export interface SoftBounce extends Address, Pick<AddressToSuppress, 'detail' | 'sourceDeliveryId'> {
  readonly at: Date
}

const dayOf = (time: Date) => time.toISOString().slice(0, 10)

/**
 * Counts soft bounces, and suppresses addresses with soft bounces on three different days within 14 days for 30 days.
 * Repeating it has no effect.
 *
 * @returns the suppressions that were added.
 */
export async function countSoftBounces(
  scope: EnvironmentScope,
  given: readonly SoftBounce[],
): Promise<readonly AddedSuppression[]> {
  if (given.length === 0) return []
  const addressKey = await ensureAddressKey(scope)
  const now = scope.now()
  const since = dayOf(new Date(now.getTime() - (SOFT_BOUNCE_PERIOD - 1) * DAY))
  const hashed = given.map((one) => ({ ...one, addressHash: hashAddress(scope, addressKey, one), day: dayOf(one.at) }))
  const full = await addBouncedDays(scope, hashed, since, SOFT_BOUNCE_DAYS)
  const keyOf = ({ channel, addressHash }: (typeof full)[number]) => `${channel} ${addressHash}`
  const fullKeys = new Set(full.map(keyOf))
  const expiresAt = new Date(now.getTime() + SOFT_BOUNCE_SUPPRESSION * DAY)
  const suppressed = hashed.filter((one) => fullKeys.has(keyOf(one)))
  const added = await suppressAddresses(
    scope,
    suppressed.map(({ channel, address, detail, sourceDeliveryId }) => ({
      ...{ channel, address, reason: 'soft_bounces', expiresAt },
      ...(detail !== undefined && { detail }),
      ...(sourceDeliveryId !== undefined && { sourceDeliveryId }),
    })),
  )
  await deleteBouncedDays(
    scope,
    full.map(({ addressHash }) => addressHash),
  )
  return added
}
