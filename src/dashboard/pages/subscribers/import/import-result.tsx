// The result of an import: the numbers of created and updated subscribers, and the rows that failed.
import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { IconAlertTriangle, IconCheck } from '@tabler/icons-react'
import { Link } from 'react-router'
import { paths } from '../../../parts/paths.ts'
import type { CsvFile } from '../../../parts/import/csv-file.ts'
import { FaultyList } from '../../../parts/import/faulty-list.tsx'
import type { Progress } from './import-run.ts'

const number = new Intl.NumberFormat()

interface ImportResultProps {
  readonly csv: CsvFile
  readonly result: Progress
  readonly onAgain: () => void
}

export function ImportResult({ csv, result, onAgain }: ImportResultProps) {
  const { created, updated, faulty, stopped } = result
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
            {stopped} What was imported stays. You can import the same file again: subscribers that exist are updated.
          </Text>
        )}
        <Text size="sm">
          {number.format(created)} created, {number.format(updated)} updated, {number.format(faulty.count)} failed.
        </Text>
      </Alert>
      <Group>
        <Button component={Link} to={paths.subscribers}>
          Show subscribers
        </Button>
        <Button variant="default" onClick={onAgain}>
          Import another file
        </Button>
      </Group>
      <FaultyList csv={csv} faulty={faulty} title="Failed rows" />
    </Stack>
  )
}
