// The result of an import: the numbers of created and updated subscribers, and the failed rows with their errors.
import { Alert, Button, Group, Stack, Table, Text, Title } from '@mantine/core'
import { IconAlertTriangle, IconCheck, IconDownload } from '@tabler/icons-react'
import { Link } from 'react-router'
import { download } from './download.ts'
import { paths } from '../../parts/paths.ts'
import type { CsvFile } from './import-file.ts'
import type { FailedRow, Progress } from './import-run.ts'

/** Maximum failed rows on the screen. The file has all of them. */
const SHOWN = 100

const number = new Intl.NumberFormat()

interface ImportResultProps {
  readonly csv: CsvFile
  readonly result: Progress
  readonly onAgain: () => void
}

export function ImportResult({ csv, result, onAgain }: ImportResultProps) {
  const { created, updated, failed, stopped } = result
  const isFine = stopped === undefined && failed.length === 0
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
          {number.format(created)} created, {number.format(updated)} updated, {number.format(failed.length)} failed.
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
      {failed.length > 0 && <FailedRows csv={csv} failed={failed} />}
    </Stack>
  )
}

function FailedRows({ csv, failed }: { readonly csv: CsvFile; readonly failed: readonly FailedRow[] }) {
  const save = async () => {
    const { default: papa } = await import('papaparse')
    const data = failed.map(({ cells, message }) => [...csv.header.map((_, column) => cells[column] ?? ''), message])
    const text = papa.unparse({ fields: [...csv.header, 'problem'], data })
    download(`failed ${csv.name}`, 'text/csv', text)
  }
  return (
    <>
      <Group justify="space-between">
        <Title order={2} size="h4">
          Failed rows
        </Title>
        <Button variant="default" leftSection={<IconDownload size={16} aria-hidden />} onClick={() => void save()}>
          Download the failed rows
        </Button>
      </Group>
      <Text c="dimmed">Correct them in the downloaded file, then import it.</Text>
      <Table aria-label="Failed rows" verticalSpacing="xs">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Row</Table.Th>
            <Table.Th>Problem</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {failed.slice(0, SHOWN).map(({ number, message }) => (
            <Table.Tr key={number}>
              <Table.Td>{number}</Table.Td>
              <Table.Td className="wrap-anywhere">{message}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      {failed.length > SHOWN && <Text c="dimmed">The file has {number.format(failed.length - SHOWN)} more.</Text>}
    </>
  )
}
