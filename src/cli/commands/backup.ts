// backup: writes all rows of the database to a file, while the gateway runs.
import { backUpDatabase } from '../../domain/secrets/backup.ts'
import { command } from '../command/command.ts'
import { chosenName, databaseOption } from '../command/named-database.ts'
import { MAIN_DATABASE } from '../../domain/resolver/databases.ts'
import { textTable } from '../output/text-table.ts'

export const backup = command({
  place: 'gateway',
  description: 'Writes a backup of a whole database to a file, while the gateway runs.',
  details:
    'The backup has one state of all rows, with personal data in clear, and secrets encrypted. It does not have the encryption keys: back them up separately. "restore" reads it.',
  examples: [
    ['backup gateway.backup', 'replaces an earlier file of this name once the new one is complete'],
    ['backup --database eu eu.backup', 'one of several databases: back up each of them'],
    ['backup - | ssh backup.example.com "cat > gateway.backup"', 'writes to stdout'],
  ],
  file: 'write',
  interrupted: () => 'no backup was written. Run the same command again',
  parameters: { database: databaseOption },
  async run({ database: main, gateway, others, logger, ...streams }, { database: named }) {
    const name = chosenName([MAIN_DATABASE, ...gateway.databases.names], named)
    const database = name === MAIN_DATABASE ? main : others().find((other) => other.name === name)?.database
    if (database === undefined) throw new Error(`the database ${name} does not answer`)
    let done = 0
    const write = async (portion: Buffer) => {
      streams.signal.throwIfAborted()
      await streams.write(portion)
      done += portion.length
      streams.progress({ done, unit: 'bytes' })
    }
    const { finish } = streams
    const { tables, bytes } = await backUpDatabase({ database, now: gateway.now, logger }, { write, finish })
    const sizes = tables.map(({ name, rows }) => [name, String(rows)])
    return { text: `${textTable(['table', 'rows'], sizes)}\n\n${bytes} bytes`, result: { tables, bytes } }
  },
})
