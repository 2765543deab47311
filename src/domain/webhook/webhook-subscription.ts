// Webhook subscriptions: receivers of messages about changes.
import { z } from 'zod'
import { whenMissing, whenTaken } from '../../data/driver/database-errors.ts'
import type { WebhookSubscription as Row } from '../../data/prisma/client.ts'
import {
  countSubscriptionsAlone,
  webhookSubscriptionPages,
  webhookSubscriptionsById,
  webhookSubscriptionsByIdentifier,
} from '../../data/webhook/webhook-subscription.ts'
import { refuse, refuseTaken } from '../../lib/errors.ts'
import { order, pageRequest } from '../../lib/page.ts'
import { filterOf, httpUrl, idText, text } from '../../lib/validation.ts'
import { contextKeysFilter, MAX_CONTEXTS } from '../context.ts'
import { typesAmong, webhookEventTypes, type WebhookMessageType } from '../outbox/webhook-type.ts'
import { audit } from '../resolver/audit.ts'
import { DecryptionError, decryptOf } from '../resolver/decrypt.ts'
import { notFound, referenceOf, rowId } from '../resolver/reference.ts'
import { mutation, query } from '../resolver/resolver.ts'
import type { EnvironmentScope, Scope } from '../resolver/scope.ts'
import { assertVersion, expectedVersion } from '../resolver/version.ts'
import { newWebhookSecret, webhookSecret } from './webhook-secret.ts'

/** The maximum number of subscriptions of an environment. */
export const MAX_WEBHOOK_SUBSCRIPTIONS = 20

const MAX_DESCRIPTION = 500

/** A subscription without its secrets. */
export type WebhookSubscription = Omit<
  Row,
  'url' | 'eventTypes' | 'everyContext' | 'contextKeys' | 'secret' | 'formerSecret' | 'formerSecretUntil'
> & {
  /** Null if it cannot be decrypted. */
  readonly url: string | null
  readonly eventTypes: readonly WebhookMessageType[]
  /** Null for messages under all contexts. */
  readonly contextKeys: readonly string[] | null
  /** The time until which the secret before the last rotation signs, too. Null if it does not. */
  readonly formerSecretUntil: Date | null
}

/** A subscription with a secret that cannot be read again. */
export interface SubscriptionWithSecret {
  readonly subscription: WebhookSubscription
  readonly secret: string
}

const ownerOf = ({ identifier }: Pick<Row, 'identifier'>) => `webhook subscription "${identifier}"`

/** Decrypts a secret or the URL of a subscription. @throws DecryptionError */
export const openSecret = (
  scope: Pick<EnvironmentScope, 'cipher' | 'environmentId'>,
  subscription: Pick<Row, 'identifier'>,
  ciphertext: string,
): string => decryptOf(ownerOf(subscription), scope, ciphertext)

function urlOf(scope: Scope, row: Row): string | null {
  try {
    return openSecret(scope, row, row.url)
  } catch (error) {
    if (error instanceof DecryptionError) return null
    throw error
  }
}

/** A subscription as callers see it. */
export function shownSubscription(scope: Scope, row: Row): WebhookSubscription {
  const { url: _url, secret: _secret, formerSecret, formerSecretUntil, everyContext, contextKeys, ...rest } = row
  const isRotating = formerSecret !== null && formerSecretUntil !== null && formerSecretUntil > scope.now()
  return {
    ...rest,
    url: urlOf(scope, row),
    eventTypes: typesAmong(row.eventTypes),
    contextKeys: everyContext ? null : contextKeys,
    formerSecretUntil: isRotating ? formerSecretUntil : null,
  }
}

const identifierLookup = text(255, 1)

/** The fields of an input that name an existing subscription. */
export const webhookSubscriptionReference = { identifier: identifierLookup.nullish(), id: rowId }
export const namedWebhookSubscription = z.object(webhookSubscriptionReference)
export type SubscriptionNamed = z.output<typeof namedWebhookSubscription>

const eventTypes = z
  .array(z.enum(webhookEventTypes))
  .min(1)
  .max(webhookEventTypes.length)
  .transform((given) => [...new Set(given)])

