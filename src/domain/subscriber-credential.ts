// Sets, extends and deletes a subscriber's credentials of one provider.
import { writeCredentials } from '../data/subscriber-credential.ts'
import { refuse } from '../lib/errors.ts'
import { present } from '../lib/present.ts'
import { channelCredential, credentialRow, loadCredentials } from './credential.ts'
import { mutation } from './resolver/resolver.ts'
import { subscriberId } from './subscriber-id.ts'
import { lockedSubscriber } from './subscriber.ts'

const addressed = channelCredential.extend({ subscriberId })

// The subscriber is locked, because its credentials are read and then written.

/** Replaces the credentials of a provider. */
export const setSubscriberCredentials = mutation({
  name: 'subscriber.setCredentials',
  permission: 'subscriber:write',
  input: addressed,
  async run(scope, { subscriberId, ...given }) {
    const subscriber = await lockedSubscriber(scope, subscriberId)
    await writeCredentials(scope, [await credentialRow(scope, subscriberId, given)], scope.now())
    return subscriber
  },
})

/** Adds device tokens. A webhook URL replaces the old one; null leaves it unchanged. */
export const appendSubscriberCredentials = mutation({
  name: 'subscriber.appendCredentials',
  permission: 'subscriber:write',
  input: addressed,
  async run(scope, { subscriberId, ...given }) {
    const subscriber = await lockedSubscriber(scope, subscriberId)
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
  input: addressed.pick({ subscriberId: true, providerId: true, integrationIdentifier: true }),
  async run(scope, { subscriberId, providerId, integrationIdentifier }) {
    const subscriber = await lockedSubscriber(scope, subscriberId)
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
