// Channels and providers as enums of the graph.
import { Channel as channels } from '../data/prisma/enums.ts'
import { kindOf, type ProviderId, providerIds, type ProviderKind } from '../domain/provider-id.ts'
import { builder } from './schema/builder.ts'

export const Channel = builder.enumType('Channel', {
  description: 'A way by which a notification reaches a subscriber.',
  values: {
    IN_APP: { value: channels.in_app, description: 'The feed inside the application.' },
    EMAIL: { value: channels.email, description: 'E-mail.' },
    SMS: { value: channels.sms, description: 'Text message.' },
    CHAT: { value: channels.chat, description: 'A chat application.' },
    PUSH: { value: channels.push, description: 'Push notification on a device.' },
    TOOL: { value: channels.tool, description: 'An incident, alerting or other tool.' },
  } as const,
})

const providerKinds = {
  in_app: 'The in-app provider',
  email: 'The e-mail provider',
  sms: 'The SMS provider',
  chat: 'The chat provider',
  push: 'The push provider',
  tool: 'The tool provider',
  agent: 'The agent provider',
} satisfies Record<ProviderKind, string>

const upperSnake = (id: ProviderId) => id.toUpperCase().replaceAll('-', '_')

export const Provider = builder.enumType('Provider', {
  description: 'Who delivers: a provider of one kind. Each value says which kind, and its id elsewhere.',
  values: Object.fromEntries(
    providerIds.map((id) => [upperSnake(id), { value: id, description: `${providerKinds[kindOf(id)]} \`${id}\`.` }]),
  ),
})
