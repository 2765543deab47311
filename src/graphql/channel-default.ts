// Channel defaults, as categories and workflows have them.
import { Channel as channels } from '../data/prisma/enums.ts'
import type { ChannelChoices } from '../domain/channel/channel-choices.ts'
import { Channel } from './channel.ts'
import { builder } from './schema/builder.ts'

interface ChannelDefaultValue {
  readonly channel: keyof ChannelChoices
  readonly enabled: boolean
}

/** Returns channel defaults as a list. */
export const defaultsOf = (choices: ChannelChoices): ChannelDefaultValue[] =>
  Object.values(channels).flatMap((channel) => {
    const enabled = choices[channel]
    return enabled === undefined ? [] : [{ channel, enabled }]
  })

/** Reads channel defaults of an input. */
export const readChannels = (given: readonly ChannelDefaultValue[]) =>
  Object.fromEntries(given.map(({ channel, enabled }) => [channel, enabled]))

export const ChannelDefault = builder.objectRef<ChannelDefaultValue>('ChannelDefault').implement({
  description: 'The default of a channel for subscribers without a preference.',
  fields: (t) => ({
    channel: t.expose('channel', { type: Channel, description: 'The channel.' }),
    enabled: t.exposeBoolean('enabled', { description: 'True if the channel is on.' }),
  }),
})

export const ChannelDefaultInput = builder.inputType('ChannelDefaultInput', {
  description: 'The default of a channel for subscribers without a preference.',
  fields: (t) => ({
    channel: t.field({ type: Channel, required: true, description: 'The channel.' }),
    enabled: t.boolean({ required: true, description: 'True if the channel is on.' }),
  }),
})
