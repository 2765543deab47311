// Test messages in the graph.
import { MAX_SUBJECT, MAX_TEXT } from '../domain/channel/channel.ts'
import { sendTestMessage, STANDARD_SUBJECT, type TestResult } from '../domain/test-message.ts'
import type { Issue } from '../lib/errors.ts'
import { EndpointInput, locateEndpoint, readEndpoint } from './endpoint.ts'
import { Integration } from './integration.ts'
import { addressOf } from './schema/address.ts'
import { builder } from './schema/builder.ts'
import { formerNameOf, replacedBy } from './schema/former-name.ts'
import { mutationField } from './schema/mutation.ts'
import { byDefault, identifierOf } from './schema/wording.ts'

const TestMessageResult = builder.objectRef<TestResult>('TestMessageResult').implement({
  description: 'The response of a provider to a test message.',
  fields: (t) => ({
    accepted: t.boolean({
      description: 'True if the provider accepted the message.',
      resolve: ({ failure }) => failure === undefined,
    }),
    statusCode: t.exposeInt('status', {
      nullable: true,
      description: 'The HTTP or SMTP status code of the response. Null without a response.',
    }),
    status: t.exposeInt('status', {
      nullable: true,
      description: `${formerNameOf('statusCode')} Null without a response.`,
      deprecationReason: replacedBy('statusCode'),
    }),
    answer: t.exposeString('answer', {
      nullable: true,
      description: 'The beginning of the response, without secrets. Null without a response.',
    }),
    error: t.string({
      nullable: true,
      description: 'The reason why the provider did not accept the message. Null if it did.',
      resolve: ({ failure }) => failure?.reason ?? null,
    }),
    isCaptured: t.boolean({
      description: 'True if nothing was sent, because the environment captures messages. It counts as accepted.',
      resolve: ({ isCaptured = false }) => isCaptured,
    }),
    duration: t.exposeInt('duration', { description: 'The time that the attempt took, in milliseconds.' }),
  }),
})

const TestDestinationInput = builder.inputType('TestDestinationInput', {
  description: 'The destination of a test message. Set exactly one field.',
  isOneOf: true,
  fields: (t) => ({
    email: t.string({ description: 'An email address.' }),
    phoneNumber: t.string({ description: 'A phone number in E.164 format, such as `+4915123456789`.' }),
    webhookUrl: t.string({
      description: 'A webhook of a chat provider: an absolute http or https URL of at most 2048 characters.',
    }),
    deviceToken: t.string({ description: 'A device token of a push provider: 1 to 4096 characters.' }),
    endpoint: t.field({ type: EndpointInput, description: 'A destination in the format of a channel endpoint.' }),
  }),
})

type Given = typeof TestDestinationInput.$inferInput

function readDestination({ email, phoneNumber, webhookUrl, deviceToken, endpoint }: Given) {
  if (email != null) return { kind: 'email', address: email } as const
  if (phoneNumber != null) return { kind: 'phone', phoneNumber } as const
  if (webhookUrl != null) return { kind: 'webhook', url: webhookUrl } as const
  if (deviceToken != null) return { kind: 'device', token: deviceToken } as const
  return { kind: 'endpoint', ...readEndpoint(endpoint) } as const
}

/** Converts a path in the domain's input to the mutation's: `to.address` to `to.email`. */
function locateDestination([root, ...path]: Issue['path'], { endpoint, ...others }: Given): Issue['path'] {
  if (root !== 'to' || path.length === 0) return root === undefined ? [] : [root, ...path]
  return endpoint ? ['to', ...locateEndpoint(path, { endpoint })] : ['to', ...Object.keys(others)]
}

const usedIntegration = addressOf(Integration, { integrationIdentifier: identifierOf('integration') }, 'integrationId')

mutationField('sendTestMessage', {
  description:
    'Sends one real message through an integration, even if the integration is not active. If the environment captures or redirects messages, the same happens to this one. Nothing is stored, and there is one attempt. Requests with an `Idempotency-Key` are rejected.',
  input: (t) => ({
    ...usedIntegration.fields(t),
    to: t.field({
      type: TestDestinationInput,
      required: true,
      description: "The destination. Its kind must be one of the provider's: see `ProviderDefinition`.",
    }),
    subject: t.string({
      description: `The subject: 1 to ${MAX_SUBJECT} characters. ${byDefault(`\`${STANDARD_SUBJECT}\``)}`,
    }),
    body: t.string({
      description: `The body: 1 to ${MAX_TEXT} characters. ${byDefault('a sentence stating that this is a test')}`,
    }),
  }),
  resolver: sendTestMessage,
  decode: ({ to, ...given }) => ({ ...usedIntegration.decode(given), to: readDestination(to) }),
  locate: (path, { to }) => locateDestination(path, to),
  payload: { result: TestMessageResult },
})
