// Connections through a pooler that assigns them for one transaction, such as PgBouncer in transaction mode.
import pg from 'pg'
import { labelled } from '../statement/label.ts'

/** Maximum milliseconds of a statement, and of a Prisma transaction. */
export const TRANSACTION_TIMEOUT = 30_000
/** Maximum milliseconds that a transaction may wait for its next statement. */
export const IDLE_TIMEOUT = 60_000

interface Setting {
  readonly name: string
  /** The settings that must be set with ALTER ROLE. */
  readonly value: string
  readonly isRight: (value: string) => boolean
  readonly expected: string
}

const isBetween = (most: number) => (value: string) => Number(value) > 0 && Number(value) <= most

/** The settings that connections without a pooler set through start-up options. */
const settings: readonly Setting[] = [
  { name: 'TimeZone', value: `'UTC'`, isRight: (value) => /^(Etc\/)?(UTC|UCT|Zulu)$/.test(value), expected: 'UTC' },
  {
    name: 'statement_timeout',
    value: `'${TRANSACTION_TIMEOUT}'`,
    isRight: isBetween(TRANSACTION_TIMEOUT),
    expected: `1 to ${TRANSACTION_TIMEOUT} ms`,
  },
  {
    name: 'idle_in_transaction_session_timeout',
    value: `'${IDLE_TIMEOUT}'`,
    isRight: isBetween(IDLE_TIMEOUT),
    expected: `1 to ${IDLE_TIMEOUT} ms`,
  },
]

interface SessionSettings {
  readonly user: string
  readonly values: readonly string[]
}

async function readSettings(config: pg.ClientConfig): Promise<SessionSettings> {
  const client = new pg.Client(config)
  // The statement fails with the same error.
  client.on('error', () => {})
  try {
    await client.connect()
    const { rows } = await client.query<SessionSettings>(
      labelled(
        'pooler.readSettings',
        `SELECT quote_ident(current_user) AS "user", array_agg(setting ORDER BY ordinality) AS values
       FROM unnest($1::text[]) WITH ORDINALITY AS given(name, ordinality)
       JOIN pg_settings ON lower(pg_settings.name) = lower(given.name)`,
      ),
      [settings.map(({ name }) => name)],
    )
    return rows[0] ?? { user: '', values: [] }
  } finally {
    await client.end().catch(() => {})
  }
}

/**
 * Checks that sessions behind a pooler have the settings that the gateway needs. They come from ALTER ROLE, because a
 * pooler passes no start-up options on.
 *
 * @throws Error with the statements that correct the settings, or if the pooler cannot be reached.
 */
export async function assertPooled(config: pg.ClientConfig): Promise<void> {
  const { user, values } = await readSettings(config).catch((cause: unknown) => {
    throw new Error('the connection pooler in DATABASE_URL cannot be used', { cause })
  })
  const wrong = settings.flatMap(({ name, value, isRight, expected }, index) => {
    const found = values[index] ?? ''
    if (isRight(found)) return []
    return [{ problem: `${name} is ${found}, not ${expected}`, remedy: `ALTER ROLE ${user} SET ${name} = ${value};` }]
  })
  if (wrong.length === 0) return
  const problems = wrong.map(({ problem }) => problem).join('; ')
  const remedies = wrong.map(({ remedy }) => remedy).join(' ')
  throw new Error(
    `sessions behind the pooler have wrong settings: ${problems}. Run: ${remedies} Then reconnect the pooler.`,
  )
}

export interface Pooling {
  /** True if two clients shared a connection to the server, as with a pooler in transaction mode. */
  readonly isShared: boolean
  /** True if named statements work nevertheless. */
  readonly keepsStatements: boolean
}

/** Milliseconds to wait for a pooler whose only connection is in use. */
const PATIENCE = 5_000
/** The error code of a named statement that the connection does not know. */
const UNKNOWN_STATEMENT = '26000'

/** Finds out whether there is a pooler in front of the server, with two clients. */
export async function readPooling(config: pg.ClientConfig): Promise<Pooling> {
  const clients = [1, 2].map(() => new pg.Client({ ...config, query_timeout: PATIENCE }))
  for (const client of clients) client.on('error', () => {})
  const pidOf = async (client: pg.Client | undefined, name?: string) => {
    const { rows } = (await client?.query<{ pid: number }>({
      text: labelled('pooler.readPooling', 'SELECT pg_backend_pid() AS pid'),
      ...(name !== undefined && { name }),
    })) ?? { rows: [] }
    return rows[0]?.pid
  }
  try {
    const [first, second] = clients
    for (const client of clients) await client.connect()
    const pid = await pidOf(first, 'doctor')
    // A pooler assigns the connection that was returned last, so the first client needs another one during this
    // transaction.
    await second?.query('BEGIN')
    const isShared = (await pidOf(second)) === pid
    const keepsStatements = await pidOf(first, 'doctor').then(
      () => true,
      (error: unknown) => !(error instanceof pg.DatabaseError && error.code === UNKNOWN_STATEMENT),
    )
    return { isShared, keepsStatements }
  } finally {
    await Promise.all(clients.map((client) => client.end().catch(() => {})))
  }
}
