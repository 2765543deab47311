// The results of the checks of a database, as /ready and `doctor` show them.

/** For each part, `ok` or why it does not work. Contains no host names. */
export interface DatabaseChecks {
  /** `ok` if the database answers and accepts writes. */
  readonly database: string
  /** `ok` if the embedded database has space to write. */
  readonly disk: string
  /** `ok` if the schema of the database fits this version. */
  readonly migrations: string
  /** `ok` if messages of other processes arrive. */
  readonly listener: string
}

export const OK = 'ok'
/** The result for a database that does not answer. */
export const NO_ANSWER = 'the database does not answer'
/** The result for a database that is a standby, or whose transactions are read-only by default. */
export const NO_WRITES = 'the database accepts no writes'
/** The result for a part that depends on one that does not work. */
export const UNCHECKED = 'not checked'
