// The selection of rows in a list, across its pages.
import { useState } from 'react'

export interface Selection<Row> {
  /** The selected rows by their ids. */
  readonly rows: ReadonlyMap<string, Row>
  /** True if all rows that match the filter are selected, also on other pages. */
  readonly isAll: boolean
  readonly set: (rows: readonly Row[], isSelected: boolean) => void
  readonly selectAll: () => void
  readonly clear: () => void
}

interface State<Row> {
  /** The list that the rows were selected from. */
  readonly list: string | undefined
  readonly rows: ReadonlyMap<string, Row>
  readonly isAll: boolean
}

/** @param list a text for the filter of the list. With another filter, nothing is selected. */
export function useSelection<Row extends { readonly id: string }>(list: string | undefined): Selection<Row> {
  const empty: State<Row> = { list, rows: new Map(), isAll: false }
  const [stored, setState] = useState(empty)
  const state = stored.list === list ? stored : empty
  return {
    rows: state.rows,
    isAll: state.isAll,
    set(rows, isSelected) {
      const next = new Map(state.rows)
      for (const row of rows) {
        if (isSelected) next.set(row.id, row)
        else next.delete(row.id)
      }
      setState({ list, rows: next, isAll: false })
    },
    selectAll: () => setState({ ...state, list, isAll: true }),
    clear: () => setState(empty),
  }
}
