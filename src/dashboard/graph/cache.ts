// The normalized cache: objects by their id, and what a mutation makes stale.
import type { CacheExchangeOpts, UpdateResolver } from '@urql/exchange-graphcache'

/** Makes the result of every query stale. Queries on the screen are sent again, the others when they are next shown. */
const invalidateQueries: UpdateResolver = (_result, _args, cache) => {
  for (const { fieldName, arguments: given } of cache.inspectFields('Query')) {
    cache.invalidate('Query', fieldName, given)
  }
}

export const cacheOptions: CacheExchangeOpts = {
  // One rule for every mutation: a list may gain or lose what was written, and only the gateway knows which.
  updates: { Mutation: new Proxy({}, { get: () => invalidateQueries }) },
}
