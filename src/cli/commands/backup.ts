// backup: writes all rows of the database to a file, while the gateway runs.
import { backUpDatabase } from '../../domain/secrets/backup.ts'
import { command } from '../command/command.ts'
import { textTable } from '../output/text-table.ts'

export const backup = command({
  place: 'gateway',
  description: 'Writes a backup of the whole database to a file, while the gateway runs.',
  details:
    'The backup has one state of all rows, with personal data in clear, and secrets encrypted. It does not have the encryption keys: back them up separately. "restore" reads it.',
  examples: [
    ['backup gateway.backup', 'replaces an earlier file of this name once the new one is complete'],
    ['backup - | ssh backup.example.com "cat > gateway.backup"', 'writes to stdout'],
  ],
  file: 'write',
  interrupted: () => 'no backup was written. Run the same command again',
  parameters: {},
  async run({ database, gateway, logger, ...streams }) {
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
