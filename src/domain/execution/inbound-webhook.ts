// Inbound webhooks: the URLs at which providers report, what they still need, and who reports.
import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import {
  findDatabase,
  findReportingIntegration,
  type ReportAddress,
  type ReportingIntegration,
  reportSetupsByIntegration,
  storeTokenHash,
} from '../../data/report/inbound-webhook.ts'
import { Refusal, refuse } from '../../lib/errors.ts'
import type { ReceivedReports, ReportRequest } from '../channel/delivery-report.ts'
import { providerId, providerOf } from '../channel/provider-id.ts'
import { openCredentials } from '../integration-setting.ts'
import type { ProviderCaller } from '../resolver/caller.ts'
import { ifDecryptable } from '../resolver/decrypt.ts'
import { permissionsOfProvider } from '../resolver/permission.ts'
import { mutation, query } from '../resolver/resolver.ts'
import type { EnvironmentScope, Gateway } from '../resolver/scope.ts'
import { requireUsedIntegration, usedIntegration } from '../used-integration.ts'

/** The path of all reports, before the environment and the integration. */
export const REPORT_PATH = '/v2/inbound-webhooks/delivery-providers'

/** The URL at which the provider of an integration reports. Undefined without `BASE_URL`. */
export const reportUrlOf = (
  { baseUrl, environmentId }: Pick<EnvironmentScope, 'baseUrl' | 'environmentId'>,
  integrationId: string,
): string | undefined =>
  baseUrl === undefined ? undefined : `${baseUrl.replace(/\/$/, '')}${REPORT_PATH}/${environmentId}/${integrationId}`

/** Where and how the provider of an integration reports. */
export interface InboundWebhookState {
  /** Without the token. Null without `BASE_URL`. */
  readonly url: string | null
  /** True if the provider does not sign its requests. */
  readonly needsToken: boolean
  /** True if a verified report has arrived. */
  readonly isVerified: boolean
  readonly lastReportAt: Date | null
  /** What keeps reports from arriving, as a sentence. Null if nothing does. */
  readonly problem: string | null
}

const isMissing = (value: unknown) => value === undefined || value === null || value === '' || value === false

/** Returns the inbound webhook of an integration. Null if its provider sends no reports. Batched. */
export const inboundWebhookOf = query({
  name: 'inboundWebhook.get',
  permission: 'integration:read',
  input: z.object({ id: z.uuid(), providerId }),
  async run(scope, { id, providerId }): Promise<InboundWebhookState | null> {
    const facts = scope.providers.factsOf(providerId)?.reports
    if (!facts) return null
    const found = await scope.load(reportSetupsByIntegration, id)
    if (found === null) return null
    const { proof, setting } = facts
    const { tokenHash, lastReportAt } = found
    const credentials = ifDecryptable(() => openCredentials(scope, found))
    const problems = [
      scope.baseUrl === undefined && 'The setting BASE_URL of the gateway is missing.',
      proof === 'token' && tokenHash === null && 'The URL has no token: create one.',
      credentials === undefined && 'The credentials cannot be decrypted.',
      setting !== null && credentials && isMissing(credentials[setting]) && `The setting ${setting} is missing.`,
    ]
    return {
      url: reportUrlOf(scope, id) ?? null,
      needsToken: proof === 'token',
      isVerified: lastReportAt !== null,
      lastReportAt,
      problem: problems.find((problem) => typeof problem === 'string') ?? null,
    }
  },
})

const tokenHashOf = (token: string) => hash('sha256', token)

/** An integration with a new token. */
export interface RotatedToken {
  readonly integrationId: string
  /** The URL with the token. Null without `BASE_URL`. */
  readonly url: string | null
  readonly token: string
}

/**
 * Creates the token of an integration's URL, or replaces it: the former one is invalid immediately.
 *
 * @throws Refusal `NOT_FOUND`, `INVALID` if the provider signs its reports or sends none.
 */
