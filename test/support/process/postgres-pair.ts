// A primary with a synchronous standby behind an address that moves, for tests of a failover.
import { rmSync } from 'node:fs'
import path from 'node:path'
import { onTestFinished } from 'vitest'
import { until } from './gateway-process.ts'
import { startMovingAddress } from './moving-address.ts'
import { freePort } from './port.ts'
import { copyServer, createFolder, createServer, type PostgresServer, rowsOf, serverIn } from './postgres-server.ts'

/** The name of the standby in `synchronous_standby_names`. */
const STANDBY = 'standby'

interface Member {
  readonly folder: string
  readonly server: PostgresServer
}

export interface PostgresPair {
  /** The URL that leads to the primary. */
  readonly url: string
  /** Kills all processes of the primary with SIGKILL. */
  readonly crash: () => Promise<void>
  /** Promotes the standby, and waits until it accepts writes. From then on it is the primary, without a standby. */
  readonly promote: () => Promise<void>
  /** Makes the crashed server a synchronous standby of the primary. */
  readonly rebuild: () => Promise<void>
}

/** Starts two servers and an address. They end with the test. */
export async function startPair(): Promise<PostgresPair> {
  const parent = createFolder()
  onTestFinished(() => rmSync(parent, { recursive: true, force: true }))
  const ports = [await freePort(), await freePort()] as const
  const memberOf = (name: string, port: string): Member => {
    const folder = path.join(parent, name)
    const server = serverIn(folder, port)
    onTestFinished(() => server.kill())
    return { folder, server }
  }
  let [primary, standby] = [memberOf('first', ports[0]), memberOf('second', ports[1])]
  await createServer(primary.folder)
  await primary.server.start()

  /** Copied before the primary waits for a standby: once promoted, the standby must not wait for one. */
  async function rebuild(): Promise<void> {
    rmSync(standby.folder, { recursive: true, force: true })
    await copyServer(primary.server, standby.folder, STANDBY)
    await standby.server.start()
    await rowsOf(primary.server.url, `ALTER SYSTEM SET synchronous_standby_names = '${STANDBY}'`)
    await rowsOf(primary.server.url, 'SELECT pg_reload_conf()')
    await until(async () => {
      const rows = await rowsOf(primary.server.url, `SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'`)
      return rows.length > 0 ? true : undefined
    })
  }
  await rebuild()
  return {
    url: await startMovingAddress(ports),
    crash: () => primary.server.crash(),
    async promote() {
      const [row] = await rowsOf(standby.server.url, 'SELECT pg_promote() AS promoted')
      if (row?.['promoted'] !== true) throw new Error('the standby was not promoted')
      ;[primary, standby] = [standby, primary]
    },
    rebuild,
  }
}
