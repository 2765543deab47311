// The rows that cannot be imported: how many there are for each reason, the first ones, and all of them as a file.
import { Button, Group, List, Table, Text, Title } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { download } from '../download.ts'
import type { Faulty } from './faulty-rows.ts'
import type { CsvFile } from './csv-file.ts'

const number = new Intl.NumberFormat()

const rowsOf = (count: number) => (count === 1 ? '1 row' : `${number.format(count)} rows`)

interface FaultyListProps {
  readonly csv: CsvFile
  readonly faulty: Faulty
  readonly title: string
}

export function FaultyList({ csv, faulty: { count, shown, reasons, file }, title }: FaultyListProps) {
  if (count === 0) return null
  return (
    <>
      <Group justify="space-between">
        <Title order={2} size="h4">
          {title}
        </Title>
        <Button
          variant="default"
          leftSection={<IconDownload size={16} aria-hidden />}
          onClick={() => download(`failed ${csv.name}`, 'text/csv', file)}
        >
          Download the {title.toLowerCase()}
        </Button>
      </Group>
      <Text c="dimmed">Correct them in the downloaded file, then import it.</Text>
      <List size="sm" aria-label="Reasons">
        {reasons.map(([message, rows]) => (
          <List.Item key={message ?? 'others'} className="wrap-anywhere">
            {rowsOf(rows)}: {message ?? 'other reasons'}
          </List.Item>
        ))}
      </List>
      <Table aria-label={title} verticalSpacing="xs">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Row</Table.Th>
            <Table.Th>Problem</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {shown.map(({ number: row, message }) => (
            <Table.Tr key={row}>
              <Table.Td>{row}</Table.Td>
              <Table.Td className="wrap-anywhere">{message}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      {count > shown.length && <Text c="dimmed">The file has {number.format(count - shown.length)} more.</Text>}
    </>
  )
}
