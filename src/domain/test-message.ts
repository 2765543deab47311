// Test messages: one real message through an integration, sent immediately and without an event.
import { z } from 'zod'
import type { Integration } from '../data/prisma/client.ts'
import { type Channel, EndpointType } from '../data/prisma/enums.ts'
import { type Address, addressKeyOf } from './address/address.ts'
import { findSuppression, suppressionInWords } from './address/suppressed.ts'
import { testLink } from './channel/unsubscribe-link.ts'
import { refuse } from '../lib/errors.ts'
import { emailAddress, httpUrl, parse, text } from '../lib/validation.ts'
import { sendingRulesOf } from './access/sending.ts'
import { audit } from './resolver/audit.ts'
import { MAX_SUBJECT, MAX_TEXT } from './channel/channel.ts'
import { DecryptionError } from './resolver/decrypt.ts'
import { type Endpoint, endpointSchemas } from './channel/endpoint-type.ts'
import type { FailureCause } from './channel/failure-cause.ts'
import { openCredentials } from './integration-setting.ts'
import type { StandaloneMessage, ProviderFacts, ResolvedTarget, SendResult } from './channel/provider-directory.ts'
import { type ProviderId, providerOf } from './channel/provider-id.ts'
import { unwrappedMutation } from './resolver/resolver.ts'
import type { Scope } from './resolver/scope.ts'
import { requireUsedIntegration, usedIntegration } from './used-integration.ts'

export const STANDARD_SUBJECT = 'Test message'
const STANDARD_BODY = 'This is a test message of the notification gateway.'

const destination = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('email'), address: emailAddress }),
  z.object({ kind: z.literal('phone'), phoneNumber: z.e164() }),
  z.object({ kind: z.literal('webhook'), url: httpUrl }),
  z.object({ kind: z.literal('device'), token: text(4096, 1) }),
  z.object({ kind: z.literal('endpoint'), type: z.enum(EndpointType), endpoint: z.record(z.string(), z.unknown()) }),
])

function targetOf(to: z.output<typeof destination>): ResolvedTarget {
  if (to.kind !== 'endpoint') return to
  const { type } = to
  const schema = z.object({ to: z.object({ endpoint: endpointSchemas[type] }) })
  const { endpoint } = parse(schema, { to }).to
  // The fields match the type, but the compiler cannot infer that from the table.
  return { kind: 'endpoint', endpoint: Object.assign({ type }, endpoint) as Endpoint }
}

const namesOfKinds = {
  email: 'an email address',
  phone: 'a phone number',
  webhook: 'a webhook URL',
  device: 'a device token',
} satisfies Record<ProviderFacts['targetKinds'][number], string>

/** @throws Refusal `INVALID` if the provider does not support such a target. */
function assertServed(providerId: ProviderId, target: ResolvedTarget, { targetKinds, endpointTypes }: ProviderFacts) {
  const isServed =
    target.kind === 'endpoint' ? endpointTypes.includes(target.endpoint.type) : targetKinds.includes(target.kind)
  if (isServed) return
  const served = [
    ...targetKinds.map((kind) => namesOfKinds[kind]),
    ...endpointTypes.map((type) => `an endpoint of type ${type}`),
  ]
  throw refuse('INVALID', `to must be a destination of ${providerId}: ${served.join(' or ')}`, 'to')
}

/** The address of a test message. Undefined if it is none that can be suppressed. */
function addressOf(target: ResolvedTarget, channel: Channel): Address | undefined {
  if (target.kind === 'email') return { channel: 'email', address: target.address }
  if (target.kind === 'phone') return { channel: 'sms', address: target.phoneNumber }
  if (target.kind !== 'endpoint' || target.endpoint.type !== 'phone' || channel !== 'sms') return undefined
  return { channel, address: target.endpoint.phoneNumber }
}

/** Says since when and why nothing is sent to the address. Undefined if it is not suppressed. */
async function objectionTo(
  scope: Scope,
  target: ResolvedTarget,
  { id, channel }: Pick<Integration, 'id' | 'channel'>,
): Promise<string | undefined> {
  const address = addressOf(target, channel)
  const addressKey = address === undefined ? null : await addressKeyOf(scope)
  if (address === undefined || addressKey === null) return undefined
  const message = { integrationId: id, contextKeys: [], isCritical: false }
  const found = await findSuppression(scope, addressKey, address, message)
  return found && suppressionInWords(address.address, found)
}

const notSent = (reason: string, cause: FailureCause): TestResult => ({
  status: null,
  answer: null,
  failure: { reason, cause, permanent: true, retryAfter: null },
  duration: 0,
})

/** The response of a provider to a test message. */
export interface TestResult extends SendResult {
  /** The duration of the attempt, in milliseconds. */
  readonly duration: number
}

async function attempt(scope: Scope, compose: () => StandaloneMessage): Promise<TestResult> {
  const start = performance.now()
  let message: StandaloneMessage
  try {
    message = compose()
  } catch (error) {
    if (!(error instanceof DecryptionError)) throw error
    return notSent(`The secrets of the ${error.owner} cannot be decrypted.`, 'credentials_unreadable')
  }
  const rules = await sendingRulesOf(scope)
  const result = await scope.withoutPlace(() => scope.providers.send(scope.evaluator, message, rules))
  return { ...result, duration: Math.round(performance.now() - start) }
}

/**
 * Sends one message through an integration, active or not, with one attempt and without storing anything. A provider's
 * failure is returned as a result, and so is a suppressed address, to which nothing is sent. If the environment captures or redirects messages, the same happens to this one.
 *
 * @throws Refusal `NOT_FOUND`, or `INVALID` for a destination that the provider does not support. Also `INVALID` with
 *   an idempotency key, whose transaction would stay open while the provider responds.
 */
export const sendTestMessage = unwrappedMutation({
  name: 'integration.sendTestMessage',
  permission: 'integration:write',
  rate: { category: 'trigger', cost: 1 },
  input: z.object({
    ...usedIntegration,
    to: destination,
    subject: text(MAX_SUBJECT, 1).nullish(),
    body: text(MAX_TEXT, 1).nullish(),
  }),
  async run(scope, { to, subject, body, ...used }): Promise<TestResult> {
    if (scope.inTransaction) throw refuse('INVALID', 'A test message cannot be sent with an Idempotency-Key')
    const target = targetOf(to)
    const row = await requireUsedIntegration(scope, used)
    const { id, identifier, channel } = row
    const providerId = providerOf(row.providerId)
    const facts = scope.providers.factsOf(providerId)
    if (facts) assertServed(providerId, target, facts)
    const objection = await objectionTo(scope, target, row)
    if (objection !== undefined) return notSent(objection, 'suppressed')
    const result = await attempt(scope, () => ({
      id: scope.newId(),
      integration: { environmentId: scope.environmentId, id, identifier, channel, providerId },
      credentials: openCredentials(scope, row),
      target,
      content: {
        ...{ subject: subject ?? STANDARD_SUBJECT, body: body ?? STANDARD_BODY },
        // So that the signature of the provider can be checked. The link changes nothing.
        ...(channel === 'email' && scope.publicUrl && { unsubscribe: testLink(scope.publicUrl) }),
      },
      traceparent: scope.trace.traceparent,
    }))
    const { status, failure, isCaptured = false } = result
    const outcome = { accepted: failure === undefined, isCaptured, status }
    audit(scope, 'test message sent', { integrationId: id, integration: identifier, ...outcome })
    return result
  },
})
