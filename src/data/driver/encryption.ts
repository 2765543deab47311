// Whether connections to a server are encrypted.
import { TLSSocket } from 'node:tls'
import type pg from 'pg'
import { openConnection } from './own-connection.ts'

export interface Encryption {
  /** The protocol, such as TLSv1.3. Undefined if the connection is not encrypted. */
  readonly protocol: string | undefined
  /** True if the certificate of the server is trusted. */
  readonly isVerified: boolean
}

/** Opens a connection and finds out whether it is encrypted on the way from this process. */
export async function readEncryption(
  config: pg.ClientConfig & { readonly connectionString: string },
): Promise<Encryption> {
  const client = await openConnection(config, () => {})
  try {
    const { stream } = client.connection
    if (!(stream instanceof TLSSocket)) return { protocol: undefined, isVerified: false }
    return { protocol: stream.getProtocol() ?? 'TLS', isVerified: stream.authorized }
  } finally {
    await client.end().catch(() => {})
  }
}
