// The columns of a list on a narrow screen: what has no column of its own there follows the content of the first one.
import { em, Text } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { type Column, type ColumnBreakpoint, widths } from './column.ts'

/** Returns the columns that fit. */
export function useColumns<Row>(all: readonly Column<Row>[]): readonly Column<Row>[] {
  const columns = all.filter(({ inFileOnly }) => inFileOnly !== true)
  const options = { getInitialValueInEffect: false }
  const fits = {
    xs: useMediaQuery(`(min-width: ${em(widths.xs)})`, true, options),
    sm: useMediaQuery(`(min-width: ${em(widths.sm)})`, true, options),
    md: useMediaQuery(`(min-width: ${em(widths.md)})`, true, options),
    lg: useMediaQuery(`(min-width: ${em(widths.lg)})`, true, options),
  } satisfies Record<ColumnBreakpoint, boolean>
  const isShown = ({ visibleFrom }: Column<Row>) => visibleFrom === undefined || fits[visibleFrom]
  const [first, ...others] = columns.filter(isShown)
  const hidden = columns.filter((column) => !isShown(column))
  if (first === undefined || hidden.length === 0) return columns
  const cell = (row: Row) => (
    <>
      <div>{first.cell(row)}</div>
      {hidden.map((column) => (
        <Text key={column.header} component="div" size="xs" c="dimmed" className="underlined-links">
          {column.header}: {column.cell(row)}
        </Text>
      ))}
    </>
  )
  return [{ ...first, cell }, ...others]
}
