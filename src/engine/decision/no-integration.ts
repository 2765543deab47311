// The sentences that say why a channel has no usable integration: there is none, or which ones exist and why they are not
// used.
import { integrationsByIdentifier } from '../../data/integration.ts'
import { groupBatch } from '../../data/reading/loader.ts'
import type { Integration } from '../../data/prisma/client.ts'
import type { ProviderChannel } from '../../domain/channel/channel.ts'
import { conditionOf } from '../../domain/channel/stored-json.ts'
import type { EnvironmentScope } from '../../domain/resolver/scope.ts'
import type { JsonObject } from '../../lib/validation.ts'
import { conditionInWords } from './unmet-condition.ts'

/** The maximum number of integrations to name. Others are counted. */
const MAX_NAMED = 3

type Unused = Pick<Integration, 'id' | 'identifier' | 'channel' | 'awaitsSetup'>

const inactiveByChannel = groupBatch<Unused>(
  ({ db, environmentId }) =>
    db.integration.findMany({
      where: { environmentId, active: false },
      select: { id: true, identifier: true, channel: true, awaitsSetup: true },
      orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
    }),
  ({ channel }) => channel,
)

const ofInactive = ({ identifier, awaitsSetup }: Unused) =>
  `Integration "${identifier}" is inactive${awaitsSetup ? ', because its set-up is incomplete' : ''}.`

const ofOther = ({ identifier, conditions }: Integration, variables: JsonObject) =>
  `The condition of integration "${identifier}" is not met: ${conditionInWords(conditionOf(conditions) ?? {}, variables)}`

/** The explanation of a decision. */
export interface Explanation {
  /** In sentences. */
  readonly detail: string
  /** The row id of the first object that the detail names. Undefined if it names none. */
  readonly namedId?: string | undefined
}

/**
 * Explains why a channel has no usable integration. Costs one statement per channel and transaction.
 *
 * @param unmet the active integrations of the channel, whose conditions are not met.
 * @param variables the variables that the conditions read.
 */
export async function explainNoIntegration(
  { load }: EnvironmentScope,
  channel: ProviderChannel,
  unmet: readonly Integration[],
  variables: JsonObject,
): Promise<Explanation> {
  const inactive = await load(inactiveByChannel, channel)
  const sentences = [
    ...unmet.slice(0, MAX_NAMED).map((one) => ofOther(one, variables)),
    ...inactive.slice(0, MAX_NAMED).map(ofInactive),
  ].slice(0, MAX_NAMED)
  if (sentences.length === 0) return { detail: `The environment has no integration for the channel ${channel}.` }
  const more = unmet.length + inactive.length - sentences.length
  const detail = [...sentences, ...(more > 0 ? [`${more} more cannot be used either.`] : [])].join(' ')
  return { detail, namedId: (unmet[0] ?? inactive[0])?.id }
}

/**
 * Explains why the integration that a step selects is not used. Costs one statement per transaction.
 *
 * @param selected its identifier.
 */
export async function explainSelected(
  { load }: EnvironmentScope,
  stepId: string,
  selected: string,
): Promise<Explanation> {
  const found = await load(integrationsByIdentifier, selected)
  const lead = `Step "${stepId}" selects the integration "${selected}"`
  if (found === null) return { detail: `${lead}, which does not exist.` }
  const why = found.active ? 'whose condition is not met for these contexts' : 'which is inactive'
  return { detail: `${lead}, ${why}.`, namedId: found.id }
}
