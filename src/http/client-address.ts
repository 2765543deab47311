// Whence a request comes, where proxies stand before the gateway.
import { isIP } from 'node:net'

/**
 * The address of whoever sent a request. Each proxy puts the address that it was called from at the end of
 * X-Forwarded-For, so only as many entries from its end are true as there are proxies of ours: what stands before them
 * the sender may have made up.
 *
 * @param connection the address that the connection comes from, undefined where there is none.
 * @param proxies of the operator that every request passes.
 * @returns that of the connection, where the proxies do not say another.
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
