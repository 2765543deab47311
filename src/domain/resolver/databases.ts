// The databases of an installation: the main one, which knows all environments and their keys, and those that have the
// rows of some environments.

/** The name of the main database, for people. Its environments have no other database. */
export const MAIN_DATABASE = 'main'

/** @typeParam Gateway what is open on each database. */
export interface Databases<Gateway> {
  /** The names of the databases beside the main one. */
  readonly names: readonly string[]
  /** The database in which new environments are created. Null for the main one. */
  readonly forNewEnvironments: string | null
  /**
   * Returns the gateway on a database. @param name null for the main one.
   *
   * @throws Refusal `UNAVAILABLE` if the database could not be opened yet.
   */
  at(name: string | null): Gateway
}

/** The name of a database, for people. */
export const shownDatabase = (name: string | null): string => name ?? MAIN_DATABASE

/** The databases of an installation that has only the main one. */
export const onlyMain = <Gateway>(main: () => Gateway): Databases<Gateway> => ({
  names: [],
  forNewEnvironments: null,
  at: main,
})

interface Located<Gateway> {
  readonly database: string | null
  readonly databases: Databases<Gateway>
}

/** Returns the gateway on a database. @throws Refusal `UNAVAILABLE` */
export const gatewayAt = <Gateway extends Located<Gateway>>(gateway: Gateway, database: string | null): Gateway =>
  database === gateway.database ? gateway : gateway.databases.at(database)

interface Placed<Scope> {
  readonly database: string | null
  readonly elsewhere: (database: string | null) => Scope
}

/**
 * Returns the scope of the same caller on a database: this one, or another one outside of its transaction.
 *
 * @throws Refusal `UNAVAILABLE`
 */
export const scopeOn = <Scope extends Placed<Scope>>(scope: Scope, database: string | null): Scope =>
  database === scope.database ? scope : scope.elsewhere(database)

/** Returns the scope on the main database, which has all environments, API keys and dashboard sessions. */
export const mainScope = <Scope extends Placed<Scope>>(scope: Scope): Scope => scopeOn(scope, null)
