// The names of the channels, in the order in which the pages show them.
import type { graphql } from '../graph/graphql.ts'

export type Channel = ReturnType<typeof graphql.scalar<'Channel'>>

export const channelLabels = {
  IN_APP: 'In-app',
  EMAIL: 'Email',
  SMS: 'SMS',
  CHAT: 'Chat',
  PUSH: 'Push',
  TOOL: 'Tool',
} as const satisfies Record<Channel, string>
