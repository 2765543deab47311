// The preview of an import: the first rows, the field of each column, and the cells that cannot be read.
import { Select, Table, Text } from '@mantine/core'
import { clearButton } from '../../../parts/clear-button.ts'
import type { ProviderId } from './import-credentials.ts'
import { type Field, fields, type Mapping, readRow } from './import-fields.ts'
import type { CsvFile } from '../../../parts/import/csv-file.ts'

interface ImportPreviewProps {
  readonly csv: CsvFile
  readonly mapping: Mapping
  readonly providers: readonly ProviderId[]
  readonly onMap: (mapping: Mapping) => void
}

export function ImportPreview({ csv, mapping, providers, onMap }: ImportPreviewProps) {
  const rows = csv.sample.map((row) => {
    const read = readRow(row.cells, csv.header, mapping, providers)
    return { ...row, problems: 'problems' in read ? read.problems : [] }
  })
  const map = (column: number, field: Field | null) =>
    onMap(mapping.map((other, index) => (index === column ? field : other)))
  return (
    <Table.ScrollContainer minWidth={0} type="native" tabIndex={0} aria-label="Preview" role="region">
      <Table aria-label="Preview" verticalSpacing="xs">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Row</Table.Th>
            {csv.header.map((name, column) => (
              <Table.Th key={`${column} ${name}`} miw={170}>
                <Text size="sm" fw={600} pb={4} className="wrap-anywhere">
                  {name}
                </Text>
                <Select
                  size="xs"
                  aria-label={`Field for the column ${name}`}
                  placeholder="Leave out"
                  clearable
                  clearButtonProps={clearButton(`Leave out the column ${name}`)}
                  data={[...fields]}
                  value={mapping[column] ?? null}
                  onChange={(field) => map(column, field)}
                />
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map(({ number, cells, problems }) => (
            <Table.Tr key={number}>
              <Table.Td c={problems.length > 0 ? 'var(--mantine-color-error)' : undefined}>{number}</Table.Td>
              {csv.header.map((name, column) => {
                const isWrong = problems.some((problem) => problem.column === column)
                return (
                  <Table.Td
                    key={`${column} ${name}`}
                    className="wrap-anywhere"
                    c={isWrong ? 'var(--mantine-color-error)' : mapping[column] === null ? 'dimmed' : undefined}
                    fw={isWrong ? 600 : undefined}
                  >
                    {cells[column] === '' && isWrong ? '(empty)' : cells[column]}
                  </Table.Td>
                )
              })}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}
