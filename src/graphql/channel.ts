// Channels and providers as enums.
import { Channel as Id } from '../data/prisma/enums.ts'
import { channels } from '../domain/channel/channel.ts'
import { isChannel, kindOf, type ProviderId, providerIds } from '../domain/channel/provider-id.ts'
import { builder } from './schema/builder.ts'

export const Channel = builder.enumType('Channel', {
  description: 'A way in which a notification reaches a subscriber.',
  values: Object.fromEntries(
    Object.values(Id).map((id) => [id.toUpperCase(), { value: id, description: channels[id].description }]),
  ),
})

function describeProvider(id: ProviderId): string {
  const kind = kindOf(id)
  if (kind === 'capture')
    return 'No provider: the environment captured the message and has no integration for its channel.'
  return `The ${isChannel(kind) ? channels[kind].label : kind} provider \`${id}\`.`
}

const upperSnake = (id: ProviderId) => id.toUpperCase().replaceAll('-', '_')

export const Provider = builder.enumType('Provider', {
  description: 'A service that delivers messages. REST uses the id in the description of each value.',
  values: Object.fromEntries(
    providerIds.map((id) => [upperSnake(id), { value: id, description: describeProvider(id) }]),
  ),
})
