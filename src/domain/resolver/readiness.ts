// Readiness: whether a process can serve requests, and the reason if it cannot.
import type { Database } from '../../data/connection/database.ts'
import { type DatabaseChecks, NO_ANSWER, OK, UNCHECKED } from '../../data/connection/database-checks.ts'
import { secondsSince } from '../../lib/seconds-since.ts'
import type { Gateway, Log } from './scope.ts'

/** The checks. Each is `ok` or a reason. Anyone may read the reasons, so they contain no secrets and no host names. */
interface ReadinessChecks extends DatabaseChecks {
  /** `ok` if this process has the keys with which other processes encrypt. */
  readonly keyRing: string
}

export interface Readiness {
  /** `degraded`: requests are served, but feed streams are not. `unavailable`: all requests fail, or all that write. */
  readonly status: 'ready' | 'degraded' | 'unavailable'
  readonly checks: ReadinessChecks
}

/** Milliseconds to wait for the database. Load balancers give up after a few seconds. */
const PATIENCE = 3_000

const away = { disk: UNCHECKED, database: NO_ANSWER, migrations: UNCHECKED, listener: UNCHECKED } as const

/** Returns the result of `work`, or `late` if it takes too long. */
async function within<Result>(milliseconds: number, work: Promise<Result>, late: Result): Promise<Result> {
  let timer: NodeJS.Timeout | undefined
  const waiting = new Promise<Result>((resolve) => {
    timer = setTimeout(resolve, milliseconds, late)
  })
  try {
    return await Promise.race([work, waiting])
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Logs when a process becomes unavailable and when it is available again. @returns a function that receives each
 * result.
 */
function logChanges(log: Log): (readiness: Readiness) => void {
  let unavailableSince: number | undefined
  return ({ status, checks }) => {
    if (status === 'unavailable') {
      if (unavailableSince !== undefined) return
      unavailableSince = performance.now()
      const failing = Object.entries(checks).filter(([, check]) => check !== OK && check !== UNCHECKED)
      log.warn({ checks: Object.fromEntries(failing) }, 'not ready')
    } else if (unavailableSince !== undefined) {
      log.info({ seconds: secondsSince(unavailableSince) }, 'ready again')
      unavailableSince = undefined
    }
  }
}

/**
 * @returns a function that checks the process. It never throws, ends within seconds, and logs when the status changes.
 */
export function createReadiness(
  database: Pick<Database, 'check'>,
  { db, cipher, log }: Pick<Gateway, 'db' | 'cipher' | 'log'>,
): () => Promise<Readiness> {
  const noteChange = logChanges(log)
  /** Missing keys that were not in use when the process started, as `assertKeyRing` has checked. */
  let unused: ReadonlySet<string> | undefined

  async function checkKeyRing(): Promise<string> {
    const recorded = await db.encryptionKey.findMany({ orderBy: { id: 'asc' } })
    const lacking = recorded.filter(({ id, checkValue }) => cipher.checkValue(id) !== checkValue).map(({ id }) => id)
    unused ??= new Set(lacking)
    const known = unused
    if (lacking.every((id) => known.has(id))) return OK
    return 'another process encrypts with a key that ENCRYPTION_KEYS of this process lacks'
  }

  async function check(): Promise<ReadinessChecks> {
    const checks = await database.check()
    if (checks.database !== OK) return { ...checks, keyRing: UNCHECKED }
    return { ...checks, keyRing: await checkKeyRing().catch(() => UNCHECKED) }
  }

  function statusOf({ listener, ...required }: ReadinessChecks): Readiness['status'] {
    if (Object.values(required).some((one) => one !== OK)) return 'unavailable'
    return listener === OK ? 'ready' : 'degraded'
  }

  return async () => {
    const checks = await within(PATIENCE, check(), { ...away, keyRing: UNCHECKED })
    const readiness = { status: statusOf(checks), checks }
    noteChange(readiness)
    return readiness
  }
}
