// Finds the gateway on the database with the rows of an environment.
import { gatewayAt } from './databases.ts'
import type { Gateway } from './scope.ts'

/**
 * Returns the gateway on the database of an environment, of which only the id is known. Needs no statement if there is
 * only one database, or if the environment is cached.
 *
 * @throws Refusal `UNAVAILABLE`
 */
export async function gatewayOfEnvironment(gateway: Gateway, environmentId: string): Promise<Gateway> {
  if (gateway.databases.names.length === 0) return gateway
  const main = gateway.databases.at(null)
  const placed = await main.callers.placements.get(environmentId, async () => {
    const select = { database: true } as const
    const found = await main.db.environment.findUnique({ where: { id: environmentId }, select })
    return found === null ? undefined : { environmentId, ...found }
  })
  return gatewayAt(gateway, placed?.database ?? null)
}
