// Identifies who follows a link in a message: its subscriber, under the contexts of the message.
import { type Link, type LinkContexts, openLink } from '../channel/link-token.ts'
import type { LinkCaller } from '../resolver/caller.ts'
import { gatewayOfEnvironment } from '../resolver/environment-gateway.ts'
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
export async function openLinkOf(gateway: Gateway, token: string): Promise<OpenedLink | 'gone' | undefined> {
  const link = openLink(gateway.cipher, token)
  if (link === undefined) return undefined
  const { environmentId, subscriberRowId: id } = link
  // Its row of the environment is a copy, which says whether it was deleted.
  const { db, database } = await gatewayOfEnvironment(gateway, environmentId)
  const [environment, subscriber, contextKeys] = await Promise.all([
    db.environment.findUnique({ where: { id: environmentId }, select: { organizationId: true } }),
    db.subscriber.findUnique({
      where: { environmentId_id: { environmentId, id } },
      select: { subscriberId: true },
    }),
    keysOf({ db }, environmentId, link.contexts),
  ])
  const organizationId = environment?.organizationId ?? null
  if (organizationId === null || subscriber === null) return 'gone'
  if (contextKeys === undefined) return undefined
  const { subscriberId } = subscriber
  const permissions = permissionsOfLink
  const of = { environmentId, organizationId, database, permissions } as const
  return { ...link, caller: { kind: 'link', ...of, subscriberId, contextKeys } }
}
