// The client's address, also behind proxies.
import { isIP } from 'node:net'

/**
 * The client's address. Each proxy appends the address it was called from to X-Forwarded-For, so only as many entries
 * from the end can be trusted as there are proxies. The client can forge the ones before.
 *
 * @param connection the remote address of the connection, if there is one.
 * @param proxies the number of trusted proxies that every request passes.
 * @returns the connection's address if the header has no valid entry of a trusted proxy.
 */
export function clientAddress(
  { headers }: Request,
  connection: string | undefined,
  proxies: number,
): string | undefined {
  if (proxies === 0) return connection
  const forwarded = headers.get('x-forwarded-for')?.split(',').at(-proxies)?.trim() ?? ''
  return isIP(forwarded) === 0 ? connection : forwarded
}
