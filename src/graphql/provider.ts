// Providers in the graph: the names for integrations, with the settings from which clients build forms.
import { type ProviderDefinition as Definition, providerDefinitions } from '../domain/provider.ts'
import type { OwnTargetKind, ProviderSetting as Setting, SettingType } from '../domain/channel/provider-directory.ts'
import { Channel, Provider } from './channel.ts'
import { EndpointType } from './endpoint.ts'
import { builder } from './schema/builder.ts'
import { usualLength } from './schema/complexity.ts'
import { queryField } from './schema/query.ts'
import { anyOfThe, byDefault } from './schema/wording.ts'

const ProviderSettingType = builder.enumType('ProviderSettingType', {
  description: 'The type of the value of a setting.',
  values: {
    STRING: { value: 'string', description: 'Text.' },
    INTEGER: { value: 'integer', description: 'A whole number.' },
    BOOLEAN: { value: 'boolean', description: 'True or false.' },
    ENUM: { value: 'enum', description: 'One of `options`.' },
    JSON: { value: 'json', description: 'A JSON object, or the text of one.' },
  } as const satisfies Record<Uppercase<SettingType>, { value: SettingType; description: string }>,
})

const ProviderSetting = builder.objectRef<Setting>('ProviderSetting').implement({
  description: 'A setting of a provider: one field of the credentials of its integrations.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'The name in the credentials.' }),
    label: t.exposeString('label', { description: 'The display name.' }),
    description: t.exposeString('description', { description: 'The purpose of the setting, in sentences.' }),
    type: t.expose('type', { type: ProviderSettingType, description: 'The type of the value.' }),
    options: t.exposeStringList('options', { description: 'The allowed values of an `ENUM`. Empty for other types.' }),
    required: t.exposeBoolean('required', { description: 'True if the provider cannot send without this setting.' }),
    secret: t.exposeBoolean('secret', { description: 'True if the value is never returned.' }),
    default: t.exposeString('standard', {
      nullable: true,
      description: 'The value of an absent setting, as text. Null if there is none.',
    }),
  }),
})

const DestinationKind = builder.enumType('DestinationKind', {
  description: 'A kind of subscriber destination other than a channel endpoint.',
  values: {
    EMAIL: { value: 'email', description: 'The email address of the profile.' },
    PHONE: { value: 'phone', description: 'The phone number of the profile.' },
    WEBHOOK: { value: 'webhook', description: 'A webhook URL of the credentials.' },
    DEVICE: { value: 'device', description: 'A device token of the credentials.' },
  } as const satisfies Record<Uppercase<OwnTargetKind>, { value: OwnTargetKind; description: string }>,
})

const ProviderDefinition = builder.objectRef<Definition>('ProviderDefinition').implement({
  description: 'A provider that integrations can use.',
  fields: (t) => ({
    providerId: t.expose('providerId', { type: Provider, description: 'The provider.' }),
    name: t.exposeString('name', { description: 'The display name.' }),
    channel: t.expose('channel', { type: Channel, description: 'The channel of the provider.' }),
    supported: t.exposeBoolean('supported', {
      description:
        'True if this gateway can send through the provider. An unsupported provider has neither settings nor destinations.',
    }),
    settings: t.field({
      type: [ProviderSetting],
      description: 'The settings, as they are validated before a message is sent.',
      resolve: ({ settings }) => settings,
    }),
    destinations: t.expose('targetKinds', {
      type: t.listRef(DestinationKind),
      description: 'The kinds of destinations of the provider, besides channel endpoints.',
    }),
    endpointTypes: t.expose('endpointTypes', {
      type: t.listRef(EndpointType),
      description: 'The types of channel endpoints of the provider.',
    }),
  }),
})

const ProviderFilter = builder.inputType('ProviderFilter', {
  description: 'Filters a list of providers. All conditions must match. A null condition is ignored.',
  fields: (t) => ({
    channel: t.field({ type: Channel, description: 'The channel.' }),
    channels: t.field({ type: [Channel], description: anyOfThe('channels') }),
    supported: t.boolean({
      description: 'True for providers that this gateway can send through, false for all others.',
    }),
  }),
})

queryField('providers', {
  description: 'All providers that an integration can name, by channel. Not paginated.',
  type: [ProviderDefinition],
  complexity: usualLength(100),
  args: (arg) => ({ filter: arg({ type: ProviderFilter, description: byDefault('all providers') }) }),
  resolver: providerDefinitions,
})
