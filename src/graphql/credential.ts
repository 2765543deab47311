// Credentials of subscribers in the graph: webhook URLs and device tokens.
import { type ChannelCredential as ChannelCredentialRow, MAX_DEVICE_TOKENS } from '../domain/credential.ts'
import { Provider } from './channel.ts'
import { builder, type InputFields } from './schema/builder.ts'
import { byDefault } from './schema/wording.ts'

export const ChannelCredential = builder.objectRef<ChannelCredentialRow>('ChannelCredential').implement({
  description: "A subscriber's credentials for a push or chat provider.",
  fields: (t) => ({
    providerId: t.expose('providerId', { type: Provider, description: 'The provider.' }),
    integrationIdentifier: t.exposeString('integrationIdentifier', {
      nullable: true,
      description:
        'The identifier of the integration that the credentials are for. Null if they are for all integrations of the provider.',
    }),
    webhookUrl: t.exposeString('webhookUrl', {
      nullable: true,
      description: 'The webhook URL of a chat provider, decrypted. Null if there is none.',
    }),
    deviceTokens: t.expose('deviceTokens', {
      type: t.listRef('String'),
      description: `The device tokens of a push provider: at most ${MAX_DEVICE_TOKENS}.`,
    }),
  }),
})

const CredentialsInput = builder.inputType('CredentialsInput', {
  description: 'The credentials of a subscriber for a push or chat provider.',
  fields: (t) => ({
    webhookUrl: t.string({
      description: `The webhook URL of a chat provider: an absolute http or https URL of at most 2048 characters. ${byDefault('none')}`,
    }),
    deviceTokens: t.stringList({
      description: `The device tokens of a push provider: at most ${MAX_DEVICE_TOKENS}, each of 1 to 4096 characters. Duplicates are removed. ${byDefault('none')}`,
    }),
  }),
})

/** The provider and integration of the credentials. */
export const credentialAddress = (t: InputFields) => ({
  providerId: t.field({ type: Provider, required: true, description: 'The chat or push provider.' }),
  integrationIdentifier: t.string({
    description: `The identifier of one integration of the provider: 1 to 255 characters. ${byDefault('all integrations')}`,
  }),
})

/** The fields of `credentialAddress`, and the credentials. */
export const credentialFields = (t: InputFields) => ({
  ...credentialAddress(t),
  credentials: t.field({ type: CredentialsInput, required: true, description: 'The credentials.' }),
})

export const ChannelCredentialInput = builder.inputType('ChannelCredentialInput', {
  description: 'The credentials of a subscriber for one provider.',
  fields: credentialFields,
})
