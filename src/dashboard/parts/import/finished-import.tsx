// The result of an import: what happened to the rows, and those that failed.
import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { IconAlertTriangle, IconCheck } from '@tabler/icons-react'
import { Link } from 'react-router'
import type { CsvFile } from './csv-file.ts'
import { FaultyList } from './faulty-list.tsx'
import type { Faulty } from './faulty-rows.ts'

interface FinishedImportProps {
  readonly csv: CsvFile
  readonly faulty: Faulty
  /** What happened to the rows, in a sentence. */
  readonly counts: string
  /** Why the import ended early. Undefined if it did not. */
  readonly stopped: string | undefined
  /** The effect of another import of the same file, in a sentence. */
  readonly repetition: string
  /** The list of what was imported. */
  readonly list: { readonly label: string; readonly to: string }
  readonly onAgain: () => void
}

export function FinishedImport({ csv, faulty, counts, stopped, repetition, list, onAgain }: FinishedImportProps) {
  const isFine = stopped === undefined && faulty.count === 0
  return (
    <Stack>
      <Alert
        role="status"
        color={isFine ? 'green' : 'yellow'}
        icon={isFine ? <IconCheck aria-hidden /> : <IconAlertTriangle aria-hidden />}
      >
        <Text size="sm" fw={600}>
          {stopped === undefined ? 'The import is finished' : 'The import ended early'}
        </Text>
        {stopped !== undefined && (
          <Text size="sm">
            {stopped} What was imported stays. {repetition}
          </Text>
        )}
        <Text size="sm">{counts}</Text>
      </Alert>
      <Group>
        <Button component={Link} to={list.to}>
          {list.label}
        </Button>
        <Button variant="default" onClick={onAgain}>
          Import another file
        </Button>
      </Group>
      <FaultyList csv={csv} faulty={faulty} title="Failed rows" />
    </Stack>
  )
}
