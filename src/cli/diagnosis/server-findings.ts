// The findings of `doctor` about a PostgreSQL server: its connections, its replica, and a pooler in front of it.
import type { Connection } from '../../data/connection/database.ts'
import { type DatabaseLocation, directUrlOf } from '../../data/driver/database-location.ts'
import { readEncryption } from '../../data/driver/encryption.ts'
import { readPooling } from '../../data/driver/pooler.ts'
import { readReplica } from '../../data/replica/replica-monitor.ts'
import { readConnections } from '../../data/driver/server-facts.ts'
import { readPrimary } from '../../data/replica/write-position.ts'
import { inOneLine } from '../../lib/error-line.ts'
import type { Settings } from '../command/command.ts'
import { type Finding, ok, problem, warning } from './finding.ts'

type Server = Extract<DatabaseLocation, { url: string }>

/** The fraction of connections in use above which new ones may soon be rejected. */
const MANY = 0.8
/** Bytes of the write-ahead log by which a replica may be behind. */
const MAX_LAG = 64_000_000

async function connections(location: Server): Promise<Finding> {
  const { used, most } = await readConnections({ connectionString: directUrlOf(location) })
  const text = `${used} of ${most} are in use`
  if (used <= most * MANY) return ok('connections', text)
  return warning('connections', `${text}: raise max_connections, use a pooler, or run fewer processes`)
}

async function pooler({ url, directUrl, statements }: Server): Promise<Finding> {
  const { isShared, keepsStatements } = await readPooling({ connectionString: url })
  if (!isShared) return ok('pooler', 'no pooler in transaction mode')
  if (directUrl === undefined) {
    return problem(
      'pooler',
      'DATABASE_URL is a pooler in transaction mode: set DATABASE_DIRECT_URL, and DATABASE_STATEMENTS=unnamed',
    )
  }
  if (statements === 'unnamed' || keepsStatements) return ok('pooler', 'in transaction mode, with the right settings')
  return problem('pooler', 'the pooler does not keep named statements: set DATABASE_STATEMENTS=unnamed')
}

/** Whether the connections of a setting are encrypted. */
async function encryption(variable: string, connectionString: string): Promise<Finding> {
  const check = `encryption of ${variable}`
  const { protocol, isVerified } = await readEncryption({ connectionString })
  if (protocol === undefined) {
    return ok(
      check,
      'none, which is right within a machine or a private network only: otherwise set sslmode=verify-full',
    )
  }
  if (isVerified) return ok(check, `${protocol}, and the certificate is verified`)
  return warning(check, `${protocol}, but the certificate is not verified: set sslmode=verify-full and sslrootcert`)
}

async function replica(url: string, db: Connection): Promise<Finding> {
  const { cluster, recovering, replayed, timeline } = await readReplica(url)
  const primary = await readPrimary(db)
  if (!recovering || cluster !== primary.cluster) {
    return problem('replica', 'DATABASE_READ_URL is not a streaming replica of DATABASE_URL: correct or remove it')
  }
  if (timeline !== primary.timeline) {
    return problem(
      'replica',
      `is on timeline ${timeline}, but its primary on ${primary.timeline}: let it follow the primary, or copy it again`,
    )
  }
  const lag = Math.max(0, primary.position - Number(replayed))
  if (lag <= MAX_LAG) return ok('replica', `${lag} bytes behind`)
  return warning('replica', `${lag} bytes behind, so the primary answers its reads: see its CPU and its disk`)
}

/** The finding of a check that could not be performed. */
const failed = (check: string, advice: string) => (error: unknown) => problem(check, `${inOneLine(error)}: ${advice}`)

const encryptionOf = (variable: string, url: string) =>
  encryption(variable, url).catch(failed(`encryption of ${variable}`, `check ${variable}`))

/** Findings that do not need an open database. @returns nothing for the embedded database. */
export async function serverFindings(location: DatabaseLocation): Promise<readonly Finding[]> {
  if (!('url' in location)) return []
  return [
    await connections(location).catch(failed('connections', 'check DATABASE_URL')),
    await pooler(location).catch(failed('pooler', 'check DATABASE_URL')),
    await encryptionOf('DATABASE_URL', location.url),
    ...(location.directUrl === undefined ? [] : [await encryptionOf('DATABASE_DIRECT_URL', location.directUrl)]),
  ]
}

/** @returns nothing if no replica is configured. */
export async function replicaFindings({ databaseReadUrl }: Settings, db: Connection): Promise<readonly Finding[]> {
  if (databaseReadUrl === undefined) return []
  return [
    await replica(databaseReadUrl, db).catch(failed('replica', 'check DATABASE_READ_URL')),
    await encryptionOf('DATABASE_READ_URL', databaseReadUrl),
  ]
}
