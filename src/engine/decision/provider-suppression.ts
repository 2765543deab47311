// Suppresses the address of a message that a provider rejected because the address is on the provider's own list.
import type { Delivery } from '../../data/prisma/client.ts'
import { suppressAddresses } from '../../domain/address/suppress.ts'
import type { SendResult } from '../../domain/channel/provider-directory.ts'
import { asObject } from '../../domain/channel/stored-json.ts'
import { targetOf } from '../../domain/execution/target.ts'
import type { EnvironmentScope } from '../../domain/resolver/scope.ts'
import { addressChannels } from '../../domain/address/address.ts'

/** The address that a message was sent to. Undefined if it cannot be suppressed, or is gone. */
async function addressOf({ db, environmentId }: EnvironmentScope, delivery: Delivery): Promise<string | undefined> {
  const target = targetOf(delivery.target)
  if (target.kind === 'email') return target.address
  if (target.kind === 'phone') return target.phoneNumber
  if (target.kind !== 'endpoint' || target.type !== 'phone' || target.id === null) return undefined
  const where = { environmentId_id: { environmentId, id: target.id } }
  const row = await db.channelEndpoint.findUnique({ where, select: { endpoint: true } })
  const number = asObject(row?.endpoint ?? {})['phoneNumber']
  return typeof number === 'string' ? number : undefined
}

/**
 * Suppresses the address for the integration whose provider rejected it. Has no effect if the gateway stopped the message
 * itself, or if a tester got it instead.
 */
export async function suppressForProvider(
  scope: EnvironmentScope,
  delivery: Delivery,
  { status, failure, isCaptured = false, redirectedTo }: SendResult,
): Promise<void> {
  const { channel, integrationId, id } = delivery
  const suppressible = addressChannels.find((one) => one === channel)
  if (status === null || isCaptured || redirectedTo !== undefined || suppressible === undefined) return
  const address = await addressOf(scope, delivery)
  if (address === undefined) return
  await suppressAddresses(scope, [
    {
      ...{ channel: suppressible, address, reason: 'provider', integrationId, sourceDeliveryId: id },
      detail: failure?.reason ?? null,
    },
  ])
}
