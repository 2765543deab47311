// Sends the requests of a page with the session of its environment. Without a live session, they wait for the next one.
import type { Exchange, Operation, OperationResult } from 'urql'
import { filter, makeSubject, merge, pipe } from 'wonka'
import { renewIfDue } from './open-session.ts'
import { endSession, isLive, sessionOf, subscribe } from './session.ts'

const isRejected = ({ error }: OperationResult): boolean =>
  error?.graphQLErrors.some(({ extensions }) => extensions['code'] === 'UNAUTHENTICATED') ?? false

/**
 * Belongs directly before the network. The page does not receive the rejection of a session: the request is sent again
 * once the user has signed in, so that no edit is lost.
 */
export const sessionExchange =
  (environmentId: string): Exchange =>
  ({ forward }) =>
  (operations) => {
    /** The requests that wait for a session, by their key. */
    const held = new Map<number, Operation>()
    /** The authorization of each request that was sent, by its key. */
    const sent = new Map<number, string>()
    const released = makeSubject<Operation>()
    let stopWaiting: (() => void) | undefined

    const release = () => {
      const session = sessionOf(environmentId)
      // Signed out: the next user has not asked for this.
      if (session === undefined) held.clear()
      if (session === undefined || !isLive(session)) return
      stopWaiting?.()
      stopWaiting = undefined
      const waiting = [...held.values()]
      held.clear()
      for (const operation of waiting) released.next(operation)
    }
    const hold = (operation: Operation) => {
      if (sessionOf(environmentId) === undefined) return
      held.set(operation.key, operation)
      stopWaiting ??= subscribe(release)
      // A microtask, because React may be rendering the component that sends the request.
      queueMicrotask(() => {
        const session = sessionOf(environmentId)
        if (session === undefined) return
        if (isLive(session) && sent.get(operation.key) !== session.authorization) release()
        else endSession(session)
      })
    }
    /** @returns true if the request is sent now. */
    const admit = (operation: Operation): boolean => {
      held.delete(operation.key)
      sent.delete(operation.key)
      if (operation.kind === 'teardown') return true
      const session = sessionOf(environmentId)
      if (session === undefined || !isLive(session)) {
        hold(operation)
        return false
      }
      void renewIfDue(session)
      sent.set(operation.key, session.authorization)
      return true
    }
    /** @returns true if the page receives the result. */
    const pass = (result: OperationResult): boolean => {
      if (!isRejected(result)) return true
      hold(result.operation)
      return false
    }

    return pipe(merge([operations, released.source]), filter(admit), forward, filter(pass))
  }
