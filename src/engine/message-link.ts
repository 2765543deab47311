// The token of the unsubscribe links in a message.
import type { Delivery, Event } from '../data/prisma/client.ts'
import type { Subscriber } from '../data/subscriber.ts'
import type { Content } from '../domain/channel/content.ts'
import { type LinkContexts, needsIds, sealLink } from '../domain/channel/link-token.ts'
import { hasLinks } from '../domain/channel/unsubscribe-link.ts'
import { existingContexts } from '../domain/context.ts'
import type { EnvironmentScope } from '../domain/resolver/scope.ts'
import { linkScopeOf } from '../domain/trigger/link-scope.ts'
import type { TriggeredWorkflow } from '../domain/trigger/triggered-workflow.ts'

/** A message whose content still has an example in place of the token. */
interface Unsent {
  readonly content: Content
  readonly delivery: Pick<Delivery, 'id' | 'channel'>
  readonly event: Pick<Event, 'id' | 'contextKeys'>
  readonly subscriber: Pick<Subscriber, 'id'>
  readonly workflow: TriggeredWorkflow
}

/** Returns the contexts of an event in the form in which a token has room for them. */
async function linkContextsOf(
  scope: EnvironmentScope,
  { contextKeys }: Pick<Event, 'contextKeys'>,
): Promise<LinkContexts> {
  if (!needsIds(contextKeys)) return { keys: contextKeys }
  const contexts = await existingContexts(scope, contextKeys)
  return { ids: contexts.map(({ id }) => id) }
}

/** Creates the token of the links of a message. Null if its content has no links. */
export async function createLinkToken(
  scope: EnvironmentScope,
  { content, delivery: { id: deliveryId, channel }, event, subscriber, workflow }: Unsent,
): Promise<string | null> {
  const linkScope = linkScopeOf(workflow)
  if (linkScope === null || !hasLinks(content, event.id)) return null
  const { environmentId, cipher } = scope
  const contexts = await linkContextsOf(scope, event)
  return sealLink(cipher, {
    ...{ environmentId, subscriberRowId: subscriber.id, contexts, scope: linkScope, channel, deliveryId },
  })
}
