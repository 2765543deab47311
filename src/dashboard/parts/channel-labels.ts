// The names of the channels.
import type { graphql } from '../graph/graphql.ts'

export type Channel = ReturnType<typeof graphql.scalar<'Channel'>>

export const channelLabels = {
  EMAIL: 'Email',
  SMS: 'SMS',
  PUSH: 'Push',
  CHAT: 'Chat',
  TOOL: 'Tool',
  IN_APP: 'In-app',
} satisfies Record<Channel, string>
