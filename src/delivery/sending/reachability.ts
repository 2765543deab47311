// Finds the hosts of integrations' providers and whether they can be reached, without sending a message.
import type { Integration } from '../../data/prisma/client.ts'
import type { ResolvedTarget } from '../../domain/channel/provider-directory.ts'
import { providerOf } from '../../domain/channel/provider-id.ts'
import type { Cipher } from '../../lib/cipher.ts'
import { jsonObject } from '../../lib/validation.ts'
import { messageOf } from './standalone-message.ts'
import { beginTls, type Outbound } from '../network/outbound.ts'
import { createTrial, type ProviderAddress } from '../network/trial.ts'
import { providers } from './provider-registry.ts'
import type { OutgoingMessage } from '../provider-kit/provider.ts'

/** One target for each kind of address that does not name its own host. */
const targets: readonly ResolvedTarget[] = [
  { kind: 'email', address: 'nobody@example.com' },
  { kind: 'phone', phoneNumber: '+15550100' },
  { kind: 'device', token: 'none' },
]

function messageTo(target: ResolvedTarget, integration: Integration, cipher: Cipher): OutgoingMessage {
  const { credentials, environmentId, id } = integration
  const stored = credentials === null ? '{}' : cipher.decrypt(credentials, environmentId)
  const message = messageOf({
    id,
    integration: { ...integration, providerId: providerOf(integration.providerId) },
    content: { subject: 'None', body: 'None' },
    target,
    credentials: jsonObject().parse(JSON.parse(stored)),
    traceparent: null,
  })
  return { ...message, plainText: null }
}

/**
 * Returns the host to which a provider connects first. Undefined if each subscriber names another host, or if the
 * integration's credentials are incomplete.
 */
export async function addressOfProvider(
  integration: Integration,
  cipher: Cipher,
): Promise<ProviderAddress | undefined> {
  const provider = providers[providerOf(integration.providerId)]
  let found: ProviderAddress | undefined
  const trial = createTrial((address) => {
    found ??= address
  })
  for (const target of targets) {
    if (provider === undefined || found !== undefined) break
    try {
      await provider.send(messageTo(target, integration, cipher), trial)
    } catch {
      // Every trial ends here: the address was recorded, or the provider does not support this target.
    }
  }
  return found
}

/** Connects, then closes the connection. @throws Error with the reason for a failure. */
export async function connectTo(
  { host, port, tls }: ProviderAddress,
  outbound: Outbound,
  environmentId: string,
): Promise<void> {
  const socket = await outbound.connect(host, port, environmentId)
  try {
    if (tls) await beginTls(socket, host, outbound.timeout)
  } finally {
    socket.destroy()
  }
}
