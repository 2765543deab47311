// The option `--database` of commands that work on one database of an installation.
import { z } from 'zod'
import { type DatabaseLocation, locationOf, otherLocations } from '../../data/driver/database-location.ts'
import { MAIN_DATABASE } from '../../domain/resolver/databases.ts'
import { refuse } from '../../lib/errors.ts'
import { option, type Settings } from './command.ts'

/** The names in `DATABASES`, and that of the main database. */
const namesIn = ({ databases = [] }: Pick<Settings, 'databases'>) => [MAIN_DATABASE, ...databases.map(([name]) => name)]

export const databaseOption = option(
  'NAME',
  'main, or a name of DATABASES. Default: the only database',
  z.string().optional(),
)

/** Returns the database that an operator names. @throws Refusal `INVALID` that lists the names if there are several. */
export function chosenName(names: readonly string[], given: string | undefined): string {
  const [only] = names
  if (given === undefined && names.length === 1 && only !== undefined) return only
  if (given !== undefined && names.includes(given)) return given
  const list = names.join(', ')
  throw refuse(
    'INVALID',
    given === undefined
      ? `database is required, because this installation has several: one of ${list}`
      : `database must be one of ${list}`,
    'database',
    given,
  )
}

/** Returns the location of the database that an operator names. @throws Refusal `INVALID` */
export function chosenLocation(settings: Settings, given: string | undefined): DatabaseLocation {
  const name = chosenName(namesIn(settings), given)
  return locationsOf(settings).find(([known]) => known === name)?.[1] ?? locationOf(settings)
}

/** The locations of all databases, by name. The main one comes first. */
export const locationsOf = (settings: Settings): readonly (readonly [name: string, location: DatabaseLocation])[] => [
  [MAIN_DATABASE, locationOf(settings)],
  ...otherLocations({ databases: [], ...settings }),
]
