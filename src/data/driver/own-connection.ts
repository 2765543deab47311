// A connection outside of the pool, and what to do if the server cannot be reached.
import pg from 'pg'
import { isUntrusted } from './database-errors.ts'

/** True if a file that the URL names, such as a certificate, could not be read. */
const isUnreadableFile = (error: unknown) => error instanceof Error && 'syscall' in error && error.syscall === 'open'

/** What to do about an error, as the continuation of a sentence. */
function adviceOn(error: unknown): string {
  if (isUntrusted(error))
    return ', because its certificate is not trusted: check sslrootcert and the host name in the URL'
  if (isUnreadableFile(error))
    return ', because a certificate in its URL cannot be read: check sslrootcert, sslcert and sslkey'
  const isPooler = error instanceof Error && error.message.includes('unsupported startup parameter')
  return isPooler ? ', which is a pooler: set DATABASE_DIRECT_URL' : ''
}

/**
 * Opens a connection. The caller ends it.
 *
 * @param onLost called if the connection is lost later.
 * @throws Error that names the database, without its password.
 */
export async function openConnection(
  config: pg.ClientConfig & { readonly connectionString: string },
  onLost: (error: Error) => void,
): Promise<pg.Client> {
  try {
    const client = new pg.Client(config)
    client.on('error', onLost)
    await client.connect()
    return client
  } catch (error) {
    const { host, pathname } = new URL(config.connectionString)
    throw new Error(`the database ${host}${pathname} cannot be opened${adviceOn(error)}`, { cause: error })
  }
}
