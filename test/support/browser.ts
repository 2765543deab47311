// A subscriber's browser, and the back end that signs for the subscriber.
import { createHmac } from 'node:crypto'
import type { Client, World } from './world.ts'

/** The HMAC that a back end creates with its API key. */
export const sign = (text: string, { key }: Pick<Client, 'key'>): string =>
  createHmac('sha256', key).update(text).digest('hex')

/** A public caller, which only has the identifier of the client's environment. */
export async function publicCallerOf(world: World, client: Client): Promise<Client> {
  const { environment } = await client.ask('{ environment { identifier } }')
  return world.client(environment.identifier, 'Environment')
}

/**
 * The session of a subscriber.
 *
 * @param context ids by type, sorted by type.
 * @param signer the client whose key signs. Default: the client itself.
 */
export async function browserOf(
  world: World,
  client: Client,
  subscriberId: string,
  context: Readonly<Record<string, string>> = {},
  signer: Pick<Client, 'key'> = client,
): Promise<Client> {
  const publicCaller = await publicCallerOf(world, client)
  const hashes = {
    subscriberHash: sign(subscriberId, signer),
    contextHash: sign(JSON.stringify(context), signer),
  }
  const { token, userErrors } = await publicCaller.act('openSession', { subscriberId, context, ...hashes }, 'token')
  if (userErrors.length > 0) throw new Error(JSON.stringify(userErrors))
  return world.client(token, 'Session')
}
