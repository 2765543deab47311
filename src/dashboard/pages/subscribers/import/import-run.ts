// The run of an import: sends the rows of a file to the gateway, page by page, to check them or to write them.
import type { Client } from 'urql'
import { sendPage } from '../../../parts/import/send-page.ts'
import type { ProviderId } from './import-credentials.ts'
import { type Faulty, type FaultyRow, FaultyRows, noneFaulty } from '../../../parts/import/faulty-rows.ts'
import { type CellProblem, type Mapping, readRow } from './import-fields.ts'
import { type CsvFile, readRows, type Row } from '../../../parts/import/csv-file.ts'
import { createSubscribersMutation, type Item } from './import-mutation.ts'

/** The gateway takes at most 500 items and 4 MiB in one request. */
const MAX_ITEMS = 500
const MAX_LENGTH = 1024 * 1024

/** How far a check or an import is. The numbers of a check are those of an import. */
export interface Progress {
  /** The fraction of the file that was read, from 0 to 1. */
  readonly done: number
  readonly created: number
  readonly updated: number
  readonly faulty: Faulty
  /** Why it ended early. Rows imported before stay. */
  readonly stopped?: string
}

export const nothingYet: Progress = { done: 0, created: 0, updated: 0, faulty: noneFaulty }

interface Import {
  readonly client: Client
  readonly csv: CsvFile
  readonly mapping: Mapping
  readonly providers: readonly ProviderId[]
  /** True checks the rows and writes nothing. */
  readonly dryRun: boolean
  readonly signal: AbortSignal
  readonly onProgress: (progress: Progress) => void
}

/** Sends a page. @throws Error with the reason if the gateway rejects it */
async function send({ client, dryRun, signal }: Import, subscribers: Item[]) {
  const { created, updated, failed } = await sendPage(
    client,
    createSubscribersMutation,
    { subscribers, dryRun },
    signal,
  )
  return { created: created ?? [], updated: updated ?? [], failed: failed ?? [] }
}

const explain = (problems: readonly CellProblem[], { header }: CsvFile) =>
  problems.map(({ column, message }) => `${column === null ? 'The row' : (header[column] ?? '')} ${message}`).join('; ')

/** A row of a page, with its item or the reason why it has none. */
type PageRow = { readonly row: Row } & ({ readonly item: Item } | { readonly message: string })

/** The pages of a file. The fraction of the file that was read is known after the last page of a portion. */
async function* pagesOf({ csv, mapping, providers }: Import): AsyncGenerator<{ rows: PageRow[]; done?: number }> {
  let rows: PageRow[] = []
  let length = 0
  for await (const portion of readRows(csv)) {
    for (const row of portion.rows) {
      const read = readRow(row.cells, csv.header, mapping, providers)
      rows.push('item' in read ? { row, item: read.item } : { row, message: explain(read.problems, csv) })
      length += row.cells.reduce((sum, cell) => sum + cell.length, 0)
      if (rows.length < MAX_ITEMS && length < MAX_LENGTH) continue
      yield { rows }
      rows = []
      length = 0
    }
    if (portion.done === 1) yield { rows, done: 1 }
    else yield { rows: [], done: portion.done }
  }
}

/** Checks or imports a file. A faulty row does not affect the others. Returns the result, even if it ended early. */
export async function runImport(given: Import): Promise<Progress> {
  const { csv, dryRun, signal, onProgress } = given
  const faultyRows = new FaultyRows(csv)
  /** The ids that the check has found to be new. An import creates them only once. */
  const found = new Set<string>()
  let progress = nothingYet
  const advance = (change: Partial<Progress>) => {
    progress = { ...progress, ...change, faulty: faultyRows.faulty }
    onProgress(progress)
  }
  const flush = async (rows: readonly PageRow[]) => {
    const sent = rows.filter((row) => 'item' in row)
    const none = { created: [], updated: [], failed: [] }
    const { created, updated, failed } =
      sent.length === 0
        ? none
        : await send(
            given,
            sent.map(({ item }) => item),
          )
    const reasons = new Map(failed.map(({ index, message }) => [sent[index]?.row, message]))
    const faulty = rows.flatMap((one): FaultyRow[] => {
      const message = 'message' in one ? one.message : reasons.get(one.row)
      return message === undefined ? [] : [{ ...one.row, message }]
    })
    await faultyRows.add(faulty)
    const repeated = created.filter((id) => found.has(id)).length
    if (dryRun) for (const id of created) found.add(id)
    return {
      created: progress.created + created.length - repeated,
      updated: progress.updated + updated.length + repeated,
    }
  }
  const stopped = `The ${dryRun ? 'check' : 'import'} was stopped.`
  try {
    for await (const { rows, done = progress.done } of pagesOf(given)) {
      if (signal.aborted) break
      advance({ ...(await flush(rows)), done })
    }
    if (signal.aborted) advance({ stopped })
  } catch (error) {
    advance({ stopped: signal.aborted ? stopped : error instanceof Error ? error.message : String(error) })
  }
  return progress
}
