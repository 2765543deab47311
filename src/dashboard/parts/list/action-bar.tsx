// What can be done with the selected rows of a list, or with all that match its filter.
import { Button, Group, Paper, Text } from '@mantine/core'
import { type BulkAct, useBulkAct } from '../bulk/ask.ts'
import type { Selection } from './selection.ts'

/** An act on the rows of a list. */
export interface RowAct<Row> extends BulkAct {
  /** The name by which the act finds the object of a row. Null if it cannot be done with this row. */
  readonly nameOf: (row: Row) => string | null
  /** The filter of the act that selects the same objects as the filter of the list. Absent if there is none. */
  readonly filter?: object | undefined
}

interface ActionBarProps<Row> {
  readonly acts: readonly RowAct<Row>[]
  readonly selection: Selection<Row>
  /** Undefined if it is not known. */
  readonly totalCount: number | undefined
  /** True if there are more than `totalCount`. */
  readonly isCapped: boolean
  /** @throws Error with the reason */
  readonly readAll: () => Promise<{ readonly rows: readonly Row[]; readonly isComplete: boolean }>
}

const number = new Intl.NumberFormat()

export function ActionBar<Row>({ acts, selection, totalCount, isCapped, readAll }: ActionBarProps<Row>) {
  const [counting, ask] = useBulkAct()
  const { rows, isAll } = selection
  if (rows.size === 0) return null

  const workOf = async ({ nameOf, filter }: RowAct<Row>) => {
    if (isAll && filter !== undefined) return { filter, after: null }
    const namesOf = (chosen: readonly Row[]) => chosen.flatMap((row) => nameOf(row) ?? [])
    if (!isAll) return { names: namesOf([...rows.values()]) }
    const { rows: all, isComplete } = await readAll()
    const note = `More match: these are among the first ${number.format(all.length)} of the list.`
    return { names: namesOf(all), ...(!isComplete && { note }) }
  }
  const matching = `${number.format(totalCount ?? rows.size)}${isCapped ? ' or more' : ''} that match`
  return (
    <Paper withBorder p="xs" role="region" aria-label="Selected rows">
      <Group gap="xs">
        <Text size="sm" role="status">
          {isAll ? `All ${matching} are selected` : `${number.format(rows.size)} selected`}
        </Text>
        {!isAll && totalCount !== undefined && (isCapped || totalCount > rows.size) && (
          <Button size="compact-sm" variant="subtle" onClick={selection.selectAll}>
            Select all {matching}
          </Button>
        )}
        {acts.map((act) => (
          <Button
            key={act.label}
            size="compact-sm"
            variant="default"
            loading={counting}
            onClick={() => void ask(act, () => workOf(act), selection.clear)}
          >
            {act.label}
          </Button>
        ))}
        <Button size="compact-sm" variant="subtle" color="gray" onClick={selection.clear}>
          Clear the selection
        </Button>
      </Group>
    </Paper>
  )
}
