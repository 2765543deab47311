// The import of suppressions from a CSV file: choose it, and see the result.
import { Alert, Button, FileInput, Group, Paper, Progress as ProgressBar, Stack, Text } from '@mantine/core'
import { IconAlertTriangle, IconCheck, IconFileImport } from '@tabler/icons-react'
import { useEffect, useRef, useState } from 'react'
import { Link } from 'react-router'
import { useClient } from 'urql'
import { Empty } from '../../parts/empty.tsx'
import { type CsvFile, openCsv } from '../../parts/import/csv-file.ts'
import { FaultyList } from '../../parts/import/faulty-list.tsx'
import { Page } from '../../parts/page.tsx'
import { paths } from '../../parts/paths.ts'
import { ProblemAlert } from '../../parts/problem-alert.tsx'
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

  const start = async (file: File | null) => {
    if (file === null) return
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

  if (stage.at === 'choosing') {
    return (
      <Paper withBorder p="md">
        <Stack>
          <FileInput
            label="CSV file"
            description="UTF-8, at most 200 MiB. Columns: channel (email or sms), address, and optionally reason, detail, integration, contexts and until."
            placeholder="Choose a file"
            accept=".csv,text/csv"
            leftSection={<IconFileImport size={16} aria-hidden />}
            onChange={(file) => void start(file)}
          />
          <Text size="sm" c="dimmed">
            Nothing is sent to the addresses from then on. Addresses that are suppressed already stay as they are.
          </Text>
          {stage.error !== undefined && <ProblemAlert problem={{ message: stage.error }} />}
        </Stack>
      </Paper>
    )
  }
  if (stage.at === 'running') {
    return (
      <Paper withBorder p="md">
        <Stack>
          <ProgressBar size="lg" value={stage.progress.done * 100} aria-label="Progress of the import" />
          <Text aria-live="polite">{countsOf(stage.progress)}</Text>
          <Group>
            <Button variant="default" onClick={stage.stop}>
              Stop
            </Button>
          </Group>
        </Stack>
      </Paper>
    )
  }
  const { csv, result } = stage
  const isFine = result.stopped === undefined && result.faulty.count === 0
  return (
    <Stack>
      <Alert
        role="status"
        color={isFine ? 'green' : 'yellow'}
        icon={isFine ? <IconCheck aria-hidden /> : <IconAlertTriangle aria-hidden />}
      >
        <Text size="sm" fw={600}>
          {result.stopped === undefined ? 'The import is finished' : 'The import ended early'}
        </Text>
        {result.stopped !== undefined && (
          <Text size="sm">{result.stopped} What was imported stays. You can import the same file again.</Text>
        )}
        <Text size="sm">{countsOf(result)}</Text>
      </Alert>
      <Group>
        <Button component={Link} to={paths.suppressions}>
          Show suppressions
        </Button>
        <Button variant="default" onClick={() => setStage({ at: 'choosing' })}>
          Import another file
        </Button>
      </Group>
      <FaultyList csv={csv} faulty={result.faulty} title="Failed rows" />
    </Stack>
  )
}
