// The run of an import of suppressions: sends the rows of a file to the gateway, page by page.
import type { Client } from 'urql'
import { type CsvFile, readRows, type Row } from '../../parts/import/csv-file.ts'
import { type Faulty, FaultyRows, noneFaulty } from '../../parts/import/faulty-rows.ts'
import { sendPage } from '../../parts/import/send-page.ts'
import { createSuppressionsMutation } from './import-mutation.ts'
import { type Columns, readSuppression } from './suppression-row.ts'

/** Rows of a request: the limit of the gateway. */
const PAGE = 100

export interface ImportProgress {
  /** The fraction of the file that was read, from 0 to 1. */
  readonly done: number
  readonly created: number
  readonly existing: number
  readonly faulty: Faulty
  /** Why it ended early. Rows imported before stay. */
  readonly stopped?: string
}

export const nothingImported: ImportProgress = { done: 0, created: 0, existing: 0, faulty: noneFaulty }

interface Import {
  readonly client: Client
  readonly csv: CsvFile
  readonly columns: Columns
  readonly signal: AbortSignal
  readonly onProgress: (progress: ImportProgress) => void
}

/** Sends a page. @throws Error with the reason if the gateway rejects it as a whole */
async function send({ client, columns, signal }: Import, rows: readonly Row[]) {
  const read = rows.map((row) => ({ row, item: readSuppression(row.cells, columns) }))
  const sent = read.flatMap(({ row, item }) => (typeof item === 'string' ? [] : [{ row, item }]))
  const faulty = read.flatMap(({ row, item }) => (typeof item === 'string' ? [{ ...row, message: item }] : []))
  if (sent.length === 0) return { created: 0, existing: 0, faulty }
  const items = sent.map(({ item }) => item)
  const payload = await sendPage(client, createSuppressionsMutation, { suppressions: items }, signal)
  const failed = (payload.failed ?? []).flatMap(({ index, message }) => {
    const row = sent[index]?.row
    return row === undefined ? [] : [{ ...row, message }]
  })
  return {
    created: payload.suppressions?.length ?? 0,
    existing: payload.existing ?? 0,
    faulty: [...faulty, ...failed],
  }
}

/** Imports a file. A faulty row does not affect the others. Returns the result, even if it ended early. */
export async function importSuppressions(given: Import): Promise<ImportProgress> {
  const { csv, signal, onProgress } = given
  const faultyRows = new FaultyRows(csv)
  const stopped = 'The import was stopped.'
  let progress = nothingImported
  const advance = (change: Partial<ImportProgress>) => {
    progress = { ...progress, ...change, faulty: faultyRows.faulty }
    onProgress(progress)
  }
  try {
    for await (const { rows, done } of readRows(csv)) {
      for (let from = 0; from < rows.length && !signal.aborted; from += PAGE) {
        const { created, existing, faulty } = await send(given, rows.slice(from, from + PAGE))
        await faultyRows.add(faulty)
        advance({ created: progress.created + created, existing: progress.existing + existing })
      }
      if (signal.aborted) break
      advance({ done })
    }
    if (signal.aborted) advance({ stopped })
  } catch (error) {
    advance({ stopped: signal.aborted ? stopped : error instanceof Error ? error.message : String(error) })
  }
  return progress
}
