// A column of a list.
import type { ReactNode } from 'react'

/** The widths of the breakpoints of columns, in pixels. */
export const widths = { xs: 576, sm: 768, md: 992, lg: 1200 } as const

export type ColumnBreakpoint = keyof typeof widths

export interface Column<Row> {
  readonly header: string
  readonly cell: (row: Row) => ReactNode
  /** The value in a CSV file. A column without it is left out. */
  readonly text?: (row: Row) => string | number | null
  /** True for a value that another column shows, too: it has a column of its own only in a CSV file. */
  readonly inFileOnly?: boolean
  /** The screen from which the value has a column of its own. On narrower ones it stands in the first column. */
  readonly visibleFrom?: ColumnBreakpoint
}
