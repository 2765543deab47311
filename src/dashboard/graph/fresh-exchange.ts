// Keeps the queries on the screen up to date: after a mutation, each is sent again.
import { type Exchange, makeOperation, type Operation } from 'urql'
import { filter, makeSubject, merge, pipe, tap } from 'wonka'

/**
 * Belongs between the cache and the network. A list may gain or lose what a mutation wrote, and only the gateway knows which
 * lists: so every query on the screen is sent again. The result of one that was under way is dropped, because it may have
 * been read before the mutation.
 */
export const freshExchange: Exchange =
  ({ client, forward }) =>
  (operations) => {
    /** The last request of each query on the screen, by its key. */
    const requests = new Map<number, Operation>()
    /** Keys of the queries without a result to their last request. */
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
      // The client ignores a query that is under way.
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
        // After the cache, which sends those that it changed to itself: of two requests, the client sends the last.
        if (operation.kind === 'mutation') queueMicrotask(sendAllAgain)
      }),
    )
  }
