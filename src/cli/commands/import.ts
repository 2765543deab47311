// import subscribers, topics, subscriptions and suppressions: reads them from CSV or JSON Lines.
import { z } from 'zod'
import { assertOfOrganization } from '../../domain/access/administration.ts'
import { operatorIn } from '../../domain/access/operator.ts'
import { withRollback } from '../../domain/resolver/rollback.ts'
import { createScope } from '../../domain/resolver/create-scope.ts'
import { command, type CommandStreams, flagOption, option, type Progress } from '../command/command.ts'
import { formatNames, openFormat } from '../formats/format.ts'
import type { FileLine } from '../formats/line.ts'
import type { Item, Transfer, Written } from '../transfers/transfer.ts'
import { subscriberTransfer } from '../transfers/subscribers.ts'
import { subscriptionTransfer } from '../transfers/subscriptions.ts'
import { suppressionTransfer } from '../transfers/suppressions.ts'
import { topicTransfer } from '../transfers/topics.ts'

/** Maximum invalid lines in the result. All of them are printed. */
const MAX_SHOWN = 1_000

const counted = (count: number) => count.toLocaleString('en')

/** The message after an interruption. */
function continuation(unit: string, progress: Progress | undefined): string {
  if (progress === undefined) return `the gateway has reported no imported ${unit} yet. Run the same command again`
  const { done, part, line } = progress
  const whole = part === undefined ? '' : ` (${Math.floor(part * 100)} % of the file)`
  return `${counted(done)} ${unit}${whole} are done. To continue, run the same command with --after ${line ?? 0}`
}

interface InvalidLine {
  readonly line: number
  readonly message: string
}

/** The import of one file. */
class Import {
  readonly #streams: CommandStreams
  readonly #transfer: Transfer
  readonly #write: (items: readonly Item[]) => Promise<Written>
  #waiting: FileLine[] = []
  #bytes = 0
  #line = 0
  /** The unit in which the file is counted. */
  place: 'line' | 'element' = 'line'
  readonly counts = { created: 0, existing: 0, failed: 0 }
  readonly failures: InvalidLine[] = []

  constructor(streams: CommandStreams, transfer: Transfer, write: (items: readonly Item[]) => Promise<Written>) {
    this.#streams = streams
    this.#transfer = transfer
    this.#write = write
  }

  /** The bytes of the file, counted as they are read. */
  async *input(): AsyncGenerator<Uint8Array> {
    for await (const chunk of this.#streams.input) {
      yield chunk
      this.#bytes += chunk.length
    }
  }

  /** @throws what the streams and the database throw, or the reason of the signal if the operator has left. */
  async run(lines: AsyncIterable<FileLine>, after: number): Promise<void> {
    for await (const line of lines) {
      if (line.number <= after) continue
      this.#waiting.push(line)
      if (this.#waiting.length === this.#transfer.batch) await this.#flush()
    }
    await this.#flush()
  }

  async #flush(): Promise<void> {
    const lines = this.#waiting
    this.#waiting = []
    this.#streams.signal.throwIfAborted()
    const valid = lines.flatMap(({ number, item }) => (item === undefined ? [] : [{ number, item }]))
    const { created, existing, failed } =
      valid.length === 0 ? { created: 0, existing: 0, failed: [] } : await this.#write(valid.map(({ item }) => item))
    const rejected = failed.map(({ index, message }) => ({ line: valid[index]?.number ?? 0, message }))
    this.#line = lines.at(-1)?.number ?? this.#line
    const unreadable = lines.flatMap(({ number, problem }) =>
      problem === undefined ? [] : [{ line: number, message: problem }],
    )
    for (const failure of [...unreadable, ...rejected].sort((one, other) => one.line - other.line)) {
      await this.#streams.say(`${this.place} ${failure.line}: ${failure.message}`)
      if (this.failures.length < MAX_SHOWN) this.failures.push(failure)
    }
    this.counts.created += created
    this.counts.existing += existing
    this.counts.failed += rejected.length + unreadable.length
    this.#showProgress()
  }

  #showProgress(): void {
    const { created, existing, failed } = this.counts
    const { inputSize } = this.#streams
    const part = inputSize === undefined || inputSize === 0 ? undefined : Math.min(1, this.#bytes / inputSize)
    this.#streams.progress({ done: created + existing + failed, unit: this.#transfer.unit, part, line: this.#line })
  }
}

function importOf(transfer: Transfer, example: string) {
  const { unit, existing: change } = transfer
  return command({
    place: 'gateway',
    file: 'read',
    interrupted: (progress) => continuation(unit, progress),
    description: `Imports ${unit} from a CSV or JSON file.`,
    details: [
      `Fields: ${Object.entries(transfer.columns)
        .map(([name, column]) => `${name}${column.required ? ' (required)' : ''}${column.json ? ' (JSON)' : ''}`)
        .join(', ')}.`,
      'A CSV file has them as columns in any order, separated by commas, semicolons or tabs; an empty cell is no value. A JSON Lines file has one JSON object a line. A JSON array of such objects is read as well.',
      `Items that exist are ${change}, so an interrupted import is simply run again, or continues with --after. Each invalid line is reported, and the others are imported; the exit code is then 1.`,
    ].join('\n'),
    examples: [
      [`import ${unit} ${unit}.csv --environment Production`, `imports a file`],
      [`import ${unit} ${unit}.csv --environment Production --dry-run`, 'checks it and writes nothing'],
      [`import ${unit} --environment Production < ${unit}.jsonl`, example],
    ],
    parameters: {
      environment: option('ENVIRONMENT', 'name, identifier or id', z.string()),
      format: option(
        'FORMAT',
        'csv or jsonl, which includes a JSON array. Default: detected from the first character',
        z.enum(formatNames).optional(),
      ),
      after: option(
        'N',
        'continues after this line, or element of a JSON array, such as after an interruption',
        z.coerce.number().pipe(z.int().min(0)).default(0),
      ),
      dryRun: flagOption('checks everything and writes nothing'),
    },
    async run({ gateway, ...streams }, { environment, format, after, dryRun }) {
      const scope = createScope(gateway, await operatorIn(gateway.db, environment))
      const importing = new Import(streams, transfer, async (items) => {
        // The environment may have been deleted since the last batch.
        await assertOfOrganization(scope, scope.environmentId, 'environment')
        // A dry run checks the items as an import does, including against the database.
        return dryRun ? withRollback(scope, (inner) => transfer.write(inner, items)) : transfer.write(scope, items)
      })
      const { place, lines } = await openFormat(transfer, importing.input(), format)
      importing.place = place
      await importing.run(lines, after)
      const { created, existing, failed } = importing.counts
      const numbers = `${counted(created)} created, ${counted(existing)} ${change}, ${counted(failed)} failed`
      return {
        text: dryRun ? `Nothing was written. An import would have the result: ${numbers}.` : `${numbers}.`,
        result: { created, [change]: existing, failed, dryRun, failures: importing.failures },
        failed: failed > 0,
      }
    },
  })
}

export const importSubscribers = importOf(subscriberTransfer, 'imports what another program writes')
export const importTopics = importOf(topicTransfer, 'imports what another program writes')
export const importSubscriptions = importOf(subscriptionTransfer, 'imports what another program writes')
export const importSuppressions = importOf(suppressionTransfer, 'imports what another program writes')
