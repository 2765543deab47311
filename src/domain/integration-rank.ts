// The rank of an integration in its channel: the primary one, or a fallback.
import { lockEnvironment } from '../data/lock.ts'
import type { Integration as Row } from '../data/prisma/client.ts'
import type { Channel } from '../data/prisma/enums.ts'
import { refuse } from '../lib/errors.ts'
import { channels, channelsAddressedBy } from './channel/channel.ts'
import type { Scope } from './resolver/scope.ts'

type Rank = Pick<Row, 'primary' | 'isFallback'>

const withFallbacks: readonly Channel[] = [...channelsAddressedBy('email'), ...channelsAddressedBy('phone')]

/**
 * @param field the field of the input that leads to the rank.
 * @throws Refusal `INVALID` if a primary integration would be a fallback, or if the channel has no fallbacks.
 */
export function assertRank(channel: Channel, { primary, isFallback }: Rank, field: keyof Rank): void {
  if (!isFallback) return
  if (primary) {
    const message =
      field === 'primary'
        ? 'primary cannot be true, because the integration is a fallback: set isFallback to false with it'
        : 'isFallback cannot be true for a primary integration: set primary to false with it'
    throw refuse('INVALID', message, field, true)
  }
  if (withFallbacks.includes(channel)) return
  const names = withFallbacks.map((one) => channels[one].label).join(' or ')
  const message = `isFallback can only be true for an ${names} integration, because every other destination belongs to one integration`
  throw refuse('INVALID', message, 'isFallback', true)
}

/** Demotes the channel's primary integration unless it has this id, and locks the choice until the transaction ends. */
export async function yieldPrimary(scope: Scope, channel: Channel, to: string): Promise<void> {
  const { db, environmentId, now } = scope
  await lockEnvironment(scope)
  await db.integration.updateMany({
    where: { environmentId, channel, primary: true, id: { not: to } },
    data: { primary: false, updatedAt: now() },
  })
}

/** Checks the rank that an integration will have, and demotes the primary one if it takes its place. */
export async function changeRank(
  scope: Scope,
  { id, channel, ...present }: Row,
  given: { readonly [Field in keyof Rank]?: boolean | undefined },
): Promise<void> {
  const rank = { primary: given.primary ?? present.primary, isFallback: given.isFallback ?? present.isFallback }
  assertRank(channel, rank, given.isFallback === undefined ? 'primary' : 'isFallback')
  if (given.primary) await yieldPrimary(scope, channel, id)
}