export const rotateInboundWebhookToken = mutation({
  name: 'inboundWebhook.rotateToken',
  permission: 'integration:write',
  secret: true,
  input: z.object(usedIntegration),
  async run(scope, named): Promise<RotatedToken> {
    const integration = await requireUsedIntegration(scope, named)
    const { providerId } = integration
    const proof = scope.providers.factsOf(providerOf(providerId))?.reports?.proof
    if (proof !== 'token') {
      const field = named.integrationId == null ? 'integrationIdentifier' : 'integrationId'
      const reason = proof === undefined ? 'sends no reports' : 'signs its reports'
      throw refuse(
        'INVALID',
        `${field} must be an integration of a provider whose URL has a token, and ${providerId} ${reason}`,
        field,
      )
    }
    const token = randomBytes(32).toString('base64url')
    await storeTokenHash(scope, integration.id, tokenHashOf(token))
    const url = reportUrlOf(scope, integration.id)
    return { integrationId: integration.id, url: url === undefined ? null : `${url}?token=${token}`, token }
  },
})

/** A request of a provider whose token is not compared yet. */
export interface ProviderRequest extends Omit<ReportRequest, 'hasToken'> {
  /** The tokens in the URL and in the basic authentication. */
  readonly tokens: readonly string[]
}

/** The integration to which a report is addressed, and the database with the rows of its environment. */
interface Addressed extends ReportingIntegration {
  readonly database: string | null
}

async function findAddressed({ db, databases }: Gateway, address: ReportAddress): Promise<Addressed | undefined> {
  const found = await findReportingIntegration(db, address)
  if (found !== undefined) return { ...found, database: null }
  const database = databases.names.length === 0 ? null : await findDatabase(db, address.environment)
  if (database === null) return undefined
  const elsewhere = await findReportingIntegration(databases.at(database).db, address)
  return elsewhere && { ...elsewhere, database }
}

/**
 * Finds the integration to which a report is addressed.
 *
 * @throws Refusal `NOT_FOUND`, also if its provider sends no reports. `UNAVAILABLE`
 */
export async function reportingIntegration(gateway: Gateway, address: ReportAddress): Promise<Addressed> {
  const found = await findAddressed(gateway, address)
  if (found === undefined || !gateway.providers.factsOf(providerOf(found.providerId))?.reports) {
    throw new Refusal('NOT_FOUND', 'No integration receives reports at this address')
  }
  return found
}

/** Compares hashes, in a time that does not depend on where they differ. */
const hasHash = (token: string, tokenHash: string) =>
  timingSafeEqual(Buffer.from(tokenHashOf(token), 'hex'), Buffer.from(tokenHash, 'hex'))

/** A verified request. */
export interface VerifiedRequest {
  readonly caller: ProviderCaller
  readonly received: ReceivedReports
}

/**
 * Verifies a request of a provider, then reads its reports.
 *
 * @throws Refusal `UNAUTHENTICATED` if it does not come from the account of the integration, `MALFORMED` if it cannot be read,
 *   `UNAVAILABLE` if it cannot be verified now.
 */
export async function verifyReports(
  { cipher, providers }: Gateway,
  integration: Addressed,
  { tokens, ...request }: ProviderRequest,
): Promise<VerifiedRequest> {
  const { environmentId, organizationId, database, id, providerId, tokenHash } = integration
  const credentials = ifDecryptable(() => openCredentials({ cipher, environmentId }, integration))
  if (credentials === undefined) {
    throw new Refusal('UNAVAILABLE', 'The report cannot be verified now: the credentials cannot be decrypted', {
      retryAfter: 60,
    })
  }
  const hasToken = tokenHash !== null && tokens.some((token) => hasHash(token, tokenHash))
  const received = await providers.receiveReports({ environmentId, providerId, credentials }, { ...request, hasToken })
  const of = { environmentId, organizationId, database, permissions: permissionsOfProvider } as const
  return { caller: { kind: 'provider', ...of, integrationId: id }, received }
}
