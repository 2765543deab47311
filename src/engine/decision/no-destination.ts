// The sentences that say why a subscriber has no destination for a channel: it has none, or the endpoints that exist and
// why they do not apply.
import { endpointNames, MAX_ENDPOINT_NAMES } from '../../data/channel-endpoint.ts'
import { channels, type ProviderChannel } from '../../domain/channel/channel.ts'
import type { EnvironmentScope } from '../../domain/resolver/scope.ts'
import type { Subscriber } from '../../data/subscriber.ts'
import type { Explanation } from './no-integration.ts'

/** The maximum number of endpoints to name. */
const MAX_NAMED = MAX_ENDPOINT_NAMES - 1

const inWords = (contextKeys: readonly string[]) => (contextKeys.length > 0 ? contextKeys.join(', ') : 'no context')

/**
 * Explains why a subscriber has no destination for a channel. Costs one statement for all subscribers of a step.
 *
 * @param contextKeys the contexts of the event, sorted.
 */
export async function explainNoDestination(
  { load }: EnvironmentScope,
  channel: ProviderChannel,
  { subscriberId }: Subscriber,
  contextKeys: readonly string[],
): Promise<Explanation> {
  const lacking = `Subscriber "${subscriberId}" has ${channels[channel].lacking}.`
  const endpoints = await load(endpointNames, { subscriberId, channel })
  const [first] = endpoints
  if (first === undefined) return { detail: lacking }
  const own = inWords(contextKeys)
  const sentences = endpoints.slice(0, MAX_NAMED).map((endpoint) => {
    const name = `The endpoint "${endpoint.identifier}"`
    const under = inWords(endpoint.contextKeys)
    // Both are sorted.
    if (under !== own) return `${name} exists under ${under}, and the trigger has ${own}.`
    return `${name} belongs to the integration "${endpoint.integrationIdentifier ?? ''}", which is inactive or whose condition is not met.`
  })
  // An endpoint under these contexts exists, so that it is not what is lacking.
  const isThere = endpoints.some((endpoint) => inWords(endpoint.contextKeys) === own)
  const lead = isThere ? `Subscriber "${subscriberId}" has no destination that an integration can use.` : lacking
  const more = endpoints.length > MAX_NAMED ? ['There are more.'] : []
  return { detail: [lead, ...sentences, ...more].join(' '), namedId: first.id }
}
