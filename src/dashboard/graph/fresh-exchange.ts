// Keeps the queries on the screen up to date: repeats each of them after a mutation that does not read back what it
// changes.
import { type Exchange, makeOperation, type Operation } from 'urql'
import { filter, makeSubject, merge, pipe, tap } from 'wonka'

/**
 * Belongs between the cache and the network. A mutation may add objects to lists or remove them, and only the gateway
 * knows from which lists, so every query on the screen is repeated. The result of a query that was in progress is
 * dropped, because it may have been read before the mutation.
 */
export const freshExchange: Exchange =
  ({ client, forward }) =>
  (operations) => {
    /** The latest request of each query on the screen, by its key. */
    const requests = new Map<number, Operation>()
    /** The latest request of each query without a result, by its key. */
    const underWay = new Set<number>()
    const repeated = makeSubject<Operation>()

    const note = (operation: Operation) => {
      if (operation.kind === 'query') {
        requests.set(operation.key, operation)
        underWay.add(operation.key)
      } else if (operation.kind === 'teardown') {
        requests.delete(operation.key)
        underWay.delete(operation.key)
      }
    }
    const sendAgain = (request: Operation) => {
      // The client ignores a query that is in progress.
      if (underWay.has(request.key)) repeated.next(makeOperation(request.kind, request))
      else client.reexecuteOperation(makeOperation(request.kind, request, { requestPolicy: 'network-only' }))
    }
    const sendAllAgain = () => {
      for (const request of [...requests.values()]) sendAgain(request)
    }

    return pipe(
      merge([operations, repeated.source]),
      tap(note),
      forward,
      filter(({ operation }) => operation.kind !== 'query' || requests.get(operation.key) === operation),
      tap(({ operation }) => {
        if (operation.kind === 'query') underWay.delete(operation.key)
        // A microtask, so that it runs after the cache has repeated the queries it changed: of two requests, the client
        // sends the last.
        if (operation.kind === 'mutation' && operation.context['readsBack'] !== true) queueMicrotask(sendAllAgain)
      }),
    )
  }
