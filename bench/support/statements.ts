// Records the SQL statements that this process sends.
import pg from 'pg'

export interface Statement {
  readonly text: string
  readonly values: readonly unknown[]
}

export interface Recorder {
  /** The statements since the last call, in order, including those that begin and end transactions. */
  take(): readonly Statement[]
}

/** Records until the process ends. */
export function recordStatements(): Recorder {
  let sent: Statement[] = []
  const query: unknown = Reflect.get(pg.Client.prototype, 'query')
  if (typeof query !== 'function') throw new Error('the client of pg has no method query')
  const recording = new Proxy(query, {
    apply(target, client, values: readonly unknown[]): unknown {
      const [config, given] = values
      const { text, values: own = given } =
        typeof config === 'string' ? { text: config } : (config as { text: string; values?: unknown })
      sent.push({ text, values: Array.isArray(own) ? own : [] })
      return Reflect.apply(target, client, values)
    },
  })
  Reflect.set(pg.Client.prototype, 'query', recording)
  return {
    take() {
      const taken = sent
      sent = []
      return taken
    },
  }
}
