// Whether a process can serve requests, and what is wrong if it cannot.
import { type Database, type DatabaseChecks, NO_ANSWER, OK, UNCHECKED } from '../data/database.ts'
import type { Gateway } from './scope.ts'

/** What is checked. Each is `ok` or a reason, which anyone may read: no secrets, no host names. */
interface ReadinessChecks extends DatabaseChecks {
  /** Whether this process has the keys that others encrypt with. */
  readonly keyRing: string
}

export interface Readiness {
  /** `degraded`: requests are served, but feed streams are not. `unavailable`: requests fail. */
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
 * @returns a function that checks the process. It never throws and ends within seconds.
 */
export function createReadiness(
  database: Pick<Database, 'check'>,
  { db, cipher }: Pick<Gateway, 'db' | 'cipher'>,
): () => Promise<Readiness> {
  /** Keys that nothing was encrypted with when the process started: `assertKeyRing` has made sure. */
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

  return async () => {
    const checks = await within(PATIENCE, check(), { ...away, keyRing: UNCHECKED })
    const { listener, ...required } = checks
    if (Object.values(required).some((one) => one !== OK)) return { status: 'unavailable', checks }
    return { status: listener === OK ? 'ready' : 'degraded', checks }
  }
}
