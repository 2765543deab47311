// Links that sign in to the dashboard once.
import { isIP } from 'node:net'
import type { ApiKeyAccess } from '../../data/prisma/enums.ts'
import { createSignInCode } from '../../domain/access/dashboard-session.ts'
import { operators } from '../../domain/access/operator.ts'
import type { OperatorCaller } from '../../domain/resolver/caller.ts'
import { createScope } from '../../domain/resolver/create-scope.ts'
import type { Gateway } from '../../domain/resolver/scope.ts'
import type { Settings } from '../command/command.ts'

export interface SignInLink {
  readonly url: string
  readonly expiresAt: Date
}

/**
 * Creates a code and its link. The code is in the fragment, which browsers do not send to servers.
 *
 * @param address the base URL of the dashboard.
 */
export async function createSignInLink(
  gateway: Gateway,
  operator: OperatorCaller,
  { address, access }: { readonly address: string; readonly access: ApiKeyAccess },
): Promise<SignInLink> {
  const { code, expiresAt } = await createSignInCode(createScope(gateway, operator), { access })
  return { url: `${address}/#code=${code}`, expiresAt }
}

/**
 * The address of the dashboard according to the settings. Undefined if it is off.
 *
 * @throws Error if the settings do not determine the port.
 */
export function dashboardAddressOf({ baseUrl, host = '127.0.0.1', port, dashboard }: Settings): string | undefined {
  if (dashboard === false) return undefined
  if (baseUrl !== undefined) return baseUrl
  if (port === undefined || port === 0) throw new Error('The port of the gateway is unknown: set BASE_URL or PORT')
  return `http://${isIP(host) === 6 ? `[${host}]` : host}:${port}`
}

/** True if only programs on this machine can connect to a listening address. */
const isLoopback = (host: string) => host === 'localhost' || host === '::1' || /^127\./.test(host)

interface Startup {
  /** The address to listen on. */
  readonly host: string
  /** The base URL of the dashboard. Undefined if it is off. */
  readonly address: string | undefined
  /** True if the output goes to a terminal, not to a log. */
  readonly isTerminal: boolean | undefined
}

/**
 * The link that a gateway prints when it starts. Gives FULL access to the first environment. Undefined if someone else
 * could see or use it.
 */
export async function linkAtStartup(
  gateway: Gateway,
  { host, address, isTerminal }: Startup,
): Promise<string | undefined> {
  if (address === undefined || isTerminal !== true || !isLoopback(host)) return undefined
  const [operator] = await operators(gateway.db)
  if (operator === undefined) return undefined
  const { url } = await createSignInLink(gateway, operator, { address, access: 'full' })
  return url
}
