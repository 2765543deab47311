// The URLs at which the providers of integrations report.
import {
  type InboundWebhookState,
  inboundWebhookOf,
  rotateInboundWebhookToken,
} from '../domain/execution/inbound-webhook.ts'
import { Integration } from './integration.ts'
import { addressOf } from './schema/address.ts'
import { builder } from './schema/builder.ts'
import { mutationField, part } from './schema/mutation.ts'
import { edge } from './schema/query.ts'
import { identifierOf } from './schema/wording.ts'

const InboundWebhook = builder.objectRef<InboundWebhookState>('InboundWebhook').implement({
  description: 'The URL at which the provider of an integration reports what happened to its messages.',
  fields: (t) => ({
    url: t.exposeString('url', {
      nullable: true,
      description: 'The URL to enter at the provider, without its token. Null if the gateway has no `BASE_URL`.',
    }),
    needsToken: t.exposeBoolean('needsToken', {
      description:
        'True if the provider does not sign its requests, so that the URL needs a token: `rotateInboundWebhookToken` creates it.',
    }),
    isVerified: t.exposeBoolean('isVerified', {
      description: 'True if a request with a valid signature or token has arrived.',
    }),
    lastReportAt: t.expose('lastReportAt', {
      type: 'DateTime',
      nullable: true,
      description:
        'The time the last request with a valid signature or token arrived, to the minute. Null before the first one.',
    }),
    problem: t.exposeString('problem', {
      nullable: true,
      description: 'What keeps reports from arriving, as a sentence. Null if nothing does.',
    }),
  }),
})

builder.objectField(Integration, 'inboundWebhook', (t) =>
  edge(t, {
    description: 'The URL for reports of the provider. Null if the gateway receives no reports of this provider.',
    type: InboundWebhook,
    nullable: true,
    resolver: inboundWebhookOf,
    decode: ({ id, providerId }) => ({ id, providerId }),
  }),
)

const usedIntegration = addressOf(Integration, { integrationIdentifier: identifierOf('integration') }, 'integrationId')

mutationField('rotateInboundWebhookToken', {
  description:
    'Creates the token of the URL for reports of an integration, or replaces it: the former one is invalid immediately. Fails with `BAD_USER_INPUT` if the provider signs its reports instead.',
  input: (t) => ({ ...usedIntegration.fields(t) }),
  resolver: rotateInboundWebhookToken,
  decode: usedIntegration.decode,
  payload: {
    url: (t) =>
      part(
        t,
        'String',
        'The URL with the token, to enter at the provider. Also null if the gateway has no `BASE_URL`.',
        ({ url }) => url,
      ),
    token: (t) => part(t, 'String', 'The token. It cannot be read again.', ({ token }) => token),
  },
})
