// The import of subscribers from a CSV file: choose it, check it, import it, see the result.
import { useEffect, useRef, useState } from 'react'
import { useClient, useQuery } from 'urql'
import { problemOf } from '../../../graph/problem.ts'
import { Empty } from '../../../parts/empty.tsx'
import { type CsvFile, openCsv } from '../../../parts/import/csv-file.ts'
import { FileChoice } from '../../../parts/import/file-choice.tsx'
import { FinishedImport } from '../../../parts/import/finished-import.tsx'
import { RunningImport } from '../../../parts/import/running-import.tsx'
import { Loading } from '../../../parts/loading.tsx'
import { Page } from '../../../parts/page.tsx'
import { paths } from '../../../parts/paths.ts'
import { ProblemAlert } from '../../../parts/problem-alert.tsx'
import { useCanWrite } from '../../../session/session-context.ts'
import { ImportCheck } from './import-check.tsx'
import { type ProviderId, providerIdsQuery } from './import-credentials.ts'
import type { Mapping } from './import-fields.ts'
import { nothingYet, type Progress, runImport } from './import-run.ts'

type Stage =
  | { readonly at: 'choosing'; readonly error?: string }
  | { readonly at: 'checking'; readonly csv: CsvFile }
  | { readonly at: 'running'; readonly progress: Progress; readonly stop: () => void }
  | { readonly at: 'finished'; readonly csv: CsvFile; readonly result: Progress }

const number = new Intl.NumberFormat()

const countsOf = ({ created, updated, faulty }: Progress) =>
  `${number.format(created)} created, ${number.format(updated)} updated, ${number.format(faulty.count)} failed.`

export function Component() {
  const canWrite = useCanWrite()
  return (
    <Page
      title="Import subscribers"
      description="From a CSV file with a header. Subscribers that exist are updated; an empty cell leaves its field unchanged."
      parent={{ label: 'Subscribers', to: paths.subscribers }}
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
  const [{ data, error }] = useQuery({ query: providerIdsQuery })
  const providers = data?.providers.map(({ providerId }) => providerId)
  const running = useRef<AbortController>(null)
  useEffect(() => () => running.current?.abort(), [])

  const choose = async (file: File) => {
    try {
      const csv = await openCsv(file)
      setStage({ at: 'checking', csv })
    } catch (error) {
      setStage({ at: 'choosing', error: error instanceof Error ? error.message : String(error) })
    }
  }
  const start = async (csv: CsvFile, mapping: Mapping, providers: readonly ProviderId[]) => {
    const controller = new AbortController()
    running.current = controller
    const stop = () => controller.abort()
    setStage({ at: 'running', progress: nothingYet, stop })
    const onProgress = (progress: Progress) => setStage({ at: 'running', progress, stop })
    const result = await runImport({
      ...{ client, csv, mapping, providers, dryRun: false },
      ...{ signal: controller.signal, onProgress },
    })
    setStage({ at: 'finished', csv, result })
  }

  switch (stage.at) {
    case 'choosing':
      return (
        <FileChoice
          columns="Columns: subscriberId, firstName, lastName, email, phone, avatar, locale, timezone, data (JSON) and channels (JSON)."
          error={stage.error}
          onChoose={(file) => void choose(file)}
        />
      )
    case 'checking': {
      const { csv } = stage
      if (providers === undefined) return error ? <ProblemAlert problem={problemOf(error)} /> : <Loading />
      return (
        <ImportCheck
          csv={csv}
          providers={providers}
          onImport={(mapping) => void start(csv, mapping, providers)}
          onAgain={() => setStage({ at: 'choosing' })}
        />
      )
    }
    case 'running':
      return <RunningImport done={stage.progress.done} counts={countsOf(stage.progress)} onStop={stage.stop} />
    case 'finished':
      return (
        <FinishedImport
          csv={stage.csv}
          faulty={stage.result.faulty}
          counts={countsOf(stage.result)}
          stopped={stage.result.stopped}
          repetition="You can import the same file again: subscribers that exist are updated."
          list={{ label: 'Show subscribers', to: paths.subscribers }}
          onAgain={() => setStage({ at: 'choosing' })}
        />
      )
  }
}
