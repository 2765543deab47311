// Connections that send one statement at a time, so that the parts of a transaction need not wait for each other.
import pg from 'pg'

/** A query such as COPY reads its answers itself. One with a callback is a pool's, which sends it on a free connection. */
const hasPromise = ([first, ...others]: readonly unknown[]): boolean =>
  !others.some((one) => typeof one === 'function') &&
  !(typeof first === 'object' && first !== null && 'submit' in first)

const inTurn = new WeakSet<pg.ClientBase>()

function sendInTurn(client: pg.ClientBase): void {
  if (inTurn.has(client)) return
  inTurn.add(client)
  // Looked up for each statement: tests count statements in the class.
  const send = (...given: unknown[]): unknown => pg.Client.prototype.query.apply(client, given as never)
  let last: Promise<unknown> = Promise.resolve()
  const query = (...given: unknown[]): unknown => {
    if (!hasPromise(given)) return send(...given)
    const next = last.then(() => send(...given))
    last = next.catch(() => {})
    return next
  }
  client.query = query as typeof client.query
}

/** Lets each connection of a pool send a statement when the one before has its answer: node-postgres 9 will not queue them. */
export function sequential(pool: pg.Pool): pg.Pool {
  return pool.on('acquire', sendInTurn)
}
