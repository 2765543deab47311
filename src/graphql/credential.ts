// Provider credentials in the graph: what push and chat providers need to reach a subscriber.
import { type ChannelCredential as ChannelCredentialRow, MAX_DEVICE_TOKENS } from '../domain/credential.ts'
import { Provider } from './channel.ts'
import { builder, type SchemaTypes } from './schema/builder.ts'

export const ChannelCredential = builder.objectRef<ChannelCredentialRow>('ChannelCredential').implement({
  description: 'What a push or chat provider needs to reach a subscriber.',
  fields: (t) => ({
    providerId: t.expose('providerId', { type: Provider, description: 'The provider.' }),
    integrationIdentifier: t.exposeString('integrationIdentifier', {
      nullable: true,
      description: 'The integration that they are for. Null when they serve every integration of the provider.',
    }),
    webhookUrl: t.exposeString('webhookUrl', {
      nullable: true,
      description: 'Where a chat provider posts to, decrypted. Null when there is none.',
    }),
    deviceTokens: t.field({
      type: ['String'],
      description: `The devices that a push provider reaches: at most ${MAX_DEVICE_TOKENS}.`,
      resolve: ({ deviceTokens }) => [...deviceTokens],
    }),
  }),
})

type InputFields = PothosSchemaTypes.InputFieldBuilder<SchemaTypes, 'InputObject'>

const CredentialsInput = builder.inputType('CredentialsInput', {
  description: 'What a provider needs to reach a subscriber.',
  fields: (t) => ({
    webhookUrl: t.string({
      description:
        'Where a chat provider posts to: an absolute http or https URL of at most 2048 characters. Null means none.',
    }),
    deviceTokens: t.stringList({
      description: `The devices that a push provider reaches: at most ${MAX_DEVICE_TOKENS}, each of 1 to 4096 characters. Repeats count once. Null means none.`,
    }),
  }),
})

/** Which provider, and which of its integrations, credentials are for. */
export const credentialAddress = (t: InputFields) => ({
  providerId: t.field({ type: Provider, required: true, description: 'The provider: a chat or push one.' }),
  integrationIdentifier: t.string({
    description: 'One integration of the provider: 1 to 255 characters. Null means all of them.',
  }),
})

/** The same, and the credentials. */
export const credentialFields = (t: InputFields) => ({
  ...credentialAddress(t),
  credentials: t.field({ type: CredentialsInput, required: true, description: 'What the provider needs.' }),
})

export const ChannelCredentialInput = builder.inputType('ChannelCredentialInput', {
  description: 'Credentials of one provider.',
  fields: credentialFields,
})
