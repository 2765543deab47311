// Finds the suppression that applies to a message, and says in words why nothing is sent to an address.
import type { Suppression } from '../../data/prisma/client.ts'
import type { SuppressionReason } from '../../data/prisma/enums.ts'
import { suppressionsOfAddress } from '../../data/suppression/suppression.ts'
import type { EnvironmentScope } from '../resolver/scope.ts'
import { type Address, hashAddress } from './address.ts'

interface ReasonFacts {
  /** The description in the graph. */
  readonly description: string
  /** What happened to the address, after "The address … is suppressed:". */
  readonly because: string
}

/** The reasons, the weakest first. */
export const suppressionReasons = {
  soft_bounces: {
    description: 'Messages bounced on three days within two weeks. It ends after 30 days.',
    because: 'messages to it bounced on several days',
  },
  complaint: {
    description: 'The recipient reported a message as spam. Critical workflows ignore this reason.',
    because: 'its recipient reported a message as spam',
  },
  import: { description: 'It was imported.', because: 'it was imported as suppressed' },
  manual: { description: 'It was created through the API or in the dashboard.', because: 'it was suppressed by hand' },
  sms_keyword: {
    description: 'The recipient replied to a text message with a keyword such as STOP.',
    because: 'its recipient replied with a keyword such as STOP',
  },
  provider: {
    description: 'The provider rejected a message, because the address is on its own list of suppressions.',
    because: 'it is on the suppression list of the provider',
  },
  invalid_address: {
    description: 'The provider rejected the address as invalid.',
    because: 'the provider rejected it as invalid',
  },
  hard_bounce: {
    description: 'A message bounced, and further messages would bounce too.',
    because: 'a message to it bounced permanently',
  },
} as const satisfies Record<SuppressionReason, ReasonFacts>

/** A message, by what decides whether a suppression applies to it. */
export interface SuppressedMessage {
  /** Row id of the integration. Null if it has none, or none yet. */
  readonly integrationId: string | null
  /** The contexts of its event, sorted. */
  readonly contextKeys: readonly string[]
  /** True if its workflow is critical. */
  readonly isCritical: boolean
}

/** True if a suppression has not ended. */
export const isInForce = ({ expiresAt }: Pick<Suppression, 'expiresAt'>, now: Date): boolean =>
  expiresAt === null || expiresAt > now

/**
 * True if a suppression stops a message to its address. One with an integration only stops messages of its sender, and
 * one with contexts only messages under these contexts, with or without others.
 */
const applies = ({ integrationId, contextKeys, reason }: Suppression, message: SuppressedMessage): boolean =>
  (integrationId === null || integrationId === message.integrationId) &&
  contextKeys.every((key) => message.contextKeys.includes(key)) &&
  !(message.isCritical && reason === 'complaint')

/**
 * Finds the suppression that stops a message to an address. Batched: one statement for many addresses.
 *
 * @param addressKey the encrypted address key of the environment. @returns the oldest, or undefined.
 */
export async function findSuppression(
  scope: EnvironmentScope,
  addressKey: string,
  address: Address,
  message: SuppressedMessage,
): Promise<Suppression | undefined> {
  const addressHash = hashAddress(scope, addressKey, address)
  const found = await scope.load(suppressionsOfAddress, { channel: address.channel, addressHash })
  const now = scope.now()
  const [first] = found
    .filter((one) => isInForce(one, now) && applies(one, message))
    .toSorted((one, other) => one.createdAt.getTime() - other.createdAt.getTime())
  return first
}

/** Says since when and why nothing is sent to an address. */
export function suppressionInWords(
  address: string,
  { reason, detail, createdAt, expiresAt, contextKeys }: Suppression,
): string {
  const until = expiresAt === null ? '' : ` until ${expiresAt.toISOString()}`
  const under = contextKeys.length === 0 ? '' : ` under ${contextKeys.join(', ')}`
  const said = detail === null ? '' : ` (${detail.replace(/\.$/, '')})`
  return `${address} is suppressed${under} since ${createdAt.toISOString()}${until}: ${suppressionReasons[reason].because}${said}.`
}
