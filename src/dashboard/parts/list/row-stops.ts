// The tab stops of a table: one for each row, its first link or button. The arrow keys reach everything else: left and
// right within a row, up and down between rows.
import { type KeyboardEvent, type RefObject, useEffect } from 'react'

const CONTROLS = 'a[href], button:not([disabled]), input:not([disabled]), [tabindex]'

const controlsOf = (row: Element): HTMLElement[] =>
  [...row.querySelectorAll<HTMLElement>(CONTROLS)].filter((control) => control.getClientRects().length > 0)

/** The control by which Tab reaches a row. */
const stopOf = (controls: readonly HTMLElement[]) =>
  controls.find((control) => control.matches('a, button')) ?? controls[0]

const rowsOf = (body: HTMLElement) => [...body.querySelectorAll<HTMLElement>(':scope > tr')]

/** Sets the tab stops after each rendering of the rows. Secondary links would be three more stops in each row. */
export function useRowStops(body: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    if (body.current === null) return
    for (const row of rowsOf(body.current)) {
      const controls = controlsOf(row)
      const stop = stopOf(controls)
      for (const control of controls) control.tabIndex = control === stop ? 0 : -1
    }
  })
}

interface Position {
  readonly rows: readonly HTMLElement[]
  /** The index of the row. */
  readonly at: number
  readonly controls: readonly HTMLElement[]
  /** The index of the control in its row. */
  readonly place: number
}

/** Returns the control to which a key leads. Undefined at the edge of the table, and for other keys. */
function neighborOf(key: string, { rows, at, controls, place }: Position): HTMLElement | undefined {
  const inRow = (row: HTMLElement | undefined) => (row === undefined ? undefined : controlsOf(row)[place])
  if (key === 'ArrowRight') return controls[place + 1]
  if (key === 'ArrowLeft') return controls[place - 1]
  if (key === 'ArrowDown') return inRow(rows[at + 1])
  return key === 'ArrowUp' ? inRow(rows[at - 1]) : undefined
}

/** Moves the focus with the arrow keys. */
export function moveInRows(event: KeyboardEvent<HTMLElement>): void {
  const { target, currentTarget: body, key } = event
  if (!(target instanceof HTMLElement) || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return
  const rows = rowsOf(body)
  const at = rows.findIndex((row) => row.contains(target))
  const row = rows[at]
  if (row === undefined) return
  const controls = controlsOf(row)
  const place = controls.indexOf(target)
  if (place === -1) return
  const control = neighborOf(key, { rows, at, controls, place })
  if (control === undefined) return
  control.focus()
  // The page would scroll.
  event.preventDefault()
}
