// The sentences that say why a channel has no usable integration: there is none, or which ones exist and why they are not
// used.
import { groupBatch } from '../data/reading/loader.ts'
import type { Integration } from '../data/prisma/client.ts'
import type { ProviderChannel } from '../domain/channel/channel.ts'
import type { EnvironmentScope } from '../domain/resolver/scope.ts'
import { shorten } from '../lib/shorten.ts'

/** The maximum number of integrations to name. Others are counted. */
const MAX_NAMED = 3
/** The maximum length of a condition, in characters. */
const MAX_CONDITION = 300

type Unused = Pick<Integration, 'identifier' | 'channel' | 'awaitsSetup'>

const inactiveByChannel = groupBatch<Unused>(
  ({ db, environmentId }) =>
    db.integration.findMany({
      where: { environmentId, active: false },
      select: { identifier: true, channel: true, awaitsSetup: true },
      orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
    }),
  ({ channel }) => channel,
)

const ofInactive = ({ identifier, awaitsSetup }: Unused) =>
  `Integration "${identifier}" is inactive${awaitsSetup ? ', because its set-up is incomplete' : ''}.`

const ofOther = ({ identifier, conditions }: Integration) =>
  `The condition of integration "${identifier}" is not met: ${shorten(JSON.stringify(conditions), MAX_CONDITION)}.`

/**
 * Explains why a channel has no usable integration. Costs one statement per channel and transaction.
 *
 * @param unmet the active integrations of the channel, whose conditions are not met.
 */
export async function explainNoIntegration(
  { load }: EnvironmentScope,
  channel: ProviderChannel,
  unmet: readonly Integration[],
): Promise<string> {
  const inactive = await load(inactiveByChannel, channel)
  const sentences = [...unmet.map(ofOther), ...inactive.map(ofInactive)]
  if (sentences.length === 0) return `The environment has no integration for the channel ${channel}.`
  const more = sentences.length - MAX_NAMED
  return [...sentences.slice(0, MAX_NAMED), ...(more > 0 ? [`${more} more cannot be used either.`] : [])].join(' ')
}
