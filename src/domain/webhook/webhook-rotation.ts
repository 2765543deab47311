// Rotation of the signing secret of a webhook subscription.
import { z } from 'zod'
import { audit } from '../resolver/audit.ts'
import { mutation } from '../resolver/resolver.ts'
import { newWebhookSecret, webhookSecret } from './webhook-secret.ts'
import {
  heldSubscription,
  namedWebhookSubscription,
  sealSecret,
  shownSubscription,
  type SubscriptionWithSecret,
} from './webhook-subscription.ts'

/** Seconds that the former secret signs, too, after a rotation: by default, and at most. */
export const KEEP_OLD = { standard: 86_400, most: 7 * 86_400 } as const

/** Replaces the secret. Until the former one ends, requests have both signatures. */
export const rotateWebhookSecret = mutation({
  name: 'webhookSubscription.rotateSecret',
  permission: 'webhookSubscription:write',
  secret: true,
  input: namedWebhookSubscription.extend({
    secret: webhookSecret.nullish(),
    keepOldFor: z.int().min(0).max(KEEP_OLD.most).nullish(),
  }),
  async run(scope, { secret: own, keepOldFor, ...given }): Promise<SubscriptionWithSecret> {
    const { db, environmentId, now } = scope
    const present = await heldSubscription(scope, given)
    const secret = own ?? newWebhookSecret()
    const rotatedAt = now()
    const seconds = keepOldFor ?? KEEP_OLD.standard
    const former = { formerSecret: present.secret, formerSecretUntil: new Date(rotatedAt.getTime() + seconds * 1000) }
    const row = await db.webhookSubscription.update({
      where: { environmentId_id: { environmentId, id: present.id } },
      data: {
        secret: sealSecret(scope, secret),
        ...(seconds === 0 ? { formerSecret: null, formerSecretUntil: null } : former),
        updatedAt: rotatedAt,
      },
    })
    audit(scope, 'webhook secret rotated', { subscription: row.identifier })
    return { subscription: shownSubscription(scope, row), secret }
  },
})
