// A list of the graph as a table: rows, their selection, the total count, paging buttons and the list as CSV.
import { Stack, Table } from '@mantine/core'
import { type ReactNode, useRef } from 'react'
import { type AnyVariables, useClient } from 'urql'
import type { Query } from '../../graph/query.ts'
import { Answer } from '../answer.tsx'
import { cellLook, rowLook } from '../looks.ts'
import { ActionBar, type RowAct } from './action-bar.tsx'
import { readAllRows, type Source } from './all-rows.ts'
import type { Column } from './column.ts'
import { DownloadCsv } from './download-csv.tsx'
import { useColumns } from './narrow-columns.tsx'
import { Pager } from './pager.tsx'
import type { PageInfo, Pages } from './pages.ts'
import { ResultCount } from './result-count.tsx'
import { moveInRows, useRowStops } from './row-stops.ts'
import { useSelection } from './selection.ts'
import { SteadyList, useSteadyRows } from './steady-rows.tsx'

export type { Column } from './column.ts'

interface Connection<Row> {
  readonly nodes: readonly Row[]
  readonly pageInfo: PageInfo
  readonly totalCount?: number
  readonly totalCountCapped?: boolean
}

interface ConnectionTableProps<Data, Row, Variables extends AnyVariables> {
  /** The accessible name of the table. */
  readonly label: string
  readonly query: Query<Data>
  /** The document and the variables of the query, to read all rows. Default: only the page on the screen is offered. */
  readonly source?: Source<Data, Variables>
  /** Null if the graph has no such list, for example because its parent was deleted. */
  readonly connectionOf: (data: Data) => Connection<Row> | null
  readonly columns: readonly Column<Row>[]
  readonly pages: Pages
  /** What can be done with selected rows. Default: rows cannot be selected. */
  readonly acts?: readonly RowAct<Row>[]
  /** The name of a row, for its checkbox. */
  readonly nameOf?: (row: Row) => string
  /** True if the rows stay where they are under the pointer, because the query is repeated by itself. */
  readonly isLive?: boolean
  /** Shown instead of an empty table. */
  readonly empty: ReactNode
}

/** The first column should hold the link to the row's own page. */
export function ConnectionTable<Data, Row extends { readonly id: string }, Variables extends AnyVariables>({
  label,
  query,
  source,
  connectionOf,
  columns: allColumns,
  pages,
  acts = [],
  nameOf = ({ id }) => id,
  isLive = false,
  empty,
}: ConnectionTableProps<Data, Row, Variables>) {
  const client = useClient()
  const body = useRef<HTMLTableSectionElement>(null)
  useRowStops(body)
  const list = JSON.stringify(source?.variablesOf({ first: 0, after: null }) ?? label)
  const selection = useSelection<Row>(list)
  const columns = useColumns(allColumns)
  const [{ data: latest, fetching, stale }] = query
  const connectionNow = latest && connectionOf(latest)
  const steady = useSteadyRows(connectionNow?.nodes ?? [], JSON.stringify(source?.variablesOf(pages.arguments)))
  const readAll = source && (() => readAllRows(client, source, connectionOf))
  const isSelectable = acts.length > 0 && readAll !== undefined

  const rows = (connection: Connection<Row>) => {
    const { totalCount } = connection
    const nodes = isLive ? steady.rows : connection.nodes
    const isSelected = ({ id }: Row) => selection.isAll || selection.rows.has(id)
    const table = (
      <Table.ScrollContainer minWidth={0} type="native" aria-label={label} role="region">
        <Table aria-label={label} highlightOnHover verticalSpacing="xs">
          <Table.Thead>
            <Table.Tr>
              {isSelectable && (
                <Table.Th w={36}>
                  {/* Mantine's checkboxes have eight elements each: a page of 100 rows would have too many. */}
                  <input
                    ref={(box) => {
                      if (box !== null) box.indeterminate = nodes.some(isSelected) && !nodes.every(isSelected)
                    }}
                    type="checkbox"
                    className="row-checkbox"
                    aria-label="Select all rows of the page"
                    checked={nodes.length > 0 && nodes.every(isSelected)}
                    onChange={({ currentTarget }) => selection.set(nodes, currentTarget.checked)}
                  />
                </Table.Th>
              )}
              {columns.map(({ header }) => (
                <Table.Th key={header}>{header}</Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody ref={body} onKeyDown={moveInRows}>
            {nodes.map((row) => (
              <tr key={row.id} className={rowLook} data-with-row-border data-hover>
                {isSelectable && (
                  <td className={cellLook}>
                    <input
                      type="checkbox"
                      className="row-checkbox"
                      aria-label={`Select ${nameOf(row)}`}
                      checked={isSelected(row)}
                      onChange={({ currentTarget }) => selection.set([row], currentTarget.checked)}
                    />
                  </td>
                )}
                {columns.map(({ header, cell }) => (
                  <td key={header} className={`${cellLook} wrap-anywhere`}>
                    {cell(row)}
                  </td>
                ))}
              </tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    )
    return (
      <Stack gap="sm">
        {isSelectable && (
          <ActionBar
            acts={acts}
            selection={selection}
            totalCount={totalCount}
            isCapped={connection.totalCountCapped === true}
            readAll={readAll}
          />
        )}
        {isLive ? <SteadyList steady={steady}>{table}</SteadyList> : table}
        <Pager connection={connection} pages={pages}>
          {readAll && <DownloadCsv label={label} columns={allColumns} readAll={readAll} />}
        </Pager>
      </Stack>
    )
  }
  const count = fetching || stale ? undefined : (connectionNow?.totalCount ?? connectionNow?.nodes.length)
  return (
    <>
      <ResultCount list={list} count={count} />
      <Answer query={query}>
        {(data) => {
          const connection = connectionOf(data)
          return connection === null || (connection.nodes.length === 0 && pages.isFirst) ? empty : rows(connection)
        }}
      </Answer>
    </>
  )
}
