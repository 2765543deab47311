// The texts of the inbox. A page in another language sets its own.

/** `{count}` stands for the number of unread notifications. */
export const english = {
  notifications: 'Notifications',
  unread: '{count} unread',
  unavailable: 'not available',
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
  rejected: 'You could not be signed in to your notifications.',
  retry: 'Try again',
  unsaved: 'The change was not saved.',
  arrived: 'New notification, {count} unread',
  READ: 'Marked as read',
  UNREAD: 'Marked as unread',
  ARCHIVED: 'Archived',
  UNARCHIVED: 'Moved out of the archive',
  allRead: 'All notifications marked as read',
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

export const withCount = (text: string, count: number): string => text.replace('{count}', `${count}`)
