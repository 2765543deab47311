// The import of suppressions from a CSV file: choose it, and see the result.
import { useEffect, useRef, useState } from 'react'
import { useClient } from 'urql'
import { Empty } from '../../parts/empty.tsx'
import { type CsvFile, openCsv } from '../../parts/import/csv-file.ts'
import { FileChoice } from '../../parts/import/file-choice.tsx'
import { FinishedImport } from '../../parts/import/finished-import.tsx'
import { RunningImport } from '../../parts/import/running-import.tsx'
import { Page } from '../../parts/page.tsx'
import { paths } from '../../parts/paths.ts'
import { useCanWrite } from '../../session/session-context.ts'
import { type ImportProgress, importSuppressions, nothingImported } from './suppression-import.ts'
import { columnsError, columnsOf } from './suppression-row.ts'

const number = new Intl.NumberFormat()

type Stage =
  | { readonly at: 'choosing'; readonly error?: string }
  | { readonly at: 'running'; readonly progress: ImportProgress; readonly stop: () => void }
  | { readonly at: 'finished'; readonly csv: CsvFile; readonly result: ImportProgress }

const countsOf = ({ created, existing, faulty }: ImportProgress) =>
  `${number.format(created)} suppressed, ${number.format(existing)} suppressed already, ${number.format(faulty.count)} failed.`

export function Component() {
  const canWrite = useCanWrite()
  return (
    <Page
      title="Import suppressions"
      description="From a CSV file with a header, such as an export of this list, of the command line or of an earlier service."
      parent={{ label: 'Suppressions', to: paths.suppressions }}
    >
      {canWrite ? (
        <Import />
      ) : (
        <Empty title="You cannot import">Your access is read-only. Sign in with a key that has more access.</Empty>
      )}
    </Page>
  )
}

function Import() {
  const client = useClient()
  const [stage, setStage] = useState<Stage>({ at: 'choosing' })
  const running = useRef<AbortController>(null)
  useEffect(() => () => running.current?.abort(), [])

  const start = async (file: File) => {
    try {
      const csv = await openCsv(file)
      const columns = columnsOf(csv.header)
      const error = columnsError(columns)
      if (error !== null) throw new Error(error)
      const controller = new AbortController()
      running.current = controller
      const stop = () => controller.abort()
      const onProgress = (progress: ImportProgress) => setStage({ at: 'running', progress, stop })
      onProgress(nothingImported)
      const result = await importSuppressions({ client, csv, columns, signal: controller.signal, onProgress })
      setStage({ at: 'finished', csv, result })
    } catch (error) {
      setStage({ at: 'choosing', error: error instanceof Error ? error.message : String(error) })
    }
  }

  switch (stage.at) {
    case 'choosing':
      return (
        <FileChoice
          columns="Columns: channel (email or sms), address, and optionally reason, detail, integration, contexts and until."
          note="Nothing is sent to the addresses from then on. Addresses that are suppressed already stay as they are."
          error={stage.error}
          onChoose={(file) => void start(file)}
        />
      )
    case 'running':
      return <RunningImport done={stage.progress.done} counts={countsOf(stage.progress)} onStop={stage.stop} />
    case 'finished':
      return (
        <FinishedImport
          csv={stage.csv}
          faulty={stage.result.faulty}
          counts={countsOf(stage.result)}
          stopped={stage.result.stopped}
          repetition="You can import the same file again: addresses that are suppressed already stay as they are."
          list={{ label: 'Show suppressions', to: paths.suppressions }}
          onAgain={() => setStage({ at: 'choosing' })}
        />
      )
  }
}
