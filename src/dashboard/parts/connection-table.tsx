// A list of the graph as a table: rows, the number of all, and buttons that turn the page.
import { type MantineBreakpoint, Stack, Table } from '@mantine/core'
import type { Key, ReactNode } from 'react'
import type { CombinedError } from 'urql'
import { Answer } from './answer.tsx'
import { Pager } from './pager.tsx'
import type { PageInfo, Pages } from './pages.ts'

export interface Column<Row> {
  readonly header: string
  readonly cell: (row: Row) => ReactNode
  /** Narrower screens do not show the column. */
  readonly visibleFrom?: MantineBreakpoint
}

interface Connection<Row> {
  readonly nodes: readonly Row[]
  readonly pageInfo: PageInfo
  readonly totalCount?: number
  readonly totalCountCapped?: boolean
}

interface ConnectionTableProps<Row> {
  /** The accessible name of the table. */
  readonly label: string
  readonly connection: Connection<Row> | undefined
  readonly error: CombinedError | undefined
  readonly onRetry: () => void
  readonly columns: readonly Column<Row>[]
  readonly rowKey: (row: Row) => Key
  readonly pages: Pages
  /** Shown instead of a table without rows. */
  readonly empty: ReactNode
}

/** The first column should hold the link to the row's own page. */
export function ConnectionTable<Row>({ label, connection, pages, ...props }: ConnectionTableProps<Row>) {
  return (
    <Answer data={connection} error={props.error} onRetry={props.onRetry}>
      {(shown) =>
        shown.nodes.length === 0 && pages.isFirst ? (
          props.empty
        ) : (
          <Stack gap="sm">
            <Table.ScrollContainer minWidth={0} type="native" tabIndex={0} aria-label={label} role="region">
              <Table aria-label={label} highlightOnHover verticalSpacing="xs">
                <Table.Thead>
                  <Table.Tr>
                    {props.columns.map(({ header, visibleFrom }) => (
                      <Table.Th key={header} visibleFrom={visibleFrom}>
                        {header}
                      </Table.Th>
                    ))}
                  </Table.Tr>
                </Table.Thead>
                <Table.Tbody>
                  {shown.nodes.map((row) => (
                    <Table.Tr key={props.rowKey(row)}>
                      {props.columns.map(({ header, cell, visibleFrom }) => (
                        <Table.Td key={header} visibleFrom={visibleFrom} className="wrap-anywhere">
                          {cell(row)}
                        </Table.Td>
                      ))}
                    </Table.Tr>
                  ))}
                </Table.Tbody>
              </Table>
            </Table.ScrollContainer>
            <Pager connection={shown} pages={pages} />
          </Stack>
        )
      }
    </Answer>
  )
}
