// Sets, extends and deletes a subscriber's credentials of one provider, and removes tokens that are not in use any more.
import { storedCredentials, writeCredentials } from '../data/subscriber-credential.ts'
import { lockSubscriber } from '../data/subscriber.ts'
import { refuse } from '../lib/errors.ts'
import { present } from '../lib/present.ts'
import { channelCredential, credentialRow, encryptTokens, loadCredentials, tokensOf } from './credential.ts'
import { referenceOf } from './resolver/reference.ts'
import { mutation } from './resolver/resolver.ts'
import type { EnvironmentScope } from './resolver/scope.ts'
import { subscriberReference } from './subscriber-id.ts'
import { lockedSubscriber } from './subscriber.ts'

const addressed = channelCredential.extend(subscriberReference)

// The subscriber is locked, because its credentials are read and then written.

/** Replaces the credentials of a provider. */
export const setSubscriberCredentials = mutation({
  name: 'subscriber.setCredentials',
  permission: 'subscriber:write',
  input: addressed,
  async run(scope, { subscriberId: named, id, ...given }) {
    const subscriber = await lockedSubscriber(scope, referenceOf({ subscriberId: named }, { id }))
    const { subscriberId } = subscriber
    await writeCredentials(scope, [await credentialRow(scope, subscriberId, given)], scope.now())
    return subscriber
  },
})

/** Adds device tokens. A webhook URL replaces the old one; null leaves it unchanged. */
export const appendSubscriberCredentials = mutation({
  name: 'subscriber.appendCredentials',
  permission: 'subscriber:write',
  input: addressed,
  async run(scope, { subscriberId: named, id, ...given }) {
    const subscriber = await lockedSubscriber(scope, referenceOf({ subscriberId: named }, { id }))
    const { subscriberId } = subscriber
    const kept = (await loadCredentials(scope, subscriberId)).find(
      (row) =>
        row.providerId === given.providerId && row.integrationIdentifier === (given.integrationIdentifier ?? null),
    )
    const merged = {
      webhookUrl: given.credentials.webhookUrl ?? kept?.webhookUrl,
      deviceTokens: [...(kept?.deviceTokens ?? []), ...(given.credentials.deviceTokens ?? [])],
    }
    await writeCredentials(
      scope,
      [await credentialRow(scope, subscriberId, { ...given, credentials: merged })],
      scope.now(),
    )
    return subscriber
  },
})

/** Deletes the credentials of a provider: of one integration if named, otherwise of all. */
export const deleteSubscriberCredentials = mutation({
  name: 'subscriber.deleteCredentials',
  permission: 'subscriber:write',
  input: addressed.pick({ subscriberId: true, id: true, providerId: true, integrationIdentifier: true }),
  async run(scope, { subscriberId: named, id, providerId, integrationIdentifier }) {
    const subscriber = await lockedSubscriber(scope, referenceOf({ subscriberId: named }, { id }))
    const { subscriberId } = subscriber
    const { environmentId } = scope
    const { count } = await scope.db.subscriberCredential.deleteMany({
      where: { environmentId, subscriberId, providerId, ...present({ integrationIdentifier }) },
    })
    if (count === 0) {
      const whose = integrationIdentifier ? `${providerId} for the integration "${integrationIdentifier}"` : providerId
      throw refuse(
        'NOT_FOUND',
        `Subscriber "${subscriberId}" has no credentials for ${whose}`,
        'providerId',
        providerId,
      )
    }
    return subscriber
  },
})

/**
 * Removes a device token from credentials, because its provider says that the device is no longer registered. Locks the
 * subscriber.
 *
 * @param id the row of the credentials. If they were deleted and created again, the token stays.
 * @returns false if the credentials do not have the token any more.
 */
export async function removeDeviceToken(
  scope: EnvironmentScope,
  { subscriberId, id }: { readonly subscriberId: string; readonly id: string },
  isUnregistered: (token: string) => boolean,
): Promise<boolean> {
  await lockSubscriber(scope, { subscriberId })
  const row = (await scope.load(storedCredentials, subscriberId)).find((stored) => stored.id === id)
  if (row === undefined) return false
  const tokens = tokensOf(scope, row)
  const kept = tokens.filter((token) => !isUnregistered(token))
  if (kept.length === tokens.length) return false
  const { providerId, integrationIdentifier, webhookUrl } = row
  const encryptedTokens = encryptTokens(scope, kept)
  const changed = { id, subscriberId, providerId, integrationIdentifier, webhookUrl, encryptedTokens }
  await writeCredentials(scope, [changed], scope.now())
  return true
}
