// Tasks of housekeeping: background work that no request waits for.
import type { Logger } from 'pino'
import type { Connection } from '../../data/connection/database.ts'
import type { RetentionSettings } from '../../domain/access/retention.ts'
import type { Gateway } from '../../domain/resolver/scope.ts'
import type { Limits } from './portions.ts'

/** Tables from which expired rows are deleted. */
export const sweptTables = [
  'events',
  'workflow_runs',
  'step_runs',
  'deliveries',
  'delivery_attempts',
  'workflow_snapshots',
  'attachments',
  'notifications',
  'message_statistics',
  'context_statistics',
  'dashboard_sessions',
  'sign_in_codes',
  'unprocessed_triggers',
  'webhook_messages',
  'webhook_deliveries',
  'idempotency_keys',
  'suppressions',
  'soft_bounces',
  'inbound_texts',
  'used_signatures',
] as const

export type SweptTable = (typeof sweptTables)[number]

/** The kinds of rows whose delay is measured. */
export type MeasuredRows = 'events' | 'notifications'

/** The deleted rows of a portion. */
export interface Deleted {
  /** The numbers of rows, by table. */
  readonly rows: Partial<Record<SweptTable, number>>
  /** How long the oldest row of the portion had been expired. */
  readonly delay?: { readonly of: MeasuredRows; readonly seconds: number }
}

/** One performance of a task. */
export interface Performance {
  readonly gateway: Gateway
  readonly logger: Pick<Logger, 'info' | 'warn'>
  readonly retention: RetentionSettings
  /**
   * Works on a portion, then rests.
   *
   * @param kind each kind has sizes of its own. @param work receives the maximum number of rows. @throws
   *   TaskInterrupted
   */
  readonly portion: <Result>(kind: string, work: (db: Connection, take: number) => Promise<Result>) => Promise<Result>
  /** Reports the deleted rows of a portion. */
  readonly report: (deleted: Deleted) => void
}

export interface Task {
  /** Milliseconds between a process's checks for work. A multiple of `LOOK`. */
  readonly every: number
  /**
   * If present, only one process at a time performs the task. Without it, several may, and each process performs such
   * short tasks one after the other.
   */
  readonly lease?: {
    /** Milliseconds from the end of a performance to the next one, by any process. */
    readonly pause: number
  }
  readonly limits: Limits
  /** Returns false if there is no work. By default, only performing the task shows that. */
  readonly isPending?: (gateway: Performance['gateway']) => Promise<boolean> | boolean
  readonly perform: (performance: Performance) => Promise<unknown>
}

/**
 * Works on portions until one is not full.
 *
 * @param work returns the number of rows. @param onPortion receives it once the portion is committed.
 * @returns the number of rows of all portions.
 */
export async function inPortions(
  { portion }: Performance,
  kind: string,
  work: (db: Connection, take: number) => Promise<number>,
  onPortion: (count: number) => void = () => {},
): Promise<number> {
  let all = 0
  for (let isFull = true; isFull;) {
    const { count, take } = await portion(kind, async (db, take) => ({ count: await work(db, take), take }))
    onPortion(count)
    all += count
    isFull = count === take
  }
  return all
}
