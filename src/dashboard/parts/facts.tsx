// The properties of one object as a list of names and values.
import { Paper, Table } from '@mantine/core'
import type { ReactNode } from 'react'

/** Null and undefined are shown as a dash. */
export function Facts({ facts }: { readonly facts: Readonly<Record<string, ReactNode>> }) {
  return (
    <Paper withBorder>
      <Table variant="vertical" layout="auto">
        <Table.Tbody>
          {Object.entries(facts).map(([name, value]) => (
            <Table.Tr key={name}>
              <Table.Th scope="row" w={{ base: 120, sm: 200 }}>
                {name}
              </Table.Th>
              <Table.Td className="wrap-anywhere">{value ?? '–'}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Paper>
  )
}
