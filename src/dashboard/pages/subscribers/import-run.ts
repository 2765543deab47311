// The run of an import: sends the rows of a file to the gateway, page by page.
import type { Client, CombinedError } from 'urql'
import { problemOf } from '../../graph/problem.ts'
import type { ProviderId } from './import-credentials.ts'
import { type Mapping, readRow } from './import-fields.ts'
import { type CsvFile, readRows, type Row } from './import-file.ts'
import { createSubscribersMutation, type Item } from './import-mutation.ts'

/** The gateway takes at most 500 items and 4 MiB in one request. */
const MAX_ITEMS = 500
const MAX_LENGTH = 1024 * 1024

/** Attempts for a page that fails for a temporary reason. */
const MAX_ATTEMPTS = 5

export interface FailedRow extends Row {
  readonly message: string
}

export interface Progress {
  /** The fraction of the file that was read, from 0 to 1. */
  readonly done: number
  readonly created: number
  readonly updated: number
  readonly failed: readonly FailedRow[]
  /** Why the import ended early. Rows imported before stay. */
  readonly stopped?: string
}

export const nothingYet: Progress = { done: 0, created: 0, updated: 0, failed: [] }

interface Import {
  readonly client: Client
  readonly csv: CsvFile
  readonly mapping: Mapping
  readonly providers: readonly ProviderId[]
  readonly signal: AbortSignal
  readonly onProgress: (progress: Progress) => void
}

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

const isPassing = ({ networkError, graphQLErrors }: CombinedError) =>
  networkError !== undefined ||
  graphQLErrors.some(({ extensions }) => ['RATE_LIMITED', 'UNAVAILABLE'].includes(String(extensions['code'])))

/** Sends a page. @throws Error with the reason if the gateway rejects it */
async function send(client: Client, subscribers: Item[]) {
  for (let attempt = 1; ; attempt += 1) {
    const { data, error } = await client.mutation(createSubscribersMutation, { input: { subscribers } })
    if (error !== undefined) {
      if (!isPassing(error) || attempt === MAX_ATTEMPTS) throw new Error(problemOf(error).message)
      await pause(500 * 2 ** attempt)
      continue
    }
    const payload = data?.createSubscribers
    const [problem] = payload?.userErrors ?? []
    if (payload === undefined || problem !== undefined) {
      throw new Error(problem?.message ?? 'The gateway returned no result.')
    }
    return { created: payload.created ?? [], updated: payload.updated ?? [], failed: payload.failed ?? [] }
  }
}

/** Imports a file. A row that fails does not affect the others. Returns the result, even if the import ended early. */
export async function runImport({ client, csv, mapping, providers, signal, onProgress }: Import): Promise<Progress> {
  let progress = nothingYet
  const advance = (change: Partial<Progress>) => {
    progress = { ...progress, ...change }
    onProgress(progress)
  }
  let page: { readonly row: Row; readonly item: Item }[] = []
  let length = 0

  const flush = async () => {
    if (page.length === 0) return
    const sent = page
    page = []
    length = 0
    const { created, updated, failed } = await send(
      client,
      sent.map(({ item }) => item),
    )
    const rejected = failed.flatMap(({ index, message }) => {
      const row = sent[index]?.row
      return row === undefined ? [] : [{ ...row, message }]
    })
    advance({
      created: progress.created + created.length,
      updated: progress.updated + updated.length,
      failed: [...progress.failed, ...rejected],
    })
  }

  try {
    await readRows(csv, async (rows, done) => {
      const invalid: FailedRow[] = []
      for (const row of rows) {
        const read = readRow(row.cells, csv.header, mapping, providers)
        if ('problems' in read) {
          const message = read.problems
            .map(({ column, message }) => `${column === null ? 'The row' : (csv.header[column] ?? '')} ${message}`)
            .join('; ')
          invalid.push({ ...row, message })
          continue
        }
        page.push({ row, item: read.item })
        length += row.cells.reduce((sum, cell) => sum + cell.length, 0)
        if (page.length === MAX_ITEMS || length > MAX_LENGTH) await flush()
        if (signal.aborted) return false
      }
      advance({ done, failed: [...progress.failed, ...invalid] })
      return true
    })
    if (signal.aborted) advance({ stopped: 'The import was stopped.' })
    else {
      await flush()
      advance({ done: 1 })
    }
  } catch (error) {
    advance({ stopped: error instanceof Error ? error.message : String(error) })
  }
  return { ...progress, failed: progress.failed.toSorted((a, b) => a.number - b.number) }
}
