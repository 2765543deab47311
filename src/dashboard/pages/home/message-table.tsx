// The numbers of the chart as a table, newest first. Intervals without messages are left out.
import { Table, Text } from '@mantine/core'
import type { Series } from './message-series.ts'

const number = new Intl.NumberFormat()

export function MessageTable({ series: { groups, rows } }: { readonly series: Series }) {
  const filled = rows.filter(({ counts }) => Object.values(counts).some((count) => count > 0)).toReversed()
  if (filled.length === 0) return <Text c="dimmed">No messages in this time.</Text>
  return (
    <Table.ScrollContainer minWidth={0} mah={320} type="native" tabIndex={0} role="region" aria-label="Messages">
      <Table aria-label="Messages" stickyHeader>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Beginning</Table.Th>
            {groups.map(({ name }) => (
              <Table.Th key={name} ta="end">
                {name}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {filled.map(({ label, counts }, index) => (
            <Table.Tr key={index}>
              <Table.Th scope="row" fw={400}>
                {label}
              </Table.Th>
              {groups.map(({ name }) => (
                <Table.Td key={name} ta="end">
                  {number.format(counts[name] ?? 0)}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}
