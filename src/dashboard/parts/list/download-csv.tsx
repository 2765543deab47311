// The button that downloads a list as CSV: all rows that match its filter, not only those on the screen.
import { Button } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { usePending } from '../pending.ts'
import { download } from '../download.ts'
import { showDone, showFailure } from '../messages.ts'
import { MAX_ROWS } from './all-rows.ts'
import type { Column } from './column.ts'
import { csvOf } from './csv.ts'

interface DownloadCsvProps<Row> {
  /** The name of the list, which becomes the name of the file. */
  readonly label: string
  readonly columns: readonly Column<Row>[]
  readonly readAll: () => Promise<{ readonly rows: readonly Row[]; readonly isComplete: boolean }>
}

const number = new Intl.NumberFormat()

export function DownloadCsv<Row>({ label, columns, readAll }: DownloadCsvProps<Row>) {
  const [pending, during] = usePending()
  const save = () =>
    during(async () => {
      try {
        const { rows, isComplete } = await readAll()
        download(`${label.toLowerCase().replaceAll(' ', '-')}.csv`, 'text/csv', csvOf(columns, rows))
        const limit = isComplete ? '' : ` The list has more: a file has at most ${number.format(MAX_ROWS)} rows.`
        showDone(`${rows.length === 1 ? '1 row' : `${number.format(rows.length)} rows`} downloaded.${limit}`)
      } catch (error) {
        showFailure(error)
      }
    })
  return (
    <Button
      size="xs"
      variant="default"
      leftSection={<IconDownload size={14} aria-hidden />}
      loading={pending}
      onClick={() => void save()}
    >
      Download CSV
    </Button>
  )
}
