// Resolves host names with separate queries, and caches the answers for a short time. The system's resolver has two
// threads for the whole process, so one name server that does not respond would delay all requests.
import type { LookupAddress } from 'node:dns'
import { Resolver } from 'node:dns/promises'
import { LRUCache } from 'lru-cache'
import { Places } from '../../lib/places.ts'
import { type SystemFiles, SystemNames } from './system-names.ts'

/** Milliseconds until a query is sent again, and the number of times it is sent. */
const QUERY = { timeout: 2_000, tries: 2 } as const

/** Maximum milliseconds of a lookup, with all its queries. */
const LONGEST = 6_000

/** Milliseconds for which addresses are cached, whatever their time to live. */
const KEPT = { least: 5_000, most: 5 * 60_000 } as const

/** Milliseconds for which a failure is cached. */
const FAILURE_KEPT = 5_000

/** Maximum number of cached names. */
const MAX_NAMES = 10_000

/** Lookups that one environment has in progress. Further lookups wait. */
const MAX_LOOKUPS = 16

/** A name has no address, or its addresses are unknown. The codes are those of the system's resolver. */
class NameError extends Error {
  readonly code: 'ENOTFOUND' | 'EAI_AGAIN'

  constructor(name: string, code: NameError['code']) {
    super(`${name}: ${code}`)
    this.name = 'NameError'
    this.code = code
  }
}

/** Codes of c-ares for names that have no address, or cannot have one. */
const missing: ReadonlySet<unknown> = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME'])

const codeOf = (error: unknown) => (error instanceof Error && 'code' in error ? error.code : undefined)

interface Answer {
  readonly until: number
  readonly result: readonly LookupAddress[] | NameError
}

export interface NameResolver {
  /**
   * Returns the addresses of a host name: at least one.
   *
   * @param environmentId the environment whose limit on lookups in progress applies. Undefined for no limit.
   * @throws Error with the code `ENOTFOUND`, or `EAI_AGAIN` if no name server gave an answer in time.
   */
  readonly resolve: (hostname: string, environmentId?: string) => Promise<readonly LookupAddress[]>
  /** True if the name had addresses before, however long ago. */
  readonly knows: (hostname: string) => boolean
}

interface NameResolverOptions {
  /** Name servers as `address:port`. Default: the system's. */
  readonly servers?: readonly string[]
  readonly files?: SystemFiles
  readonly timeout?: number
  readonly longest?: number
  /** Milliseconds of a clock that never goes back. */
  readonly now?: () => number
}

/** Create one per process. */
export function createNameResolver({
  servers,
  files,
  timeout = QUERY.timeout,
  longest = LONGEST,
  now = () => performance.now(),
}: NameResolverOptions = {}): NameResolver {
  const system = new SystemNames(files)
  const answers = new LRUCache<string, Answer>({ max: MAX_NAMES })
  const pending = new Map<string, Promise<Answer>>()
  const places = new Places(MAX_LOOKUPS)

  /** Queries both address families. One answer is enough. @throws NameError */
  async function query(resolver: Resolver, name: string): Promise<{ addresses: LookupAddress[]; ttl: number }> {
    const [four, six] = await Promise.allSettled([
      resolver.resolve4(name, { ttl: true }),
      resolver.resolve6(name, { ttl: true }),
    ])
    const found = [
      ...(four.status === 'fulfilled' ? four.value.map((one) => ({ ...one, family: 4 })) : []),
      ...(six.status === 'fulfilled' ? six.value.map((one) => ({ ...one, family: 6 })) : []),
    ]
    if (found.length > 0) {
      const addresses = found.map(({ address, family }) => ({ address, family }))
      return { addresses, ttl: Math.min(...found.map(({ ttl }) => ttl)) }
    }
    const isMissing = [four, six].every((one) => one.status === 'rejected' && missing.has(codeOf(one.reason)))
    throw new NameError(name, isMissing ? 'ENOTFOUND' : 'EAI_AGAIN')
  }

  /** @throws NameError */
  async function queryInTurn(resolver: Resolver, candidates: readonly string[]) {
    let last: unknown
    for (const candidate of candidates) {
      try {
        return await query(resolver, candidate)
      } catch (error) {
        if (codeOf(error) !== 'ENOTFOUND') throw error
        last = error
      }
    }
    throw last
  }

  async function ask(name: string): Promise<Answer> {
    // Each lookup has a resolver of its own, which reads the system's name servers again and whose queries can be
    // cancelled.
    const resolver = new Resolver({ timeout, tries: QUERY.tries })
    if (servers) resolver.setServers(servers)
    const timer = setTimeout(() => resolver.cancel(), longest)
    try {
      const { addresses, ttl } = await queryInTurn(resolver, await system.candidatesFor(name))
      const kept = Math.min(Math.max(ttl * 1000, KEPT.least), KEPT.most)
      return { until: now() + kept, result: addresses }
    } catch (error) {
      if (!(error instanceof NameError)) throw error
      return { until: now() + FAILURE_KEPT, result: error }
    } finally {
      clearTimeout(timer)
    }
  }

  /** Returns the cached answer, or that of a lookup in progress. */
  function known(name: string): Answer | Promise<Answer> | undefined {
    const answer = answers.get(name)
    return answer !== undefined && now() < answer.until ? answer : pending.get(name)
  }

  function begin(name: string): Promise<Answer> {
    const asking = ask(name)
      .then((answer) => {
        answers.set(name, answer)
        return answer
      })
      .finally(() => pending.delete(name))
    pending.set(name, asking)
    return asking
  }

  async function beginInTurn(name: string, environmentId: string): Promise<Answer> {
    await places.take(environmentId)
    try {
      // Another lookup may have started or ended meanwhile.
      return await (known(name) ?? begin(name))
    } finally {
      places.leave(environmentId)
    }
  }

  return {
    async resolve(hostname, environmentId) {
      const name = hostname.toLowerCase()
      const named = await system.addressesOf(name.replace(/\.$/, ''))
      if (named !== undefined) return named
      const { result } = await (known(name) ??
        (environmentId === undefined ? begin(name) : beginInTurn(name, environmentId)))
      if (result instanceof NameError) throw result
      return result
    },
    knows(hostname) {
      const answer = answers.peek(hostname.toLowerCase())
      return answer !== undefined && !(answer.result instanceof NameError)
    },
  }
}
