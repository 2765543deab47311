// A category while it is edited: converted from the graph to the values of fields, and back to an input.
import { graphql, type ResultOf } from '../../graph/graphql.ts'
import { type Channel, channelLabels } from '../../parts/channel-labels.ts'
import { optionsOf } from '../../parts/options.ts'

export const categoryFields = graphql(`
  fragment CategoryFields on Category @_unmask {
    id
    key
    name
    description
    isHidden
    channels {
      channel
      enabled
    }
    createdAt
    updatedAt
    version
  }
`)

export type Category = ResultOf<typeof categoryFields>

/** The defaults of a channel to choose from. */
export const defaultLabels = { NONE: 'No default', ON: 'On', OFF: 'Off' } as const
type Default = keyof typeof defaultLabels

export interface CategoryValues {
  readonly key: string
  readonly name: string
  readonly description: string
  readonly isHidden: boolean
  readonly channels: Readonly<Record<Channel, Default>>
}

const noDefaults: CategoryValues['channels'] = {
  IN_APP: 'NONE',
  EMAIL: 'NONE',
  SMS: 'NONE',
  CHAT: 'NONE',
  PUSH: 'NONE',
  TOOL: 'NONE',
}

export const newCategory: CategoryValues = {
  key: '',
  name: '',
  description: '',
  isHidden: false,
  channels: noDefaults,
}

/** Returns the form's values of a category. */
export const categoryValues = ({ key, name, description, isHidden, channels }: Category): CategoryValues => ({
  ...{ key, name, description: description ?? '', isHidden },
  channels: {
    ...noDefaults,
    ...Object.fromEntries(channels.map(({ channel, enabled }) => [channel, enabled ? 'ON' : 'OFF'])),
  },
})

export const channelOptions = optionsOf<Channel>(channelLabels)

/** Returns the defaults in words. Empty if there are none. */
export const defaultsInWords = (channels: CategoryValues['channels']): string =>
  channelOptions
    .filter(({ value }) => channels[value] !== 'NONE')
    .map(({ value, label }) => `${label} ${defaultLabels[channels[value]].toLowerCase()}`)
    .join(', ')

/** Returns the category as mutation input, without its key. */
export const categoryInput = ({ name, description, isHidden, channels }: CategoryValues) => ({
  ...{ name, description: description.trim() === '' ? null : description, isHidden },
  channels: channelOptions.flatMap(({ value: channel }) =>
    channels[channel] === 'NONE' ? [] : [{ channel, enabled: channels[channel] === 'ON' }],
  ),
})
