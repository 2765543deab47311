// The checks of `doctor`, one after the other. A finding names a problem and its solution.
import { access } from 'node:fs/promises'
import path from 'node:path'
import type pg from 'pg'
import type { Logger } from 'pino'
import type { z } from 'zod'
import {
  type DatabaseLocation,
  DATABASE_FOLDER,
  locationOf,
  otherLocations,
} from '../../data/driver/database-location.ts'
import { onOneConnection } from '../../data/connection/database.ts'
import { OK } from '../../data/connection/database-checks.ts'
import { pendingMigrations } from '../../data/connection/migrate.ts'
import { readServer } from '../../data/driver/server-facts.ts'
import { createOutbound } from '../../delivery/network/outbound.ts'
import { addressOfProvider, connectTo } from '../../delivery/sending/reachability.ts'
import { inOneLine } from '../../lib/error-line.ts'
import { keyFileIn, openExistingCipher } from '../../lib/key-file.ts'
import { connectToHolder, type Holder } from '../socket/ask.ts'
import type { CommandOutcome, GatewayContext, Settings } from '../command/command.ts'
import { DIAGNOSIS, diagnosisResult, type Finding, ok, problem, skipped, warning } from './finding.ts'
import { openForCommand } from '../command/open.ts'
import type { Invocation } from '../command/parser.ts'
import { countEmptyLinks } from '../../domain/link/missing-address.ts'
import { replicaFindings, serverFindings } from './server-findings.ts'
import { sessionFinding } from './session-findings.ts'
import { workFindings } from './work-findings.ts'

/** The oldest supported PostgreSQL, as `server_version_num`. */
const OLDEST_SERVER = 150_000
/** Milliseconds by which clocks may differ. */
const CLOCK_TOLERANCE = 5_000
/** Maximum number of integrations whose providers are checked. */
const MAX_INTEGRATIONS = 1_000
const CONNECT_TIMEOUT = 5_000

function configuration({ misspelled = [] }: Settings): Finding[] {
  if (misspelled.length === 0) return [ok('configuration', 'every setting is valid')]
  return misspelled.map(({ variable, similarTo }) =>
    warning('configuration', `${variable} is not read: rename it to ${similarTo} if that is meant, or remove it`),
  )
}

