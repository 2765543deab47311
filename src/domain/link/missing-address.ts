// Finds workflows whose unsubscribe links are empty, because the gateway has no public https address.
import { countLinked } from '../../data/monitoring/unsubscribe-links.ts'
import type { Gateway } from '../resolver/scope.ts'

/** Returns the number of workflows with unsubscribe links that are empty. */
export const countEmptyLinks = async ({ db, publicUrl }: Pick<Gateway, 'db' | 'publicUrl'>): Promise<number> =>
  publicUrl === undefined ? countLinked(db) : 0

/** Logs that messages have empty unsubscribe links. */
export async function warnOfEmptyLinks(gateway: Pick<Gateway, 'db' | 'publicUrl' | 'log'>): Promise<void> {
  const workflows = await countEmptyLinks(gateway)
  if (workflows > 0) gateway.log.warn({ workflows }, 'unsubscribe links are empty: set BASE_URL to an https address')
}
