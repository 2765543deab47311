// Identifies who follows a link in a message: its subscriber, under the contexts of the message.
import { type Link, type LinkContexts, openLink } from '../channel/link-token.ts'
import type { LinkCaller } from '../resolver/caller.ts'
import { permissionsOfLink } from '../resolver/permission.ts'
import type { Gateway } from '../resolver/scope.ts'

/** A link whose subscriber exists. */
export interface OpenedLink extends Link {
  readonly caller: LinkCaller
}

/** Returns the keys of the contexts of a link. Undefined if one was deleted. */
async function keysOf(
  { db }: Pick<Gateway, 'db'>,
  environmentId: string,
  contexts: LinkContexts,
): Promise<readonly string[] | undefined> {
  if ('keys' in contexts) return contexts.keys
  const rows = await db.context.findMany({
    where: { environmentId, id: { in: [...contexts.ids] } },
    select: { key: true },
  })
  return rows.length < contexts.ids.length ? undefined : rows.map(({ key }) => key).sort()
}

/**
 * Opens the link of a token.
 *
 * @returns `gone` if its subscriber or its environment was deleted, to which nothing is sent any more. Undefined if it is
 *   no link of this gateway.
 */
export async function openLinkOf(
  gateway: Pick<Gateway, 'db' | 'cipher'>,
  token: string,
): Promise<OpenedLink | 'gone' | undefined> {
  const link = openLink(gateway.cipher, token)
  if (link === undefined) return undefined
  const { environmentId, subscriberRowId: id } = link
  const [environment, subscriber, contextKeys] = await Promise.all([
    gateway.db.environment.findUnique({ where: { id: environmentId }, select: { organizationId: true } }),
    gateway.db.subscriber.findUnique({
      where: { environmentId_id: { environmentId, id } },
      select: { subscriberId: true },
    }),
    keysOf(gateway, environmentId, link.contexts),
  ])
  const organizationId = environment?.organizationId ?? null
  if (organizationId === null || subscriber === null) return 'gone'
  if (contextKeys === undefined) return undefined
  const { subscriberId } = subscriber
  const permissions = permissionsOfLink
  return { ...link, caller: { kind: 'link', environmentId, organizationId, permissions, subscriberId, contextKeys } }
}
