// A list of the graph as a table: rows, the total count, and paging buttons.
import { type MantineBreakpoint, Stack, Table } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Query } from '../../graph/query.ts'
import { Answer } from '../answer.tsx'
import { Pager } from './pager.tsx'
import type { PageInfo, Pages } from './pages.ts'

export interface Column<Row> {
  readonly header: string
  readonly cell: (row: Row) => ReactNode
  /** True to hide the column on narrow screens. */
  readonly visibleFrom?: MantineBreakpoint
}

interface Connection<Row> {
  readonly nodes: readonly Row[]
  readonly pageInfo: PageInfo
  readonly totalCount?: number
  readonly totalCountCapped?: boolean
}

interface ConnectionTableProps<Data, Row> {
  /** The accessible name of the table. */
  readonly label: string
  readonly query: Query<Data>
  /** Null if the graph has no such list, for example because its parent was deleted. */
  readonly connectionOf: (data: Data) => Connection<Row> | null
  readonly columns: readonly Column<Row>[]
  readonly pages: Pages
  /** Shown instead of an empty table. */
  readonly empty: ReactNode
}

/** The first column should hold the link to the row's own page. */
export function ConnectionTable<Data, Row extends { readonly id: string }>({
  label,
  query,
  connectionOf,
  columns,
  pages,
  empty,
}: ConnectionTableProps<Data, Row>) {
  const rows = (connection: Connection<Row>) => (
    <Stack gap="sm">
      <Table.ScrollContainer minWidth={0} type="native" tabIndex={0} aria-label={label} role="region">
        <Table aria-label={label} highlightOnHover verticalSpacing="xs">
          <Table.Thead>
            <Table.Tr>
              {columns.map(({ header, visibleFrom }) => (
                <Table.Th key={header} visibleFrom={visibleFrom}>
                  {header}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {connection.nodes.map((row) => (
              <Table.Tr key={row.id}>
                {columns.map(({ header, cell, visibleFrom }) => (
                  <Table.Td key={header} visibleFrom={visibleFrom} className="wrap-anywhere">
                    {cell(row)}
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      <Pager connection={connection} pages={pages} />
    </Stack>
  )
  return (
    <Answer query={query}>
      {(data) => {
        const connection = connectionOf(data)
        return connection === null || (connection.nodes.length === 0 && pages.isFirst) ? empty : rows(connection)
      }}
    </Answer>
  )
}
