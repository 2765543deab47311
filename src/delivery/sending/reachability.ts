// Finds the hosts of integrations' providers and whether they can be reached, without sending a message.
import type { Integration } from '../../data/prisma/client.ts'
import type { ResolvedTarget } from '../../domain/channel/provider-directory.ts'
import { providerOf } from '../../domain/channel/provider-id.ts'
import type { Cipher } from '../../lib/cipher.ts'
import { jsonObject } from '../../lib/validation.ts'
import { messageOf } from './standalone-message.ts'
import { beginTls, type Outbound, Unreachable } from '../network/outbound.ts'
import { providers } from './provider-registry.ts'
import type { OutgoingMessage } from '../provider-kit/provider.ts'

export interface ProviderAddress {
  readonly host: string
  readonly port: number
  /** True if a connection begins with TLS. */
  readonly tls: boolean
}

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
  const stop = (address: ProviderAddress) => {
    found ??= address
    return Promise.reject(new Unreachable('nothing is sent', true))
  }
  // Replaces the network: records the address and ends the attempt.
  const trial: Outbound = {
    timeout: 1_000,
    request({ url }) {
      const { hostname, port, protocol } = new URL(url)
      const tls = protocol === 'https:'
      return stop({ host: hostname, port: Number(port) || (tls ? 443 : 80), tls })
    },
    connect: (host, port) => stop({ host, port, tls: port === 465 }),
    close: () => Promise.resolve(),
  }
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
