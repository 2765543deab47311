// The channels in words, in the order in which the page shows them.

export const channelNames = {
  IN_APP: 'In-app',
  EMAIL: 'Email',
  SMS: 'SMS',
  PUSH: 'Push',
  CHAT: 'Chat',
  TOOL: 'Tool',
} as const