/** The URL of a receiver. Requests have no other credentials than their signature. */
const receiverUrl = httpUrl.refine((value) => {
  // The check before this one says what is wrong with the others.
  if (!URL.canParse(value)) return true
  const { username, password } = new URL(value)
  return username === '' && password === ''
}, 'must have no user name and no password')

const contextKeys = contextKeysFilter.refine(
  (keys) => keys.length <= MAX_CONTEXTS,
  `must name at most ${MAX_CONTEXTS} contexts`,
)

const details = {
  description: text(MAX_DESCRIPTION).nullish(),
  includeContent: z.boolean().nullish(),
  contextKeys: contextKeys.nullish().meta({
    description:
      'Exact set of context keys: only messages under exactly these contexts are sent. Empty for messages without a context. Null for all messages.',
  }),
  active: z.boolean().nullish(),
}

/** The columns of a filter by contexts. Undefined leaves them unchanged. */
const contextColumns = (keys: readonly string[] | null | undefined) =>
  keys === undefined ? {} : { everyContext: keys === null, contextKeys: [...(keys ?? [])] }

/** @throws Refusal `INVALID` for a URL that the gateway never calls. */
function assertReachable({ providers }: Scope, url: string): void {
  const objection = providers.objectionToUrl(url)
  if (objection !== undefined) throw refuse('INVALID', `url is not allowed: ${objection}`, 'url')
}

/** Encrypts a secret or the URL of a subscription. */
export const sealSecret = ({ cipher, environmentId }: Scope, text: string): string =>
  cipher.encrypt(text, environmentId)

/** This process need not wait until the database announces the change. */
const forgetTypes = (scope: Scope) => scope.afterCommit(() => scope.webhooks.forget(scope.environmentId))

/** Returns the stored subscription. Null if it does not exist. Batched. */
const load = ({ load }: Scope, subscription: ReturnType<typeof reference>): Promise<Row | null> =>
  'id' in subscription
    ? load(webhookSubscriptionsById, subscription.id)
    : load(webhookSubscriptionsByIdentifier, subscription.identifier)

const reference = ({ identifier, id }: SubscriptionNamed) => referenceOf({ identifier }, { id })

/** Returns the stored subscription. @throws Refusal `NOT_FOUND`, which names the field. */
export async function requireSubscription(scope: Scope, given: SubscriptionNamed): Promise<Row> {
  const subscription = reference(given)
  const found = await load(scope, subscription)
  if (found === null) throw notFound('Webhook subscription', subscription)
  return found
}

export const webhookSubscription = query({
  name: 'webhookSubscription.get',
  permission: 'webhookSubscription:read',
  input: namedWebhookSubscription,
  async run(scope, given) {
    const found = await load(scope, reference(given))
    return found && shownSubscription(scope, found)
  },
})

export const webhookSubscriptions = query({
  name: 'webhookSubscription.list',
  permission: 'webhookSubscription:read',
  input: z.object({ page: pageRequest, orderBy: order, filter: filterOf({ active: z.boolean() }) }),
  async run(scope, list) {
    const found = await scope.load(webhookSubscriptionPages, { parent: scope.environmentId, ...list })
    return { ...found, rows: found.rows.map((row) => shownSubscription(scope, row)) }
  },
})

const taken = (identifier: string) =>
  refuseTaken(`Webhook subscription "${identifier}" already exists`, 'identifier', identifier)

/**
 * Creates a subscription, with a new secret unless one is given.
 *
 * @throws Refusal `CONFLICT` if the identifier exists or the environment has `MAX_WEBHOOK_SUBSCRIPTIONS`, `INVALID` if the gateway
 *   never calls the URL.
 */
