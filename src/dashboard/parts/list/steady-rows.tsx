// Rows of a live list that do not move under the pointer, or while one of them has the focus.
import { Box, Button } from '@mantine/core'
import { type FocusEvent, type ReactNode, useState } from 'react'
import classes from './steady-rows.module.css'

interface Identified {
  readonly id: string
}

/** The rows when the pointer or the focus came, and the list that they belong to. */
interface Held<Row> {
  readonly list: string
  readonly rows: readonly Row[]
}

interface Steady<Row> {
  readonly rows: readonly Row[]
  /** The number of rows that are not shown yet. */
  readonly newCount: number
  /** For `SteadyList`. */
  readonly hold: () => void
  readonly release: () => void
  readonly showNew: () => void
}

/**
 * The held rows in their order, each in its latest state. Rows that new ones have pushed off the page stay, and rows
 * that have left the list go.
 */
function steadied<Row extends Identified>(held: readonly Row[], latest: readonly Row[]): readonly Row[] {
  const current = new Map(latest.map((row) => [row.id, row]))
  const lastCommon = held.findLastIndex(({ id }) => current.has(id))
  const hasNew = latest.length > 0 && lastCommon < latest.length - 1
  return held.flatMap((row, index) => current.get(row.id) ?? (hasNew && index > lastCommon ? row : []))
}

/** @param list tells lists apart, such as those of two filters. A list does not hold the rows of another. */
export function useSteadyRows<Row extends Identified>(latest: readonly Row[], list = ''): Steady<Row> {
  const [stored, setHeld] = useState<Held<Row>>()
  const held = stored?.list === list ? stored : undefined
  const rows = held === undefined ? latest : steadied(held.rows, latest)
  const shown = new Set(held?.rows.map(({ id }) => id))
  return {
    rows,
    newCount: held === undefined ? 0 : latest.filter(({ id }) => !shown.has(id)).length,
    hold: () => setHeld((known) => (known?.list === list ? known : { list, rows: latest })),
    release: () => setHeld(undefined),
    showNew: () => setHeld({ list, rows: latest }),
  }
}

interface SteadyListProps {
  readonly steady: Omit<Steady<never>, 'rows'>
  readonly children: ReactNode
}

/** The frame of the rows. Its button stands above them, so that they do not move when it appears. */
export function SteadyList({ steady: { newCount, hold, release, showNew }, children }: SteadyListProps) {
  const releaseUnlessIn = (frame: HTMLElement, target: EventTarget | null, isElsewhere: boolean) => {
    if (!isElsewhere && !(target instanceof Node && frame.contains(target))) release()
  }
  return (
    <Box
      pos="relative"
      onPointerEnter={hold}
      onPointerLeave={({ currentTarget }) =>
        releaseUnlessIn(currentTarget, null, currentTarget.contains(document.activeElement))
      }
      onFocus={hold}
      onBlur={({ currentTarget, relatedTarget }: FocusEvent<HTMLElement>) =>
        releaseUnlessIn(currentTarget, relatedTarget, currentTarget.matches(':hover'))
      }
    >
      <div role="status" className={classes['news']}>
        {newCount > 0 && (
          <Button size="compact-xs" radius="xl" onClick={showNew}>
            {newCount} new
          </Button>
        )}
      </div>
      {children}
    </Box>
  )
}
