// The check of an import: all rows are checked by the gateway, which writes nothing, before someone imports them.
import { Alert, Button, Group, Paper, Progress as ProgressBar, Stack, Text } from '@mantine/core'
import { IconAlertTriangle, IconCheck } from '@tabler/icons-react'
import { useEffect, useRef, useState } from 'react'
import { useClient } from 'urql'
import { ProblemAlert } from '../../../parts/problem-alert.tsx'
import type { ProviderId } from './import-credentials.ts'
import { FaultyList } from '../../../parts/import/faulty-list.tsx'
import { type Mapping, mappingError, mappingOf } from './import-fields.ts'
import type { CsvFile } from '../../../parts/import/csv-file.ts'
import { ImportPreview } from './import-preview.tsx'
import { nothingYet, type Progress, runImport } from './import-run.ts'

const number = new Intl.NumberFormat()

interface Checked {
  readonly progress: Progress
  readonly isOver: boolean
}

const notChecked: Checked = { progress: nothingYet, isOver: false }

/** Checks the file from the beginning whenever its mapping changes. */
function useCheck(csv: CsvFile, mapping: Mapping, providers: readonly ProviderId[]) {
  const client = useClient()
  const [last, setLast] = useState<Checked & { readonly mapping: Mapping; readonly attempt: number }>()
  const [attempt, setAttempt] = useState(1)
  const running = useRef<AbortController>(null)
  const isValid = mappingError(mapping) === null
  useEffect(() => {
    if (!isValid) return undefined
    const controller = new AbortController()
    running.current = controller
    let isLeft = false
    const show = (progress: Progress, isOver: boolean) => {
      if (!isLeft) setLast({ progress, isOver, mapping, attempt })
    }
    const { signal } = controller
    const onProgress = (progress: Progress) => show(progress, false)
    void runImport({ client, csv, mapping, providers, dryRun: true, signal, onProgress }).then((progress) =>
      show(progress, true),
    )
    return () => {
      isLeft = true
      controller.abort()
    }
  }, [client, csv, mapping, providers, isValid, attempt])
  const stop = () => running.current?.abort()
  // Of an earlier mapping, it says nothing about this one.
  const isCurrent = last?.mapping === mapping && last.attempt === attempt
  const { progress, isOver } = isCurrent ? last : notChecked
  return { progress, isOver, stop, again: () => setAttempt(attempt + 1) }
}

interface ImportCheckProps {
  readonly csv: CsvFile
  readonly providers: readonly ProviderId[]
  readonly onImport: (mapping: Mapping) => void
  readonly onAgain: () => void
}

export function ImportCheck({ csv, providers: given, onImport, onAgain }: ImportCheckProps) {
  // A repeated query does not start the check again.
  const [providers] = useState(given)
  const [mapping, setMapping] = useState(() => mappingOf(csv.header))
  const { progress, isOver, stop, again } = useCheck(csv, mapping, providers)
  const error = mappingError(mapping)
  const good = progress.created + progress.updated
  const isReady = error === null && isOver && progress.stopped === undefined && good > 0
  return (
    <Stack>
      <Text>
        These are the first rows of <b className="wrap-anywhere">{csv.name}</b>. Check which field each column fills.
      </Text>
      <ImportPreview csv={csv} mapping={mapping} providers={providers} onMap={setMapping} />
      {error === null ? (
        <CheckProgress progress={progress} isOver={isOver} onStop={stop} onAgain={again} />
      ) : (
        <ProblemAlert problem={{ message: error }} />
      )}
      <Group>
        <Button disabled={!isReady} onClick={() => onImport(mapping)}>
          {isReady ? `Import ${good === 1 ? '1 row' : `${number.format(good)} rows`}` : 'Import'}
        </Button>
        <Button variant="default" onClick={onAgain}>
          Choose another file
        </Button>
      </Group>
      {error === null && <FaultyList csv={csv} faulty={progress.faulty} title="Faulty rows" />}
    </Stack>
  )
}

interface CheckProgressProps extends Checked {
  readonly onStop: () => void
  readonly onAgain: () => void
}

function CheckProgress({ progress, isOver, onStop, onAgain }: CheckProgressProps) {
  const { done, created, updated, faulty, stopped } = progress
  const checked = created + updated + faulty.count
  if (!isOver) {
    return (
      <Paper withBorder p="md">
        <Stack>
          <ProgressBar size="lg" value={done * 100} aria-label="Progress of the check" />
          <Group justify="space-between">
            <Text size="sm">
              {number.format(checked)} rows checked, {number.format(faulty.count)} faulty. Nothing is written yet.
            </Text>
            <Button variant="default" size="xs" onClick={onStop}>
              Stop the check
            </Button>
          </Group>
        </Stack>
      </Paper>
    )
  }
  if (stopped !== undefined) {
    return (
      <Alert role="status" color="yellow" icon={<IconAlertTriangle aria-hidden />}>
        <Group justify="space-between">
          <Text size="sm">{stopped} Nothing was written.</Text>
          <Button variant="default" size="xs" onClick={onAgain}>
            Check again
          </Button>
        </Group>
      </Alert>
    )
  }
  const isFine = faulty.count === 0
  return (
    <Alert
      role="status"
      color={isFine ? 'green' : 'yellow'}
      icon={isFine ? <IconCheck aria-hidden /> : <IconAlertTriangle aria-hidden />}
    >
      <Text size="sm" fw={600}>
        {isFine
          ? `All rows are valid: ${number.format(checked)}`
          : `${number.format(faulty.count)} of ${number.format(checked)} rows cannot be imported`}
      </Text>
      <Text size="sm">
        {number.format(created)} to create, {number.format(updated)} to update. Nothing is written yet.
      </Text>
    </Alert>
  )
}
