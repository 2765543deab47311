// Where the database is: on a server, possibly behind a pooler, or embedded in a folder.

export type DatabaseLocation =
  /** A PostgreSQL server. */
  | {
      readonly url: string
      /**
       * The URL of the server itself, if `url` is a pooler that assigns connections for one transaction. LISTEN,
       * migrations and backups use it.
       */
      readonly directUrl?: string | undefined
      /** Whether statements are named. Unnamed statements are planned each time and need no session. Default: named. */
      readonly statements?: 'named' | 'unnamed' | undefined
      /** Time without data after which a connection is considered lost, in milliseconds. */
      readonly silence?: number
    }
  /** The embedded database in a directory. Only one process can use it at a time. */
  | { readonly directory: string }

/** The database's folder in its directory, which also contains the lock and the key file. */
export const DATABASE_FOLDER = 'database'

interface LocationSettings {
  readonly databaseUrl: string | undefined
  readonly databaseDirectUrl?: string | undefined
  readonly databaseStatements?: 'named' | 'unnamed'
  readonly dataDirectory: string
}

/** Returns the location that settings name. */
export function locationOf({
  databaseUrl: url,
  databaseDirectUrl: directUrl,
  databaseStatements: statements,
  dataDirectory: directory,
}: LocationSettings): DatabaseLocation {
  return url === undefined ? { directory } : { url, directUrl, statements }
}

interface OtherSettings {
  readonly databases: readonly (readonly [name: string, url: string])[]
  readonly databaseStatements?: 'named' | 'unnamed'
}

/** Returns the locations of the databases beside the main one, by name. */
export const otherLocations = ({ databases, databaseStatements: statements }: OtherSettings) =>
  databases.map(([name, url]): readonly [string, DatabaseLocation] => [name, { url, statements }])

export type ServerLocation = Extract<DatabaseLocation, { url: string }>

/** The URL for connections that need a session. */
export const directUrlOf = ({ url, directUrl }: ServerLocation): string => directUrl ?? url
