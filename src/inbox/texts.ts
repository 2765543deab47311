// The texts of the inbox. A page in another language sets its own.

/** `{count}` stands for a number. */
export const english = {
  notifications: 'Notifications',
  unread: '{count} unread',
  all: 'All',
  onlyUnread: 'Unread',
  archived: 'Archived',
  preferences: 'Preferences',
  back: 'Back to the notifications',
  close: 'Close',
  markAllRead: 'Mark all as read',
  markRead: 'Mark as read',
  markUnread: 'Mark as unread',
  archive: 'Archive',
  unarchive: 'Move out of the archive',
  more: 'Show more',
  empty: 'No notifications',
  loading: 'Loading',
  failed: 'The notifications could not be loaded.',
  retry: 'Try again',
  allWorkflows: 'All notifications',
  always: 'Always on',
  CHAT: 'Chat',
  EMAIL: 'Email',
  IN_APP: 'In-app',
  PUSH: 'Push',
  SMS: 'SMS',
  TOOL: 'Tools',
}

export type Texts = typeof english
