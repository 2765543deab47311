// The client's address, also behind proxies.
import { isIP } from 'node:net'

/**
 * The client's address. Each proxy appends the address of its own client to X-Forwarded-For, so only the last entries,
 * one for each proxy, can be trusted. The client can forge all earlier ones.
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
