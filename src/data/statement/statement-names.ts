// Names of statements. The server parses and plans a named statement once per connection instead of each time.
import { createHash } from 'node:crypto'
import type { PoolConfig } from 'pg'

/**
 * The number of names. Each takes 10 to 50 KB of the server's memory per connection, until the connection ends. Texts
 * depend on what callers select and filter by, so their number needs a limit.
 */
const MAX_NAMES = 500

/** Matches a Prisma statement that contains a list. More arguments than this imply one. */
const MAX_ARGUMENTS = 40

/** Matches a list in brackets, or several rows to insert. The text depends on their number. */
const list = /\bIN \(\$\d+,|\),\s*\(\$/

/**
 * Marks a statement that gets no name. Its best plan depends on its values, as for a search, or on the number of rows
 * in its table, as for the queue: a plan that was made while a table was empty would read all rows when it is full.
 */
export const PLANNED_EACH_TIME = '/* planned each time */'

/** The names of one process. Once all are taken, further texts get none. */
export class StatementNames {
  readonly #names = new Map<string, string>()
  readonly #max: number

  constructor(max = MAX_NAMES) {
    this.#max = max
  }

  /** Returns the name of a statement, which is the same in all processes. Undefined if it gets none. */
  of(text: string): string | undefined {
    if (text.includes(PLANNED_EACH_TIME)) return undefined
    const known = this.#names.get(text)
    if (known !== undefined || this.#names.size >= this.#max) return known
    const name = createHash('sha256').update(text).digest('base64url')
    this.#names.set(text, name)
    return name
  }

  /**
   * Returns the name of a Prisma statement, or an empty string for texts that vary with the length of a list, and for
   * statements without arguments, such as COMMIT.
   */
  ofPrisma({ sql, args }: { readonly sql: string; readonly args: readonly unknown[] }): string {
    if (args.length === 0 || args.length > MAX_ARGUMENTS || list.test(sql)) return ''
    return this.of(sql) ?? ''
  }
}

/** Plans for average values. docs/decisions/query-plans.md has the reasons. */
export const PLAN_FOR_ANY_VALUES = 'SET plan_cache_mode = force_generic_plan'
/** Plans for the actual values. */
export const PLAN_FOR_THESE_VALUES = 'SET plan_cache_mode = force_custom_plan'

/**
 * Prepares the session of a new connection. Discards the statements of earlier clients in the same session: the
 * embedded database has only one session, and a pooler may reuse sessions.
 */
export const beginSession: NonNullable<PoolConfig['verify']> = (client, done) => {
  client.query(`DEALLOCATE ALL; ${PLAN_FOR_ANY_VALUES}`).then(
    () => done(),
    (error: unknown) => done(error instanceof Error ? error : new Error(String(error))),
  )
}
