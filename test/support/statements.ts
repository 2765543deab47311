// Helpers that record the SQL statements of an operation and their query plans, on either database.
import pg from 'pg'
import { vi } from 'vitest'
import { PLAN_FOR_THESE_VALUES } from '../../src/data/statement/statement-names.ts'

interface Sent {
  readonly text: string
  readonly values: readonly unknown[]
  /** True if the statement is planned for these values. */
  readonly forValues: boolean
}

/**
 * Maintenance runs on a timer, whatever the test does. A statement without text only shows that PostgreSQL is alive.
 */
export const isMaintenance = (text: string) => /^(\/\* maintenance\.|$)/.test(text)

const TRANSACTION_CONTROL = /^(BEGIN|COMMIT|ROLLBACK|SAVEPOINT|RELEASE)/

async function sentBy(work: () => Promise<unknown>): Promise<Sent[]> {
  const spy = vi.spyOn(pg.Client.prototype, 'query')
  try {
    await work()
    return spy.mock.calls
      .map(([config, values]: readonly unknown[], place) => ({
        ...(typeof config === 'string' ? { text: config, values } : (config as Pick<Sent, 'text' | 'values'>)),
        client: spy.mock.contexts[place],
      }))
      .map(({ text, values, client }, place, all) => ({
        text,
        values: Array.isArray(values) ? values : [],
        // Other connections may send statements in between.
        forValues: all.slice(0, place).findLast((sent) => sent.client === client)?.text === PLAN_FOR_THESE_VALUES,
      }))
      .filter(({ text }) => !/^(DEALLOCATE|SET )/.test(text))
      .filter(({ text }) => !isMaintenance(text))
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

/** The plan for these values. */
async function planForValues(client: pg.ClientBase, { text, values }: Sent): Promise<string> {
  const { rows } = await client.query<{ 'QUERY PLAN': string }>(`EXPLAIN (ANALYZE) ${text}`, [...values])
  return rows.map((row) => row['QUERY PLAN']).join('\n')
}

/** A value in SQL. */
function literalOf(value: unknown): string {
  if (value === null || value === undefined) return 'NULL'
  if (value instanceof Date) return pg.escapeLiteral(value.toISOString())
  if (!Array.isArray(value)) return pg.escapeLiteral(typeof value === 'string' ? value : JSON.stringify(value))
  // A JSON array becomes a PostgreSQL array by replacing its brackets.
  return pg.escapeLiteral(`{${JSON.stringify(value).slice(1, -1)}}`)
}

/** The plan for any values. */
async function planForAnyValues(client: pg.ClientBase, { text, values }: Sent): Promise<string> {
  await client.query(`PREPARE explained AS ${text}`)
  try {
    const { rows } = await client.query<{ 'QUERY PLAN': string }>(
      `EXPLAIN (ANALYZE) EXECUTE explained (${values.map(literalOf).join(', ')})`,
    )
    return rows.map((row) => row['QUERY PLAN']).join('\n')
  } finally {
    await client.query('DEALLOCATE explained')
  }
}

/**
 * The plans, with actual row counts, of the statements on `table` that `work` sends. The statements run again, so `work`
 * must only read.
 *
 * @param off settings of the planner to turn off, such as `enable_sort`.
 */
export async function plansOf(
  pool: pg.Pool,
  table: string,
  work: () => Promise<unknown>,
  off: readonly string[] = [],
): Promise<string[]> {
  const plans: string[] = []
  const sent = await sentBy(work)
  const client = await pool.connect()
  try {
    for (const setting of off) await client.query(`SET ${setting} = off`)
    for (const statement of sent) {
      if (!statement.text.includes(table)) continue
      plans.push(await (statement.forValues ? planForValues : planForAnyValues)(client, statement))
    }
  } finally {
    for (const setting of off) await client.query(`RESET ${setting}`)
    client.release()
  }
  return plans
}
