// The import of subscribers from a CSV file: choose it, check it, import it, see the result.
import { Button, FileInput, Group, Modal, Paper, Progress as ProgressBar, Stack, Text } from '@mantine/core'
import { IconFileImport } from '@tabler/icons-react'
import { useEffect, useRef, useState } from 'react'
import { useBlocker } from 'react-router'
import { useClient, useQuery } from 'urql'
import { problemOf } from '../../../graph/problem.ts'
import { Empty } from '../../../parts/empty.tsx'
import { Loading } from '../../../parts/loading.tsx'
import { Page } from '../../../parts/page.tsx'
import { paths } from '../../../parts/paths.ts'
import { ProblemAlert } from '../../../parts/problem-alert.tsx'
import { useCanWrite } from '../../../session/session-context.ts'
import { ImportCheck } from './import-check.tsx'
import { type ProviderId, providerIdsQuery } from './import-credentials.ts'
import type { Mapping } from './import-fields.ts'
import { type CsvFile, openCsv } from '../../../parts/import/csv-file.ts'
import { ImportResult } from './import-result.tsx'
import { nothingYet, type Progress, runImport } from './import-run.ts'

type Stage =
  | { readonly at: 'choosing'; readonly error?: string }
  | { readonly at: 'checking'; readonly csv: CsvFile }
  | { readonly at: 'running'; readonly progress: Progress; readonly stop: () => void }
  | { readonly at: 'finished'; readonly csv: CsvFile; readonly result: Progress }

const number = new Intl.NumberFormat()

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
  const blocker = useBlocker(stage.at === 'running')
  useEffect(() => () => running.current?.abort(), [])

  const choose = async (file: File | null) => {
    if (file === null) return
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
        <Paper withBorder p="md">
          <Stack>
            <FileInput
              label="CSV file"
              description="UTF-8, at most 200 MiB. Columns: subscriberId, firstName, lastName, email, phone, avatar, locale, timezone, data (JSON) and channels (JSON)."
              placeholder="Choose a file"
              accept=".csv,text/csv"
              leftSection={<IconFileImport size={16} aria-hidden />}
              onChange={(file) => void choose(file)}
            />
            {stage.error !== undefined && <ProblemAlert problem={{ message: stage.error }} />}
          </Stack>
        </Paper>
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
    case 'running': {
      const { done, created, updated, faulty } = stage.progress
      return (
        <Paper withBorder p="md">
          <Stack>
            <ProgressBar size="lg" value={done * 100} aria-label="Progress of the import" />
            <Text aria-live="polite">
              {number.format(created)} created, {number.format(updated)} updated, {number.format(faulty.count)} failed.
            </Text>
            <Group>
              <Button variant="default" onClick={stage.stop}>
                Stop
              </Button>
            </Group>
          </Stack>
          {blocker.state === 'blocked' && (
            <Modal opened onClose={blocker.reset} title="Stop the import?">
              <Text size="sm">The import stops when you leave this page. Rows that were imported stay.</Text>
              <Group justify="flex-end" mt="md">
                <Button variant="default" onClick={blocker.reset}>
                  Stay
                </Button>
                <Button color="red.9" onClick={blocker.proceed}>
                  Stop and leave
                </Button>
              </Group>
            </Modal>
          )}
        </Paper>
      )
    }
    case 'finished':
      return <ImportResult csv={stage.csv} result={stage.result} onAgain={() => setStage({ at: 'choosing' })} />
  }
}
