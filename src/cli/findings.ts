// What `doctor` checks, one part after the other. A finding says what is wrong and what to do.
import { access } from 'node:fs/promises'
import path from 'node:path'
import type { Logger } from 'pino'
import { type DatabaseLocation, DATABASE_FOLDER, locationOf } from '../data/database-location.ts'
import { OK, onOneConnection } from '../data/database.ts'
import { pendingMigrations } from '../data/migrate.ts'
import { readServer } from '../data/server-facts.ts'
import { createOutbound } from '../delivery/outbound.ts'
import { addressOfProvider, connectTo } from '../delivery/reachability.ts'
import { inOneLine } from '../lib/error-line.ts'
import { connectToHolder } from './ask.ts'
import type { GatewayContext, Settings } from './command.ts'
import { openForCommand } from './open.ts'

export interface Finding {
  readonly check: string
  readonly status: 'ok' | 'warning' | 'problem' | 'skipped'
  /** What was found, and what to do about it. */
  readonly message: string
}

const ok = (check: string, message: string): Finding => ({ check, status: 'ok', message })
const warning = (check: string, message: string): Finding => ({ check, status: 'warning', message })
const problem = (check: string, message: string): Finding => ({ check, status: 'problem', message })
const skipped = (check: string, message: string): Finding => ({ check, status: 'skipped', message })

/** The oldest supported PostgreSQL, as `server_version_num`. */
const OLDEST_SERVER = 150_000
/** Milliseconds that clocks may differ. */
const CLOCK_TOLERANCE = 5_000
/** Integrations whose providers are checked. */
const MAX_INTEGRATIONS = 1_000
const CONNECT_TIMEOUT = 5_000

function configuration({ misspelled = [] }: Settings): Finding[] {
  if (misspelled.length === 0) return [ok('configuration', 'every setting is valid')]
  return misspelled.map(({ variable, similarTo }) =>
    warning('configuration', `${variable} is not read: rename it to ${similarTo} if that is meant, or remove it`),
  )
}

/** Version, encoding, clock and rights of the database, and its migrations. @returns false if it cannot be opened. */
async function database(location: DatabaseLocation, logger: Logger): Promise<{ findings: Finding[]; usable: boolean }> {
  try {
    return await onOneConnection(location, logger, async (connection) => {
      const sent = Date.now()
      const facts = await readServer(connection)
      const difference = Math.abs(facts.time.getTime() - (sent + Date.now()) / 2)
      const pending = await pendingMigrations(connection)
      const lacking = pending.length > 0 ? facts.lackingToMigrate : facts.lackingToRun
      const findings = [
        facts.version >= OLDEST_SERVER
          ? ok('database', `PostgreSQL ${facts.versionName}`)
          : problem('database', `PostgreSQL ${facts.versionName} is too old: upgrade the server to 15 or later`),
        facts.encoding === 'UTF8'
          ? ok('encoding', 'UTF8')
          : problem('encoding', `the database has the encoding ${facts.encoding}: create it with ENCODING 'UTF8'`),
        difference <= CLOCK_TOLERANCE
          ? ok('clock', 'agrees with the database')
          : warning('clock', `differs from the database by ${difference} ms: synchronize both with NTP`),
        lacking.length === 0
          ? ok('rights', 'the database user has the rights that it needs')
          : problem('rights', `the database user lacks ${lacking.join(', ')}: see "Separate rights for migrations"`),
        pending.length === 0
          ? ok('migrations', 'none is missing')
          : warning('migrations', `${pending.length} are missing: start the gateway, or run migrate as the owner`),
      ]
      return { findings, usable: pending.length === 0 && findings.every(({ status }) => status !== 'problem') }
    })
  } catch (error) {
    return { findings: [problem('database', `${inOneLine(error)}: check DATABASE_URL, or DATA_DIR`)], usable: false }
  }
}

/** Connects to each provider of an active integration once. */
async function reachability({ gateway: { db, cipher } }: Pick<GatewayContext, 'gateway'>, settings: Settings) {
  const integrations = await db.integration.findMany({
    where: { active: true },
    orderBy: [{ environmentId: 'asc' }, { id: 'asc' }],
    take: MAX_INTEGRATIONS,
  })
  const found = new Map<string, Finding>()
  const { allowPrivateAddresses = false, deniedAddresses = [] } = settings
  const outbound = createOutbound({ allowPrivateAddresses, deniedAddresses, timeout: CONNECT_TIMEOUT })
  try {
    for (const integration of integrations) {
      const address = await addressOfProvider(integration, cipher)
      if (address === undefined) continue
      const name = `${address.host}:${address.port}`
      const check = `provider ${integration.providerId}`
      if (found.has(`${check} ${name}`)) continue
      const finding = await connectTo(address, outbound).then(
        () => ok(check, `${name} can be reached`),
        (error: unknown) =>
          problem(
            check,
            `${inOneLine(error)}: check the network, the firewall and DNS, or the integration's credentials`,
          ),
      )
      found.set(`${check} ${name}`, finding)
    }
  } finally {
    await outbound.close()
  }
  return [...found.values()]
}

/** What only an open gateway can tell: its keys, its disk and its providers. */
async function gatewayFindings(settings: Settings, logger: Logger): Promise<Finding[]> {
  try {
    const opened = await openForCommand(settings, logger)
    try {
      const { disk, listener } = await opened.database.check()
      return [
        ok('encryption keys', 'decrypt the secrets in the database'),
        disk === OK ? ok('disk', 'has space') : problem('disk', `${disk}: free space on the disk of DATA_DIR`),
        listener === OK ? ok('listener', 'receives messages') : problem('listener', listener),
        ...(await reachability(opened, settings)),
      ]
    } finally {
      await opened.close()
    }
  } catch (error) {
    return [problem('gateway', inOneLine(error))]
  }
}

/** Checks everything. Applies no migrations and sends nothing. */
export async function diagnose(settings: Settings, logger: Logger): Promise<readonly Finding[]> {
  const first = configuration(settings)
  const location = locationOf(settings)
  if ('directory' in location) {
    const folder = path.join(location.directory, DATABASE_FOLDER)
    const exists = await access(folder).then(
      () => true,
      () => false,
    )
    if (!exists) return [...first, problem('database', `${folder} does not exist: start the gateway, or set DATA_DIR`)]
    const holder = await connectToHolder(location.directory)
    holder?.destroy()
    if (holder !== undefined)
      return [...first, skipped('database', 'a running gateway uses it: see its /ready, or stop it and repeat this')]
  }
  const { findings, usable } = await database(location, logger)
  const last = usable
    ? await gatewayFindings(settings, logger)
    : [skipped('encryption keys and providers', 'they need a database in order')]
  return [...first, ...findings, ...last]
}
