// The module that pages import: it defines <notification-inbox>.
import { NotificationInbox } from './notification-inbox.ts'

// Two copies of the module on one page share the first definition.
if (customElements.get('notification-inbox') === undefined) {
  customElements.define('notification-inbox', NotificationInbox)
}

export { NotificationInbox }