export const createWebhookSubscription = mutation({
  name: 'webhookSubscription.create',
  permission: 'webhookSubscription:write',
  secret: true,
  input: z.object({
    identifier: idText(255).nullish(),
    url: receiverUrl,
    eventTypes,
    ...details,
    secret: webhookSecret.nullish(),
  }),
  async run(scope, given): Promise<SubscriptionWithSecret> {
    const { db, environmentId, now, newId } = scope
    assertReachable(scope, given.url)
    if ((await countSubscriptionsAlone(scope)) >= MAX_WEBHOOK_SUBSCRIPTIONS) {
      const message = `identifier would be the ${MAX_WEBHOOK_SUBSCRIPTIONS + 1}st webhook subscription: an environment has at most ${MAX_WEBHOOK_SUBSCRIPTIONS}`
      throw refuse('CONFLICT', message, 'identifier')
    }
    const id = newId()
    const identifier = given.identifier ?? `webhook-${id.slice(-12)}`
    const secret = given.secret ?? newWebhookSecret()
    const createdAt = now()
    const created = db.webhookSubscription.create({
      data: {
        environmentId,
        id,
        identifier,
        url: sealSecret(scope, given.url),
        description: given.description ?? null,
        eventTypes: given.eventTypes,
        active: given.active ?? true,
        includeContent: given.includeContent ?? false,
        ...contextColumns(given.contextKeys ?? null),
        secret: sealSecret(scope, secret),
        createdAt,
        updatedAt: createdAt,
      },
    })
    const row = await created.catch(whenTaken(() => taken(identifier)))
    forgetTypes(scope)
    audit(scope, 'webhook subscription created', { subscription: identifier })
    return { subscription: shownSubscription(scope, row), secret }
  },
})

/** Locks a subscription until the transaction ends. @throws Refusal `NOT_FOUND`, or `STALE` */
export async function heldSubscription(
  scope: Scope,
  given: SubscriptionNamed,
  expected?: z.output<typeof expectedVersion>,
): Promise<Row> {
  const { db, environmentId } = scope
  const { id } = await requireSubscription(scope, given)
  // An update without a change locks the row.
  const [found] = await db.webhookSubscription.updateManyAndReturn({ where: { environmentId, id }, data: { id } })
  if (found === undefined) throw notFound('Webhook subscription', reference(given))
  assertVersion('The webhook subscription', expected, found.version)
  return found
}

/**
 * Changes the given fields. Null clears the description and the contexts. Activating a subscription that the gateway
 * deactivated clears the reason, and its pending messages are sent.
 *
 * @throws Refusal `INVALID` if the gateway never calls the URL, `STALE` if it has another version than the expected one.
 */
export const updateWebhookSubscription = mutation({
  name: 'webhookSubscription.update',
  permission: 'webhookSubscription:write',
  input: z.object({
    ...webhookSubscriptionReference,
    url: receiverUrl.nullish(),
    eventTypes: eventTypes.nullish(),
    ...details,
    expectedVersion,
  }),
  async run(scope, { identifier, id, expectedVersion, ...given }): Promise<WebhookSubscription> {
    const { db, environmentId, now } = scope
    const url = given.url ?? undefined
    if (url !== undefined) assertReachable(scope, url)
    const present = await heldSubscription(scope, { identifier, id }, expectedVersion)
    const isChanged = Object.values<unknown>(given).some((value) => value !== undefined)
    const isActivated = given.active === true && !present.active
    const row = await db.webhookSubscription.update({
      where: { environmentId_id: { environmentId, id: present.id } },
      data: {
        ...(url !== undefined && { url: sealSecret(scope, url) }),
        description: given.description,
        ...(given.eventTypes && { eventTypes: given.eventTypes }),
        ...(typeof given.includeContent === 'boolean' && { includeContent: given.includeContent }),
        ...contextColumns(given.contextKeys),
        ...(typeof given.active === 'boolean' && { active: given.active }),
        ...(isActivated && { disabledReason: null, failingSince: null }),
        ...(isChanged && { updatedAt: now() }),
      },
    })
    forgetTypes(scope)
    return shownSubscription(scope, row)
  },
})

/** Deletes a subscription with its deliveries. */
export const deleteWebhookSubscription = mutation({
  name: 'webhookSubscription.delete',
  permission: 'webhookSubscription:write',
  input: namedWebhookSubscription,
  async run(scope, given): Promise<WebhookSubscription> {
    const { db, environmentId } = scope
    const { id } = await requireSubscription(scope, given)
    const row = await db.webhookSubscription
      .delete({ where: { environmentId_id: { environmentId, id } } })
      .catch(whenMissing(() => notFound('Webhook subscription', reference(given))))
    forgetTypes(scope)
    audit(scope, 'webhook subscription deleted', { subscription: row.identifier })
    return shownSubscription(scope, row)
  },
})
