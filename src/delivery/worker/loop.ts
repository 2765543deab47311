// A loop executes the jobs of one kind. It owns the waker, the limits and the jobs in progress of that kind.
import type { Announcement, WorkKind } from '../../data/queue/job.ts'
import type { Repeating } from './repeat.ts'

export interface Loop {
  readonly kind: WorkKind
  /** Looks for new jobs of an environment. */
  announce(announcement: Omit<Announcement, 'kind'>): void
  /** Looks for jobs, because some may have become available. */
  wake(): void
  /** Executes jobs until the loops stop. */
  run(repeating: Repeating): Promise<void>
  /** Executes the next jobs. @returns true if there were any. */
  work(stopping: AbortSignal): Promise<boolean>
}