/** Version, encoding, clock and rights of the database, and its migrations. */
export async function connectionFindings(connection: pg.ClientBase): Promise<readonly Finding[]> {
  const sent = Date.now()
  const facts = await readServer(connection)
  const difference = Math.abs(facts.time.getTime() - (sent + Date.now()) / 2)
  const pending = await pendingMigrations(connection)
  const lacking = pending.length > 0 ? facts.lackingToMigrate : facts.lackingToRun
  return [
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
}

/** Checks the database without opening it for use. It can be used if it opens afterwards. */
async function database(location: DatabaseLocation, logger: Logger) {
  try {
    const findings = await onOneConnection(location, logger, connectionFindings)
    const isMigrated = findings.every(({ check, status }) => check !== 'migrations' || status === 'ok')
    return { findings, usable: isMigrated && findings.every(({ status }) => status !== 'problem') }
  } catch (error) {
    return { findings: [problem('database', `${inOneLine(error)}: check DATABASE_URL, or DATA_DIR`)], usable: false }
  }
}

/** Checks the databases beside the main one. */
async function otherDatabases(settings: Settings, logger: Logger): Promise<readonly Finding[]> {
  const found: Finding[] = []
  for (const [name, location] of otherLocations({ databases: [], ...settings })) {
    const { findings } = await database(location, logger)
    found.push(...findings.map((finding) => ({ ...finding, check: `${finding.check} ${name}` })))
  }
  return found
}

/** The addresses that deliveries may be sent to. */
type Outgoing = Pick<Settings, 'allowPrivateAddresses' | 'deniedAddresses'>

/** Connects to each provider of an active integration once. */
async function reachability({ gateway: { db, cipher } }: Pick<GatewayContext, 'gateway'>, settings: Outgoing) {
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
      const finding = await connectTo(address, outbound, integration.environmentId).then(
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

/** Links in messages need an address that recipients reach. */
async function unsubscribeLinks(gateway: Pick<GatewayContext['gateway'], 'db' | 'publicUrl'>): Promise<Finding> {
  const check = 'unsubscribe links'
  const { publicUrl } = gateway
  if (publicUrl !== undefined) return ok(check, `lead to ${publicUrl}`)
  const advice = 'set BASE_URL to an https address that recipients reach'
  const empty = await countEmptyLinks(gateway)
  return empty > 0
    ? warning(check, `of ${empty} workflows are empty, and emails have no List-Unsubscribe header: ${advice}`)
    : ok(check, `are in no template, and emails have no List-Unsubscribe header: for customers, ${advice}`)
}

/** Findings that require an open gateway: its disk, its work and its providers. */
export async function openFindings(
  opened: Pick<GatewayContext, 'gateway' | 'database'>,
  outgoing: Outgoing,
): Promise<readonly Finding[]> {
  const { disk, listener } = await opened.database.check()
  return [
    disk === OK ? ok('disk', 'has space') : problem('disk', `${disk}: free space on the disk of DATA_DIR`),
    listener === OK ? ok('listener', 'receives messages') : problem('listener', listener),
    ...(await workFindings(opened.gateway)),
    await unsubscribeLinks(opened.gateway),
    await sessionFinding(opened.gateway),
    ...(await reachability(opened, outgoing)),
  ]
}

async function gatewayFindings(settings: Settings, logger: Logger): Promise<Finding[]> {
  try {
    const opened = await openForCommand(settings, logger)
    try {
      return [
        ok('encryption keys', 'decrypt the secrets in the database'),
        ...(await replicaFindings(settings, opened.gateway.db)),
        ...(await openFindings(opened, settings)),
      ]
    } finally {
      await opened.close()
    }
  } catch (error) {
    return [problem('gateway', inOneLine(error))]
  }
}

/** Compares the keys of these settings with those of the running process. */
async function keyFinding(settings: Settings, { id, checkValue }: z.infer<typeof diagnosisResult>['key']) {
  const check = 'encryption keys'
  const cipher = await openExistingCipher(settings)
  if (cipher !== undefined && cipher.checkValue(id) === checkValue) return ok(check, 'those of the running gateway')
  const source = settings.encryptionKeys === undefined ? keyFileIn(settings.dataDirectory) : 'ENCRYPTION_KEYS'
  return problem(
    check,
    `${source} lacks the key "${id}" that the running gateway encrypts with: set ENCRYPTION_KEYS as the gateway has it`,
  )
}

/** Asks the process that holds the embedded database. */
async function holderFindings(settings: Settings, holder: Holder, ask: Ask): Promise<readonly Finding[]> {
  try {
    const { allowPrivateAddresses = false, deniedAddresses = [] } = settings
    const given = { allowPrivateAddresses, deniedAddresses }
    const { findings, key } = diagnosisResult.parse((await ask(holder, { name: DIAGNOSIS, given })).result)
    return [ok('process', 'a running gateway answers'), await keyFinding(settings, key), ...findings]
  } catch (error) {
    return [problem('process', `the running gateway cannot be asked: ${inOneLine(error)}`)]
  }
}

/** Runs a command in the process that holds the embedded database. */
type Ask = (holder: Holder, asked: Pick<Invocation, 'name' | 'given'>) => Promise<CommandOutcome>

/** Checks everything. Applies no migrations and sends no messages. */
export async function diagnose(settings: Settings, logger: Logger, ask: Ask): Promise<readonly Finding[]> {
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
    if (holder !== undefined) return [...first, ...(await holderFindings(settings, holder, ask))]
  }
  const { findings, usable } = await database(location, logger)
  const last = usable
    ? [...(await serverFindings(location)), ...(await gatewayFindings(settings, logger))]
    : [skipped('encryption keys and providers', 'they need a database in order')]
  return [...first, ...findings, ...(await otherDatabases(settings, logger)), ...last]
}
