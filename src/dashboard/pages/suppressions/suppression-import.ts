// The run of an import of suppressions: sends the rows of a file to the gateway, page by page.
import type { Client } from 'urql'
import { sendAct } from '../../graph/act.ts'
import { type CsvFile, readRows, type Row } from '../../parts/import/csv-file.ts'
import { type Faulty, FaultyRows, noneFaulty } from '../../parts/import/faulty-rows.ts'
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
async function sendPage(client: Client, rows: readonly Row[], columns: Columns, faultyRows: FaultyRows) {
  const read = rows.map((row) => ({ row, item: readSuppression(row.cells, columns) }))
  const sent = read.flatMap(({ row, item }) => (typeof item === 'string' ? [] : [{ row, item }]))
  const faulty = read.flatMap(({ row, item }) => (typeof item === 'string' ? [{ ...row, message: item }] : []))
  let [created, existing] = [0, 0]
  if (sent.length > 0) {
    const outcome = await sendAct(client, createSuppressionsMutation, { suppressions: sent.map(({ item }) => item) })
    if (!outcome.ok) throw new Error(outcome.problems[0].message)
    const { payload } = outcome
    created = payload.suppressions?.length ?? 0
    existing = payload.existing ?? 0
    faulty.push(
      ...(payload.failed ?? []).flatMap(({ index, message }) => {
        const row = sent[index]?.row
        return row === undefined ? [] : [{ ...row, message }]
      }),
    )
  }
  await faultyRows.add(faulty)
  return { created, existing }
}

/** Imports a file. A faulty row does not affect the others. Returns the result, even if it ended early. */
export async function importSuppressions({
  client,
  csv,
  columns,
  signal,
  onProgress,
}: Import): Promise<ImportProgress> {
  const faultyRows = new FaultyRows(csv)
  let progress = nothingImported
  try {
    for await (const { rows, done } of readRows(csv)) {
      for (let from = 0; from < rows.length && !signal.aborted; from += PAGE) {
        const { created, existing } = await sendPage(client, rows.slice(from, from + PAGE), columns, faultyRows)
        progress = {
          ...progress,
          created: progress.created + created,
          existing: progress.existing + existing,
          faulty: faultyRows.faulty,
        }
        onProgress(progress)
      }
      if (signal.aborted) return { ...progress, stopped: 'The import was stopped.' }
      progress = { ...progress, done }
      onProgress(progress)
    }
    return progress
  } catch (error) {
    return { ...progress, faulty: faultyRows.faulty, stopped: error instanceof Error ? error.message : String(error) }
  }
}
