// The row id of a client's environment.
import { decodeNodeId } from '../../src/graphql/schema/node-id.ts'
import type { Client } from './world.ts'

export async function environmentIdOf(client: Pick<Client, 'ask'>): Promise<string> {
  const { environment } = await client.ask('{ environment { id } }')
  return decodeNodeId(environment.id).id
}
