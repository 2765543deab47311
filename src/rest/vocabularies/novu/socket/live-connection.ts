// Live connections of a session, whatever their protocol: who may connect, what they count as, and when they end.
import type { SessionCaller } from '../../../../domain/resolver/caller.ts'
import { createDoorScope } from '../../../../domain/resolver/door-scope.ts'
import { watchAccess } from '../../../../http/access-watch.ts'
import { authenticate } from '../../../../http/authenticate.ts'
import { refusalOfOutage, reportFault } from '../../../../http/fault.ts'
import { ordinaryRate } from '../../../../http/rate-limit.ts'
import type { RateMeter } from '../../../../http/rate-meter.ts'
import type { RequestRecord } from '../../../../http/request-record.ts'
import { BoundedQueue } from '../../../../lib/bounded-queue.ts'
import { errorKinds, Refusal } from '../../../../lib/errors.ts'
import type { Traced } from '../../../../lib/trace.ts'
import type { UpgradeOptions } from '../../../vocabulary.ts'
import { type LiveEvent, LiveFeeds } from './live-feed.ts'

/** Maximum events that wait for a connection. A slower one is closed, and connects again. */
const MAX_WAITING = 1_000

/** Close codes: one for credentials that are not valid (any more), and one of RFC 6455 that asks to try again later. */
export const FORBIDDEN = 4403
export const TRY_AGAIN_LATER = 1013

/** The kinds of errors after which another attempt fails as well. */
const final: readonly unknown[] = ['UNAUTHENTICATED', 'FORBIDDEN', 'NOT_FOUND']
export const isFinal = ({ kind }: Refusal): boolean => final.includes(kind)

/** Characters of a token. It comes from a URL, and must not become part of an error about a header. */
const tokenFormat = /^[\x21-\x7e]+$/

/** One side of a connection. */
export interface LiveListener {
  /** Events follow from now on. */
  begun(): void
  /** Resolves once the event was sent. */
  send(event: LiveEvent): Promise<void>
  /** There are no more events. Not called after `stop`. */
  ended(refusal: Refusal): void
}

export interface LiveConnections {
  /**
   * Returns the session of a token, and draws from its rate limit. @throws Refusal `UNAUTHENTICATED` if there is none, or
   * `RATE_LIMITED`.
   */
  readonly identify: (token: string | null, meter: RateMeter) => Promise<SessionCaller>
  /** Sends the events of the session's feed until it ends. @returns `stop`, which ends it. */
  readonly start: (caller: SessionCaller, token: string, record: RequestRecord, listener: LiveListener) => () => void
  /** Counts an error, and logs a fault. @returns what the client may see. */
  readonly reject: (error: unknown, trace: Traced) => Refusal
}

export function createLiveConnections({ gateway, logger, socketLimits }: UpgradeOptions): LiveConnections {
  const { metrics, connected } = gateway

  function refusalOf(error: unknown, trace: Traced): Refusal {
    const known = error instanceof Refusal ? error : refusalOfOutage(logger, error, trace)
    if (known === undefined) reportFault(logger, error, trace)
    return known ?? new Refusal('UNAVAILABLE', 'Something went wrong')
  }
  const feeds = new LiveFeeds(refusalOf)

  function reject(error: unknown, trace: Traced): Refusal {
    const refusal = refusalOf(error, trace)
    metrics.rejected('rest', errorKinds[refusal.kind].code)
    return refusal
  }

  async function sessionOf(token: string | null): Promise<SessionCaller> {
    if (token === null || token === '') throw new Refusal('UNAUTHENTICATED', 'Missing token')
    const caller = tokenFormat.test(token)
      ? await authenticate(gateway, new Headers({ authorization: `Bearer ${token}` }))
      : undefined
    if (caller?.kind !== 'session') throw new Refusal('UNAUTHENTICATED', 'Session not found')
    return caller
  }

  async function identify(token: string | null, meter: RateMeter): Promise<SessionCaller> {
    try {
      const caller = await sessionOf(token)
      meter.identify(caller)
      return caller
    } finally {
      meter.draw([ordinaryRate])
    }
  }

  function start(caller: SessionCaller, token: string, record: RequestRecord, listener: LiveListener): () => void {
    const scope = createDoorScope(gateway, caller, undefined, record)
    const undo: (() => void)[] = []
    let hasEnded = false
    let isStopped = false
    const queue = new BoundedQueue<LiveEvent>({
      limit: MAX_WAITING,
      overflow: () => new Refusal('UNAVAILABLE', 'The connection is too slow'),
      onClose() {
        hasEnded = true
        for (const act of undo.splice(0).reverse()) act()
      },
    })
    /** Adds what ends with the connection, which may have ended already. */
    const untilEnd = (act: () => void) => (hasEnded ? act() : void undo.push(act))

    async function run(): Promise<void> {
      untilEnd(socketLimits.open.add(caller.environmentId))
      untilEnd(await feeds.join(scope, caller, queue))
      untilEnd(
        watchAccess(
          scope,
          () => sessionOf(token),
          (refusal) => queue.close(refusal),
        ),
      )
      untilEnd(metrics.streamOpened('websocket'))
      untilEnd(connected.connect(caller))
      if (!hasEnded) listener.begun()
      for (let events = await queue.take(); events !== undefined; events = await queue.take()) {
        for (const event of events) await listener.send(event)
      }
    }

    run().catch((error: unknown) => {
      const refusal = reject(error, record)
      queue.close()
      if (!isStopped) listener.ended(refusal)
    })
    return () => {
      isStopped = true
      queue.close()
    }
  }

  return { identify, start, reject }
}
