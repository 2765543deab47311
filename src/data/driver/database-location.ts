// Where the database is: on a server, also behind a pooler, or embedded in a folder.

export type DatabaseLocation =
  /** A PostgreSQL server. */
  | {
      readonly url: string
      /**
       * The server itself, if `url` is a pooler whose connections belong to a client only within a transaction. LISTEN,
       * migrations and backups use it.
       */
      readonly directUrl?: string | undefined
      /** Unnamed statements are planned each time, and need no session. Default: named. */
      readonly statements?: 'named' | 'unnamed' | undefined
      /** Time without data after which a connection is considered lost, in milliseconds. */
      readonly silence?: number
    }
  /** The embedded database in a directory, which one process can use at a time. */
  | { readonly directory: string }

/** The folder of the embedded database in its directory, which has the lock and the key file too. */
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

export type ServerLocation = Extract<DatabaseLocation, { url: string }>

/** The URL for what needs a session of its own. */
export const directUrlOf = ({ url, directUrl }: ServerLocation): string => directUrl ?? url
