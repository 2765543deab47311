// What follows from reports of providers beside the message itself: addresses are suppressed, and the preferences of persons
// who complain change.
import type { AddedReport } from '../../data/report/delivery-report.ts'
import type { DeliveryReport } from '../../data/prisma/client.ts'
import { eventsById } from '../../data/event.ts'
import { runsByStepRun } from '../../data/run.ts'
import { subscribersBySubscriberId } from '../../data/subscriber.ts'
import { type Address, addressChannels, normalizeAddress } from '../address/address.ts'
import { type AddressToSuppress, countSoftBounces, type SoftBounce, suppressAddresses } from '../address/suppress.ts'
import type { MessageReport } from '../channel/delivery-report.ts'
import { changePreference } from '../preference/change-preference.ts'
import type { EnvironmentScope } from '../resolver/scope.ts'
import { linkScopeOf } from '../trigger/link-scope.ts'
import { loadTriggeredWorkflow } from '../trigger/triggered-workflow.ts'

/** A report that was stored, and the message that it is about. */
export interface Told extends AddedReport, Pick<DeliveryReport, 'kind' | 'at'>, Pick<MessageReport, 'cause'> {}

/** A report about an address that can be suppressed. */
interface Addressed extends Told, Address {
  readonly channel: Address['channel']
  readonly address: string
}

function addressed(told: Told): Addressed | undefined {
  const channel = addressChannels.find((one) => one === told.channel)
  const { address } = told
  return channel === undefined || address === null ? undefined : { ...told, channel, address }
}

/** Returns the suppression that a report leads to at once. Undefined if it leads to none. */
function suppressionOf(one: Addressed, integrationId: string): AddressToSuppress | undefined {
  const { channel, address, kind, cause, detail, deliveryId: sourceDeliveryId, contextKeys } = one
  const common = { channel, address, detail, sourceDeliveryId }
  if (cause === 'invalid_address') return { ...common, reason: 'invalid_address' }
  if (cause === 'suppressed_by_provider') return { ...common, reason: 'provider', integrationId }
  if (kind === 'bounced_hard') return { ...common, reason: 'hard_bounce' }
  return kind === 'complained' ? { ...common, reason: 'complaint', contextKeys } : undefined
}

const softBounceOf = ({ channel, address, kind, at, detail, deliveryId, cause }: Addressed): SoftBounce | undefined =>
  kind === 'bounced_soft' && cause === undefined
    ? { channel, address, at, detail, sourceDeliveryId: deliveryId }
    : undefined

/** True if the address is the recipient's own, and not that of a copy. */
async function isOwn({ load }: EnvironmentScope, { channel, address, subscriberId }: Addressed): Promise<boolean> {
  const subscriber = subscriberId === null ? null : await load(subscribersBySubscriberId, subscriberId)
  const own = channel === 'email' ? subscriber?.email : subscriber?.phone
  return !!own && normalizeAddress({ channel, address: own }) === normalizeAddress({ channel, address })
}

/** Turns off what the links of the message would have turned off. A critical workflow has no such links. */
async function unsubscribe(scope: EnvironmentScope, one: Addressed): Promise<void> {
  const { subscriberId, stepRunId, contextKeys, channel, deliveryId } = one
  if (subscriberId === null || !(await isOwn(scope, one))) return
  const run = await scope.load(runsByStepRun, stepRunId)
  const event = run && (await scope.load(eventsById, run.eventId))
  if (!event) return
  const workflow = await loadTriggeredWorkflow(scope, { snapshotHash: run.snapshotHash ?? event.snapshotHash })
  const about = linkScopeOf(workflow)
  if (about === null) return
  const subject = {
    all: {},
    workflow: { workflowId: about.workflowId },
    category: { categoryId: 'categoryId' in about ? about.categoryId : null },
  }[about.kind]
  const origin = { source: 'complaint', deliveryId } as const
  await changePreference(scope, { subscriberId, contextKeys }, { ...subject, channels: { [channel]: false } }, origin)
}

const isComplaint = ({ kind }: Told) => kind === 'complained' || kind === 'unsubscribed'

/**
 * Acts on reports of the provider of an integration, in the transaction that stores them. Bounces and complaints suppress
 * addresses, a complaint only under the contexts of its message. Who complains or unsubscribes at the provider is also
 * unsubscribed here.
 */
export async function actOnReports(
  scope: EnvironmentScope,
  integrationId: string,
  told: readonly Told[],
): Promise<void> {
  const reports = told.flatMap((one) => addressed(one) ?? [])
  await suppressAddresses(
    scope,
    reports.flatMap((one) => suppressionOf(one, integrationId) ?? []),
  )
  await countSoftBounces(
    scope,
    reports.flatMap((one) => softBounceOf(one) ?? []),
  )
  // One order of subscribers, which prevents deadlocks.
  const complaints = reports
    .filter(isComplaint)
    .toSorted((one, other) => ((one.subscriberId ?? '') < (other.subscriberId ?? '') ? -1 : 1))
  for (const one of complaints) await unsubscribe(scope, one)
}
