// The import of subscribers from a CSV file: choose it, check it, import it, see the result.
import { Button, FileInput, Group, Modal, Paper, Progress as ProgressBar, Stack, Text } from '@mantine/core'
import { IconFileImport } from '@tabler/icons-react'
import { useEffect, useRef, useState } from 'react'
import { useBlocker } from 'react-router'
import { useClient, useQuery } from 'urql'
import { Empty } from '../../parts/empty.tsx'
import { Page } from '../../parts/page.tsx'
import { paths } from '../../parts/paths.ts'
import { ProblemAlert } from '../../parts/problem-alert.tsx'
import { useCanWrite } from '../../session/session-context.ts'
import { providerIdsQuery } from './import-credentials.ts'
import { type Mapping, mappingError, mappingOf } from './import-fields.ts'
import { type CsvFile, openCsv } from './import-file.ts'
import { ImportPreview } from './import-preview.tsx'
import { ImportResult } from './import-result.tsx'
import { nothingYet, type Progress, runImport } from './import-run.ts'

type Stage =
  | { readonly at: 'choosing'; readonly error?: string }
  | { readonly at: 'checking'; readonly csv: CsvFile; readonly mapping: Mapping }
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
  const [{ data }] = useQuery({ query: providerIdsQuery })
  const providers = (data?.providers ?? []).map(({ providerId }) => providerId)
  const running = useRef<AbortController>(null)
  const blocker = useBlocker(stage.at === 'running')
  useEffect(() => () => running.current?.abort(), [])

  const choose = async (file: File | null) => {
    if (file === null) return
    try {
      const csv = await openCsv(file)
      setStage({ at: 'checking', csv, mapping: mappingOf(csv.header) })
    } catch (error) {
      setStage({ at: 'choosing', error: error instanceof Error ? error.message : String(error) })
    }
  }
  const start = async (csv: CsvFile, mapping: Mapping) => {
    const controller = new AbortController()
    running.current = controller
    const stop = () => controller.abort()
    setStage({ at: 'running', progress: nothingYet, stop })
    const onProgress = (progress: Progress) => setStage({ at: 'running', progress, stop })
    const result = await runImport({ client, csv, mapping, providers, signal: controller.signal, onProgress })
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
      const { csv, mapping } = stage
      const error = mappingError(mapping)
      return (
        <Stack>
          <Text>
            These are the first rows of <b className="wrap-anywhere">{csv.name}</b>. Check which field each column
            fills.
          </Text>
          <ImportPreview
            csv={csv}
            mapping={mapping}
            providers={providers}
            onMap={(next) => setStage({ ...stage, mapping: next })}
          />
          {error !== null && <ProblemAlert problem={{ message: error }} />}
          <Group>
            <Button disabled={error !== null || data === undefined} onClick={() => void start(csv, mapping)}>
              Import
            </Button>
            <Button variant="default" onClick={() => setStage({ at: 'choosing' })}>
              Choose another file
            </Button>
          </Group>
        </Stack>
      )
    }
    case 'running': {
      const { done, created, updated, failed } = stage.progress
      return (
        <Paper withBorder p="md">
          <Stack>
            <ProgressBar size="lg" value={done * 100} aria-label="Progress of the import" />
            <Text aria-live="polite">
              {number.format(created)} created, {number.format(updated)} updated, {number.format(failed.length)} failed.
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
