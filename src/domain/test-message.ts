// Test messages: one real message through an integration, sent immediately and without an event.
import { z } from 'zod'
import { EndpointType } from '../data/prisma/enums.ts'
import { testLink } from './channel/unsubscribe-link.ts'
import { refuse } from '../lib/errors.ts'
import { emailAddress, httpUrl, parse, text } from '../lib/validation.ts'
import { sendingRulesOf } from './access/sending.ts'
import { audit } from './resolver/audit.ts'
import { MAX_SUBJECT, MAX_TEXT } from './channel/channel.ts'
import { DecryptionError } from './resolver/decrypt.ts'
import { type Endpoint, endpointSchemas } from './channel/endpoint-type.ts'
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
    const reason = `The secrets of the ${error.owner} cannot be decrypted.`
    return {
      status: null,
      answer: null,
      failure: { reason, cause: 'credentials_unreadable', permanent: true, retryAfter: null },
      duration: 0,
    }
  }
  const rules = await sendingRulesOf(scope)
  const result = await scope.withoutPlace(() => scope.providers.send(scope.evaluator, message, rules))
  return { ...result, duration: Math.round(performance.now() - start) }
}

/**
 * Sends one message through an integration, active or not, with one attempt and without storing anything. A provider's
 * failure is returned as a result. If the environment captures or redirects messages, the same happens to this one.
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
