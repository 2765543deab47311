// Helpers that record the SQL statements of an operation and their query plans, on either database.
import pg from 'pg'
import { vi } from 'vitest'

interface Sent {
  readonly text: string
  readonly values: readonly unknown[]
}

const TRANSACTION_CONTROL = /^(BEGIN|COMMIT|ROLLBACK|SAVEPOINT|RELEASE)/

async function sentBy(work: () => Promise<unknown>): Promise<Sent[]> {
  const spy = vi.spyOn(pg.Client.prototype, 'query')
  try {
    await work()
    return (
      spy.mock.calls
        .map(([config, values]: readonly unknown[]) =>
          typeof config === 'string' ? { text: config, values } : (config as Sent),
        )
        .map(({ text, values }) => ({ text, values: Array.isArray(values) ? values : [] }))
        .filter(({ text }) => !/^(DEALLOCATE|SET )/.test(text))
        // Maintenance of the embedded database runs on a timer, whatever the test does.
        .filter(({ text }) => !/^VACUUM |\brelpages\b/.test(text))
    )
  } finally {
    spy.mockRestore()
  }
}

/** The statements that `work` sends, in order, without session settings. */
export async function statementsAndTransactionsOf(work: () => Promise<unknown>): Promise<string[]> {
  return (await sentBy(work)).map(({ text }) => text)
}

/** The statements that `work` sends, in order, without transaction control and session settings. */
export async function statementsOf(work: () => Promise<unknown>): Promise<string[]> {
  return (await statementsAndTransactionsOf(work)).filter((text) => !TRANSACTION_CONTROL.test(text))
}

/**
 * The plans, with actual row counts, of the statements on `table` that `work` sends. The statements run twice, so
 * `work` must only read.
 */
export async function plansOf(pool: pg.Pool, table: string, work: () => Promise<unknown>): Promise<string[]> {
  const plans: string[] = []
  for (const { text, values } of await sentBy(work)) {
    if (!text.includes(table)) continue
    const { rows } = await pool.query<{ 'QUERY PLAN': string }>(`EXPLAIN (ANALYZE) ${text}`, [...values])
    plans.push(rows.map((row) => row['QUERY PLAN']).join('\n'))
  }
  return plans
}
