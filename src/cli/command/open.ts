// Opens the database for a command, without the doors and the worker of a gateway.
import path from 'node:path'
import type { Logger } from 'pino'
import { createClock } from '../../data/connection/clock.ts'
import { openDatabase } from '../../data/connection/database.ts'
import { DATABASE_FOLDER, locationOf, otherLocations } from '../../data/driver/database-location.ts'
import { createOutbound } from '../../delivery/network/outbound.ts'
import { createProviderDirectory } from '../../delivery/sending/provider-directory.ts'
import { assertKeyRing } from '../../domain/secrets/encryption.ts'
import { DatabaseSet } from '../../domain/resolver/database-set.ts'
import { assertKnownDatabases } from '../../domain/access/placement.ts'
import type { Gateway } from '../../domain/resolver/scope.ts'
import { closeStreams, openOther, openShared, stopListening } from '../../domain/resolver/shared-gateway.ts'
import { defaultStreamLimits, OpenCount } from '../../lib/stream-limits.ts'
import { keyFileIn, openCipher } from '../../lib/key-file.ts'
import type { GatewayContext, Settings } from './command.ts'
import { assertExists } from './file-error.ts'

interface OpenDatabase extends Pick<GatewayContext, 'gateway' | 'database' | 'others' | 'logger'> {
  close(): Promise<void>
}

/** What to do if the embedded database does not exist. */
export const HOW_TO_FIND_DATABASE = 'start the gateway once, or set DATABASE_URL or DATA_DIR as the gateway has it'

/** @throws Error if the database cannot be opened. Nothing stays open in that case. */
export async function openForCommand(settings: Settings, logger: Logger): Promise<OpenDatabase> {
  const { databaseUrl: url, dataDirectory: directory, encryptionKeys, baseUrl } = settings
  // A command creates neither an embedded database nor keys, because they could be in the wrong folder.
  if (url === undefined) {
    await assertExists(path.join(directory, DATABASE_FOLDER), HOW_TO_FIND_DATABASE)
  }
  if (encryptionKeys === undefined) {
    await assertExists(keyFileIn(directory), 'set ENCRYPTION_KEYS or DATA_DIR as the gateway has it')
  }
  const database = await openDatabase(locationOf(settings), logger)
  try {
    const embedded = url === undefined
    const { allowPrivateAddresses = false, deniedAddresses = [] } = settings
    const outbound = createOutbound({ allowPrivateAddresses, deniedAddresses })
    const providers = createProviderDirectory({ outbound, logger })
    const opened = { embedded, openCipher: () => openCipher(settings), logger, providers, baseUrl }
    const locations = new Map(otherLocations({ databases: [], ...settings }))
    const streams = new OpenCount(defaultStreamLimits, 'streams')
    const databases = new DatabaseSet({
      names: [...locations.keys()],
      forNewEnvironments: null,
      main: () => gateway,
      log: logger,
      async open(name) {
        const other = await openDatabase(locations.get(name) ?? locationOf(settings), logger)
        const watching = { logger, streams, clock: createClock(), stopwatch: () => performance.now() }
        return openOther(gateway, name, other, watching)
      },
    })
    const gateway: Gateway = await openShared(database, { ...opened, databases })
    await assertKeyRing(gateway)
    await assertKnownDatabases(gateway)
    await databases.open()
    return {
      gateway,
      database,
      others: () => databases.opened,
      logger,
      async close() {
        await databases.close()
        await closeStreams(gateway)
        await gateway.evaluator.close()
        stopListening(gateway)
        await outbound.close()
        await database.close()
      },
    }
  } catch (error) {
    await database.close()
    throw error
  }
}
