// The cancellation of selected runs, or of all that match the filter of a list of runs.
import type { BulkAct } from '../../parts/bulk/ask.ts'
import type { RowAct } from '../../parts/list/action-bar.tsx'

/** What happens to a run and its event. */
export const cancelledRun =
  'Steps and messages that are waiting are cancelled. Messages that were sent stay, and the events continue for other recipients. This cannot be undone.'

export const runCancellation = {
  act: 'cancelRuns',
  label: 'Cancel',
  consequence: cancelledRun,
  nothing: 'All of these runs are over.',
} as const satisfies BulkAct

/** The same for the rows of a list. @param filter the filter of the list. */
export const cancelRows = (filter: object): RowAct<{ readonly id: string; readonly cancellable: boolean }> => ({
  ...runCancellation,
  nameOf: ({ id, cancellable }) => (cancellable ? id : null),
  filter,
})
